package watch_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/watch"
)

func TestScanIgnoredNamesTheRules(t *testing.T) {
	root := tree(t, ".git/HEAD: x", ".gitignore: # logs\n*.log\n/build/\n", "a.go: package a", "a.log: x", "sub/b.log: x", "build/deep/c.go: x",
		"web/node_modules/p/index.js: x", "sub/.ambitignore: fixtures/\n", "sub/fixtures/d.go: x", "sub/e.go~: x", "gen/f.go: x",
		"cache/CACHEDIR.TAG: Signature: 8a477f597d28d172789f06886806bc55\n", "cache/g.go: x")
	for name, c := range map[string]struct {
		o    watch.Options
		want []watch.Ignored
	}{
		"ignore files": {watch.Options{}, []watch.Ignored{
			{Rule: ".gitignore:2: *.log", Files: 2, Example: "a.log"},
			{Rule: "installed packages, a cache or a virtual environment", Files: 2, Example: "cache/CACHEDIR.TAG"},
			{Rule: ".gitignore:3: /build/", Dirs: 1, Example: "build/"},
			{Rule: "a copy that an editor keeps", Files: 1, Example: "sub/e.go~"},
			{Rule: "node_modules is never source", Dirs: 1, Example: "web/node_modules/"},
			{Rule: "sub/.ambitignore:1: fixtures/", Dirs: 1, Example: "sub/fixtures/"},
		}},
		"exclude": {watch.Options{Exclude: []string{"gen", "sub", "web", "*.log", "build"}}, []watch.Ignored{
			{Rule: "installed packages, a cache or a virtual environment", Files: 2, Example: "cache/CACHEDIR.TAG"},
			{Rule: "the setting exclude: *.log", Files: 1, Example: "a.log"},
			{Rule: "the setting exclude: build", Dirs: 1, Example: "build/"},
			{Rule: "the setting exclude: gen", Dirs: 1, Example: "gen/"},
			{Rule: "the setting exclude: sub", Dirs: 1, Example: "sub/"},
			{Rule: "the setting exclude: web", Dirs: 1, Example: "web/"},
		}},
		"include": {watch.Options{Include: []string{"/gen/", "/cache/"}, Exclude: []string{"sub", "web", "build"}}, []watch.Ignored{
			{Rule: "installed packages, a cache or a virtual environment", Files: 2, Example: "cache/CACHEDIR.TAG"},
			{Rule: "the setting include names other files", Files: 2, Example: ".gitignore"},
			{Rule: ".gitignore:2: *.log", Files: 1, Example: "a.log"},
			{Rule: "the setting exclude: build", Dirs: 1, Example: "build/"},
			{Rule: "the setting exclude: sub", Dirs: 1, Example: "sub/"},
			{Rule: "the setting exclude: web", Dirs: 1, Example: "web/"},
		}},
		"a part of an ignored directory": {watch.Options{Exclude: []string{"!/build/deep/x.go", "sub", "web", "*.log"}}, []watch.Ignored{
			{Rule: "installed packages, a cache or a virtual environment", Files: 2, Example: "cache/CACHEDIR.TAG"},
			{Rule: ".gitignore:3: /build/", Files: 1, Example: "build/deep/c.go"},
			{Rule: "the setting exclude: *.log", Files: 1, Example: "a.log"},
			{Rule: "the setting exclude: sub", Dirs: 1, Example: "sub/"},
			{Rule: "the setting exclude: web", Dirs: 1, Example: "web/"},
		}},
	} {
		f, err := watch.NewFilter(root, c.o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := watch.ScanIgnored(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: ScanIgnored (-want +got):\n%s", name, diff)
		}
	}
}
