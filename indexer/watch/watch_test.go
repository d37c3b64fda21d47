package watch_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/indexer/watch"
)

// tree makes a folder with a file for each "path" or "path: text"; "a -> b" makes a link.
func tree(t testing.TB, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		path, text, _ := strings.Cut(f, ": ")
		path, target, isLink := strings.Cut(path, " -> ")
		p := filepath.Join(root, path)
		err := os.MkdirAll(filepath.Dir(p), 0o755)
		switch {
		case err != nil:
		case isLink:
			err = os.Symlink(target, p)
		case strings.HasSuffix(path, "/"):
			err = os.MkdirAll(p, 0o755)
		default:
			err = os.WriteFile(p, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// scanPaths returns the paths that Scan lists, and checks each against Entry.
func scanPaths(t *testing.T, root string, o watch.Options) []string {
	t.Helper()
	f, err := watch.NewFilter(root, o)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := watch.Scan(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	paths, listed := []string{}, map[string]watch.Entry{}
	for _, e := range entries {
		paths = append(paths, e.Path)
		listed[e.Path] = e
	}
	if !slices.IsSorted(paths) {
		t.Errorf("Scan(%s) is not sorted: %q", root, paths)
	}
	filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		got, ok := f.Entry(filepath.ToSlash(rel))
		want, listed := listed[filepath.ToSlash(rel)]
		if got != want || ok != listed {
			t.Errorf("Entry(%.99q) = %+v, %t; Scan has %+v, %t", rel, got, ok, want, listed)
		}
		return nil
	})
	return paths
}

const cacheTag = "CACHEDIR.TAG: Signature: 8a477f597d28d172789f06886806bc55\n"

func TestScanListsSourceOnly(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		o     watch.Options
		want  []string
	}{
		{"an empty workspace has no files", nil, watch.Options{}, []string{}},
		{"paths are sorted by bytes", []string{"a/x", "a-b", "a.b", "a0", "B"}, watch.Options{}, []string{"B", "a-b", "a.b", "a/x", "a0"}},
		{"hidden files are source", []string{".github/ci.yml", ".eslintrc"}, watch.Options{}, []string{".eslintrc", ".github/ci.yml"}},
		{"folders of version control are left out", []string{".git/HEAD", ".hg/a", ".svn/a", "CVS/Root", ".GIT/a", "x/.jj/a", "a"}, watch.Options{}, []string{"a"}},
		{"no rule takes in a folder of version control", []string{".git/a", "a", ".ambitignore: !.git\n!.git/**\n"}, watch.Options{}, []string{".ambitignore", "a"}},
		{"ignore files hold without a repository", []string{".gitignore: *.o\n/out\n", "a.o", "out/a", "x/out/a", "x/b.o"}, watch.Options{}, []string{".gitignore", "x/out/a"}},
		{"installed packages and caches are left out", []string{"node_modules/a/i.js", "web/node_modules/b.js", ".venv/a.py", "p/__pycache__/a.pyc", ".next/a.js", "a"}, watch.Options{}, []string{"a"}},
		{"names that projects use for source are listed", []string{"build/a", "dist/a", "vendor/a", "target/a", "bin/a", "env/a", "out/a"}, watch.Options{},
			[]string{"bin/a", "build/a", "dist/a", "env/a", "out/a", "target/a", "vendor/a"}},
		{"backups and swap files of editors are left out", []string{"a.go", "a.go~", ".a.go.swp", ".swp", "#a.go#", ".#a.go", "a.go___jb_tmp___", "a.go___jb_old___", "#", "##", "swp"}, watch.Options{},
			[]string{"#", "##", "a.go", "swp"}},
		{"ambit takes in a backup of an editor", []string{".ambitignore: !*.bak~\n", "a.bak~", "b~"}, watch.Options{}, []string{".ambitignore", "a.bak~"}},
		{"a directory with pyvenv.cfg is left out", []string{"env/pyvenv.cfg", "env/lib/a.py", "a.py"}, watch.Options{}, []string{"a.py"}},
		{"a directory with a valid CACHEDIR.TAG is left out", []string{"target/" + cacheTag, "target/a.rs", "other/CACHEDIR.TAG: no", "other/a.rs"}, watch.Options{}, []string{"other/CACHEDIR.TAG", "other/a.rs"}},
		{"the root is never a cache", []string{cacheTag, "a"}, watch.Options{}, []string{"CACHEDIR.TAG", "a"}},
		{"ambit's rules take out", []string{".ambitignore: docs/\n*.txt\n", "docs/a", "a.txt", "b"}, watch.Options{}, []string{".ambitignore", "b"}},
		{"nested rules of ambit are stronger", []string{".ambitignore: *.txt\n", "a.txt", "x/.ambitignore: !a.txt\n", "x/a.txt", "x/b.txt"}, watch.Options{}, []string{".ambitignore", "x/.ambitignore", "x/a.txt"}},
		{"ambit takes in an ignored file", []string{".gitignore: *.log\n", ".ambitignore: !keep.log\n", "a.log", "keep.log"}, watch.Options{}, []string{".ambitignore", ".gitignore", "keep.log"}},
		{"ambit takes in an ignored folder", []string{".gitignore: gen/\n*.log\n", ".ambitignore: !gen\n", "gen/a", "gen/sub/b", "gen/c.log"}, watch.Options{}, []string{".ambitignore", ".gitignore", "gen/a", "gen/sub/b"}},
		{"ambit takes in one file of an ignored folder", []string{".gitignore: dist\n", ".ambitignore: !dist/api/types.d.ts\n!*.js\n", "dist/api/types.d.ts", "dist/api/b.js", "dist/c.js"}, watch.Options{},
			[]string{".ambitignore", ".gitignore", "dist/api/types.d.ts"}},
		{"ambit takes in one package", []string{".ambitignore: !node_modules/@me/**\n", "node_modules/@me/a/i.js", "node_modules/b/i.js", "node_modules/c.js"}, watch.Options{},
			[]string{".ambitignore", "node_modules/@me/a/i.js"}},
		{"ambit takes in all packages", []string{".ambitignore: !node_modules/\n", "node_modules/b/i.js"}, watch.Options{}, []string{".ambitignore", "node_modules/b/i.js"}},
		{"ambit takes in a virtual environment", []string{".ambitignore: !env/\n", "env/pyvenv.cfg", "env/a.py"}, watch.Options{}, []string{".ambitignore", "env/a.py", "env/pyvenv.cfg"}},
		{"Exclude is stronger than .ambitignore", []string{".ambitignore: !a\n", "a", "b"}, watch.Options{Exclude: []string{"a"}}, []string{".ambitignore", "b"}},
		{"Exclude can take in", []string{".gitignore: a\n", "a"}, watch.Options{Exclude: []string{"!a"}}, []string{".gitignore", "a"}},
		{"Include keeps the files it names", []string{"src/a.go", "src/b.md", "doc/c.md", "d.go"}, watch.Options{Include: []string{"src/", "*.go", "!b.md"}}, []string{"d.go", "src/a.go"}},
		{"Include takes in no ignored file", []string{".gitignore: a.go\n", "a.go", "b.go"}, watch.Options{Include: []string{"*.go"}}, []string{"b.go"}},
		{"links are not followed", []string{"a", "b -> a", "d/x", "e -> d", "loop/self -> ..", "out -> /etc", "broken -> none"}, watch.Options{}, []string{"a", "d/x"}},
		{"a .gitignore that is a link has no rules", []string{"rules: a\n", ".gitignore -> rules", "a"}, watch.Options{}, []string{"a", "rules"}},
		{"names that are not UTF-8", []string{"\xff/\xfe", "a\nb"}, watch.Options{}, []string{"a\nb", "\xff/\xfe"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gittest.Home(t)
			if diff := cmp.Diff(tt.want, scanPaths(t, tree(t, tt.files...), tt.o)); diff != "" {
				t.Errorf("Scan (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScanFollowsALinkToTheRoot(t *testing.T) {
	root := tree(t, "real/a", "link -> real")
	if diff := cmp.Diff([]string{"a"}, scanPaths(t, filepath.Join(root, "link"), watch.Options{})); diff != "" {
		t.Errorf("Scan (-want +got):\n%s", diff)
	}
}

func TestScanReadsASubmoduleInAnIgnoredFolder(t *testing.T) {
	gittest.Home(t)
	root := tree(t, ".gitignore: third/\n", "third/sub/a", "third/sub/.gitignore: b\n", "third/sub/b", "third/other/c")
	sub := filepath.Join(root, "third", "sub")
	gittest.Run(t, root, "init", "-q")
	gittest.Run(t, sub, "init", "-q")
	gittest.Run(t, sub, "add", ".")
	gittest.Run(t, sub, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
	gittest.Run(t, root, "-c", "advice.addEmbeddedRepo=false", "add", "-f", "third/sub")
	if diff := cmp.Diff([]string{".gitignore", "third/sub/.gitignore", "third/sub/a"}, scanPaths(t, root, watch.Options{})); diff != "" {
		t.Errorf("Scan (-want +got):\n%s", diff)
	}
}

// reason scans a folder with one file and returns why it is left out.
func reason(t *testing.T, path, text string, o watch.Options) string {
	t.Helper()
	f, err := watch.NewFilter(tree(t, path), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.Root(), path), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	entries, err := watch.Scan(t.Context(), f)
	if err != nil || len(entries) != 1 {
		t.Fatalf("Scan = %v, %v; want %s", entries, err, path)
	}
	if entries[0].LeftOut != "" {
		return entries[0].LeftOut
	}
	return f.LeftOut(path, []byte(text))
}

func TestFilesAreLeftOutWithAReason(t *testing.T) {
	long := strings.Repeat("x", 5000)
	tests := []struct{ name, path, text, want string }{
		{"source", "a.go", "package a\n", ""},
		{"empty", "a", "", ""},
		{"dotenv", ".env", "A=b", watch.Secret},
		{"dotenv of an environment", "x/.env.production", "A=b", watch.Secret},
		{"dotenv example", ".env.example", "A=", ""},
		{"dotenv sample", ".env.local.sample", "A=", ""},
		{"not a dotenv", ".environment.ts", "", ""},
		{"key", "server.key", "x", watch.Secret},
		{"certificate in capitals", "CA.PEM", "x", watch.Secret},
		{"SSH key", "id_ed25519", "x", watch.Secret},
		{"SSH public key", "id_ed25519.pub", "x", ""},
		{"SSH folder", ".ssh/config", "x", watch.Secret},
		{"cloud folder", "home/.aws/sso/cache.json", "x", watch.Secret},
		{"npm settings", "web/.npmrc", "x", watch.Secret},
		{"credentials", "config/credentials", "x", watch.Secret},
		{"code about credentials", "credentials.go", "package a", ""},
		{"lock file", "web/package-lock.json", "{}", watch.LockFile},
		{"Go sums", "go.sum", "x", watch.LockFile},
		{"image", "logo.PNG", "x", watch.Binary},
		{"too large", "a.go", strings.Repeat("x\n", 1<<19+1), watch.TooLarge},
		{"of the largest size", "a.go", strings.Repeat("x\n", 1<<19), ""},
		{"NUL", "a.txt", "a\x00b", watch.Binary},
		{"NUL far behind", "a.txt", strings.Repeat("a\n", 8192) + "\x00", ""},
		{"UTF-16 that is no text", "a.txt", "\xff\xfea\x00", watch.Binary},
		{"Latin-1", "a.txt", "caf\xe9 au lait\n", ""},
		{"neither UTF-8 nor an 8-bit text", "a.txt", "\xe9\x01\x02", watch.Binary},
		{"escape sequences", "a.txt", "\x1b[31mred\x1b[0m", ""},
		{"line of 5,000", "a.js", long + "\n" + long, ""},
		{"line of 5,001", "a.js", "a\n" + long + "x\n", watch.Minified},
		{"last line of 5,001", "a.js", "a\n" + long + "x", watch.Minified},
		{"a document with a line of 5,001", "a.md", long + "x\n", ""},
		{"a text with a line of 5,001", "notes.txt", long + "x", ""},
		{"a file without extension with a line of 5,001", "README", long + "x", ""},
		{"a notebook with a picture", "a.ipynb", "{\n\"image/png\": \"" + long + "\"\n}", ""},
		{"5,000 characters of more bytes", "a.md", strings.Repeat("ä", 5000) + "\n", ""},
		{"Go's mark", "a.go", "// License\n\n// Code generated by stringer; DO NOT EDIT.\n\npackage a\n", watch.Generated},
		{"Go's mark behind the clause", "a.go", "package a\n\n// Code generated by stringer; DO NOT EDIT.\n", ""},
		{"Go's mark misspelt", "a.go", "// Code generated by stringer; do not edit\npackage a\n", ""},
		{"Go's mark in a string", "a.go", "package a\n\nconst mark = `\n// Code generated by x. DO NOT EDIT.\n`\n", ""},
		{"protoc in Python", "a_pb2.py", "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n", watch.Generated},
		{"two lines", "a.ts", "/*\n * This file was automatically generated by json-schema-to-typescript.\n * DO NOT MODIFY IT BY HAND.\n */\n", watch.Generated},
		{"@generated", "a.php", "<?php\n/**\n * @generated SignedSource<<x>>\n */\n", watch.Generated},
		{"another word", "a.ts", "// @generatedBy hand\n", ""},
		{"Cython", "a.c", "/* Generated by Cython 3.2.5 */\n\n#include <x.h>\n", watch.Generated},
		{"Bison", "a.c", "/* A Bison parser, made by GNU Bison 3.8.2.  */\n\nint yylex;\n", watch.Generated},
		{"Autoconf", "configure.sh", "#! /bin/sh\n# Guess values for system-dependent variables and create Makefiles.\n# Generated by GNU Autoconf 2.71 for x 1.0.\n", watch.Generated},
		{"prose about a generator", "a.py", "# The file that is generated by the build is read here.\n", ""},
		{".NET", "a.cs", "// <auto-generated>\n// x\n", watch.Generated},
		{"below the code", "gen.py", "import x\n# Code generated by gen. DO NOT EDIT.\n", ""},
		{"a text about it", "a.md", "Files that are generated say: do not edit.\n", ""},
		{"below an include", "a.c", "#include <a.h>\n/* generated, do not edit */\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reason(t, tt.path, tt.text, watch.Options{}); got != tt.want {
				t.Errorf("%s is left out as %q, want %q", tt.path, got, tt.want)
			}
		})
	}
	if got := reason(t, "a", "12345", watch.Options{MaxBytes: 4}); got != watch.TooLarge {
		t.Errorf("5 bytes of at most 4 are left out as %q, want %q", got, watch.TooLarge)
	}
}

func TestNoRuleTakesInASecret(t *testing.T) {
	root := tree(t, ".ambitignore: !.env\n", ".env: A=b")
	f, err := watch.NewFilter(root, watch.Options{Exclude: []string{"!.env"}, Include: []string{".env"}})
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := f.Entry(".env"); !ok || e.LeftOut != watch.Secret {
		t.Errorf("Entry(.env) = %+v, %t; want it left out as secret", e, ok)
	}
}

func TestScanListsAnUnreadableFolder(t *testing.T) {
	// A path of more than 4,096 bytes cannot be opened, not even by root.
	dir, err := os.OpenRoot(tree(t, "a"))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	name := strings.Repeat("n", 240)
	for range 20 {
		if err := dir.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := dir.WriteFile(name+".go", nil, 0o600); err != nil { // "." is before "/"
			t.Fatal(err)
		}
		if dir, err = dir.OpenRoot(name); err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
	}
	root, _, _ := strings.Cut(dir.Name(), string(filepath.Separator)+name)
	f, err := watch.NewFilter(root, watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	entries, err := watch.Scan(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	byPath := func(a, b watch.Entry) int { return strings.Compare(a.Path, b.Path) }
	i := slices.IndexFunc(entries, func(e watch.Entry) bool { return e.LeftOut == watch.Unreadable })
	if i < 0 || !strings.HasPrefix(entries[i].Path, name+"/"+name) || entries[0].Path != "a" || !slices.IsSortedFunc(entries, byPath) {
		t.Fatalf("Scan = %.200v, want a, one file of each folder and the first folder that is too deep, sorted", entries)
	}
	if n := strings.Count(entries[i].Path, "/"); len(entries) != n+3 {
		t.Errorf("%d entries for a folder %d levels deep, want one file of each level, a and the folder", len(entries), n)
	}
}

func TestErrorsNameTheNextStep(t *testing.T) {
	root := tree(t, "file")
	for path, want := range map[string]string{
		filepath.Join(root, "none"): "no such file or directory; name a directory that exists",
		filepath.Join(root, "file"): "it is a file; name the directory it lies in",
	} {
		if _, err := watch.NewFilter(path, watch.Options{}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("NewFilter(%s) = %v, want … %s", path, err, want)
		}
	}
	f, err := watch.NewFilter(root, watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := watch.Scan(ctx, f); !errors.Is(err, stop) {
		t.Errorf("Scan = %v, want the cause of the context", err)
	}
	os.RemoveAll(root)
	if _, err := watch.Scan(t.Context(), f); err == nil || !strings.HasSuffix(err.Error(), "check that it still exists and can be read") {
		t.Errorf("Scan of a removed root = %v", err)
	}
}

func TestEntryReturnsOnlyFilesOfTheWorkspace(t *testing.T) {
	f, err := watch.NewFilter(tree(t, "dir/a: text", "link -> dir"), watch.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := f.Entry("dir/a"); !ok || e.Path != "dir/a" || e.Size != 4 || e.ModTime == 0 || e.LeftOut != "" {
		t.Errorf("Entry(dir/a) = %+v, %t", e, ok)
	}
	for _, p := range []string{"", ".", "..", "../x", "/etc/passwd", "dir", "dir/", "dir/../dir/a", "link/a", "none", "none/a", "dir/a/b"} {
		if e, ok := f.Entry(p); ok {
			t.Errorf("Entry(%q) = %+v, want none", p, e)
		}
	}
}
