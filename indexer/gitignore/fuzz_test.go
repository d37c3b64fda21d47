package gitignore_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/indexer/gitignore"
	"ambit/indexer/gitignore/gittest"
)

func FuzzIgnoreRules(f *testing.F) {
	for _, text := range []string{"*.log\n!keep.log\n/build/\n", "a**/x\n**/b/**\nfoo/*", "[[:alpha:]-z]\n[!a\n\\ \\", "\xef\xbb\xbfa\x00b\r\n#c\n!", strings.Repeat("**/", 50) + "x"} {
		f.Add([]byte(text), "a/b/", "x.log", true, false)
	}
	f.Add([]byte("*\n!/.github**\n"), ".github", "workflows", true, false)      // the dot is in the directory
	for _, name := range []string{"x.c.1.y", "x.o.d", "x.asn1.c", "x..", "x"} { // rules with dots match some of them
		f.Add([]byte("*.c.[012]*.*\n*.o.*\n*.asn1.[ch]\n*\\..\n*[.]*.\n/b.c/*.o.*\n"), "b.c", name, false, false)
	}
	f.Fuzz(func(t *testing.T, text []byte, dir, name string, isDir, fold bool) {
		if dir != "" {
			dir += "/"
		}
		if got, tried := gitignore.LastRule(text, dir, name, isDir, fold); got != tried {
			t.Fatalf("%q in %q: the maps find rule %d of %q, trying each finds %d", name, dir, got, text, tried)
		}
	})
}

func FuzzIndex(f *testing.F) {
	gittest.Home(f)
	for _, version := range []string{"2", "4"} {
		root := f.TempDir()
		for _, path := range []string{"a/b", "a/c", "b"} {
			write(f, filepath.Join(root, path), "")
		}
		gittest.Run(f, root, "init", "-q")
		gittest.Run(f, root, "-c", "index.version="+version, "add", ".")
		data, err := os.ReadFile(filepath.Join(root, ".git", "index"))
		if err != nil {
			f.Fatal(err)
		}
		if got := strings.Join(gitignore.IndexNames(data, false), " "); got != "a/b a/c b" {
			f.Fatalf("index of version %s has %q", version, got)
		}
		f.Add(data, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, sha256 bool) {
		total := 0
		for _, p := range gitignore.IndexNames(data, sha256) {
			total += len(p)
		}
		if total > 4*len(data)+4096 {
			t.Fatalf("%d bytes of names from %d", total, len(data))
		}
	})
}

func TestConfigValuesAreReadAsByGit(t *testing.T) {
	for in, want := range map[string]string{
		`plain`: "plain", `a b  `: "a b", `"a b  "`: "a b  ", `a ; comment`: "a", `"a;b"#c`: "a;b", `a\\b`: `a\b`, `a\"b`: `a"b`, `"" `: "", `a "b" c`: "a b c",
	} {
		if got := gitignore.ConfigValue(in); got != want {
			t.Errorf("value %s is read as %q, want %q", in, got, want)
		}
	}
}
