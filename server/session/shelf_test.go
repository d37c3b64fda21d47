package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/deps"
	"ambit/server/session"
	"ambit/vectors/record"
)

// counted counts the files that are put on a shelf.
type counted struct {
	deps.Shelf
	puts int
}

func (c *counted) Put(key record.Hash, p *deps.Parsed) {
	c.puts++
	c.Shelf.Put(key, p)
}

func TestTheNextProcessHasWhatWasParsedOfDependencies(t *testing.T) {
	dir := t.TempDir()
	long := "package web\n\nimport \"example.com/other\"\n\n// Token is ghp_aBcD1234eFgH5678iJkL9012mNoP3456qRsT.\nfunc Start(o other.Options) error { return nil }\n\n// App is one.\ntype App struct{ other.Base }\n" + strings.Repeat("\n// a line of a long file\n", 200)
	for name, text := range map[string]string{
		"ws/go.mod":                       "module shop\n\ngo 1.22\n\nrequire example.com/web v1.2.0\n",
		"mod/example.com/web@v1.2.0/a.go": long,
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"GOMODCACHE": filepath.Join(dir, "mod")}
	find := func(build string) (*deps.File, int) {
		shelf := &counted{Shelf: session.ParsedShelf(filepath.Join(dir, "shelf"), build)}
		f := deps.New(filepath.Join(dir, "ws"), deps.Options{Getenv: func(name string) string { return env[name] }, Cache: deps.NewCache(0, shelf)})
		found := f.Find(t.Context(), "main.go", "main.go", "example.com/web", []string{"Start", "App"})
		if len(found.Files) != 1 {
			t.Fatalf("Find = %v, want one file", found.Files)
		}
		return found.Files[0], shelf.puts
	}
	first, puts := find("one")
	if puts != 1 || strings.Contains(string(first.Text), "ghp_") {
		t.Errorf("the first process keeps %d files; the text begins with %q", puts, first.Text[:100])
	}
	second, puts := find("one")
	if diff := cmp.Diff(first, second); diff != "" || puts != 0 {
		t.Errorf("the second process keeps %d files (-first +second):\n%s", puts, diff)
	}
	if _, puts := find("another"); puts != 1 {
		t.Error("another build has what the first one parsed")
	}
}
