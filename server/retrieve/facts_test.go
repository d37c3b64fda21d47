package retrieve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/server/retrieve"
)

func TestPathsThatAreRarelyTheAnswerAreDemoted(t *testing.T) {
	w := retrieve.Weights
	tests := []struct {
		path string
		want float64
	}{
		{"main.go", 1},
		{"a/contest.go", 1},
		{"latest.py", 1},
		{"a_test.go", w.Test},
		{"test_a.py", w.Test},
		{"conftest.py", w.Test},
		{"src/FooTest.java", w.Test},
		{"src/Footest.java", 1},
		{"src/a.test.ts", w.Test},
		{"src/a.spec.tsx", w.Test},
		{"__tests__/a.js", w.Test},
		{"Tests/a.swift", w.Test},
		{"examples/a.py", w.Example},
		{"third_party/zlib/a.c", w.Vendored},
		{"third_party/tests/a.c", w.Vendored},
		{"src/compat/a.ts", w.Compat},
		{"src/pycompat.py", w.Compat},
		{"index.d.ts", w.Types},
		{"src/index.ts", 1}, // as long as it defines something
		{".github/a.yml", 1},
		{"", 1},
	}
	for _, tt := range tests {
		if got := retrieve.Demotion(tt.path); got != tt.want {
			t.Errorf("demotion of %q = %g, want %g", tt.path, got, tt.want)
		}
	}
}

func TestAPathIsTheWordsOfItsNameAndDirectories(t *testing.T) {
	tests := []struct {
		path       string
		name, dirs []string
	}{
		{"server/rateLimiter/token_buckets.test.ts", []string{"token", "bucket"}, []string{"serv", "rat", "limit"}},
		{".env", []string{"env"}, nil},
		{"Makefile", []string{"makefil"}, nil},
		{"lang3/BooleanUtils.java", []string{"boolean"}, []string{"lang", "3"}},
		{"src/utils.go", []string{"util"}, []string{"src"}},
		{"lib/defaults/index.js", []string{"default"}, []string{"lib", "default"}},
		{"index.js", []string{"index"}, nil},
		{"a/b/", nil, []string{"a", "b"}},
	}
	for _, tt := range tests {
		name, dirs := retrieve.Stems(tt.path)
		if diff := cmp.Diff([][]string{tt.name, tt.dirs}, [][]string{name, dirs}); diff != "" {
			t.Errorf("stems of %q (-want +got):\n%s", tt.path, diff)
		}
	}
}

// TestAPathIsLookedAtForEachWordOfItsName draws names with every kind of boundary between words.
func TestAPathIsLookedAtForEachWordOfItsName(t *testing.T) {
	segment := rapid.StringMatching(`(read|READ|Maps|maps|HTTPServer|_|-|2|42|é|Ünder|名前|b|index|\.){1,5}`)
	rapid.Check(t, func(t *rapid.T) {
		path := segment.Draw(t, "dir") + "/" + segment.Draw(t, "dir") + "/" + segment.Draw(t, "name") + ".go"
		name, _ := retrieve.Stems(path)
		for _, stem := range name {
			if !retrieve.NameIn(path, "absent", stem) {
				t.Errorf("%s is not looked at for %q", path, stem)
			}
		}
	})
	for path, want := range map[string]bool{
		"map/b/c.go": false, "a/map/c.go": true, "a/b/map.go": true, "a/b/bitmap.go": false, "a/b/bitMap.go": true, "a/b/HTTPMap.go": true,
		"a/b/map": true, "map": true, "": false,
	} {
		if got := retrieve.NameIn(path, "map"); got != want {
			t.Errorf("%q is looked at for a word that begins with map: %t, want %t", path, got, want)
		}
	}
}
