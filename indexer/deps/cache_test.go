package deps

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheCacheIsBounded(t *testing.T) {
	c := NewCache(3000, nil)
	at := time.Unix(0, 0)
	for i := range 100 {
		c.keep(&entry{key: fmt.Sprint(i), size: 1, modTime: at})
	}
	if c.bytes > 3000 || len(c.at) != c.order.Len() {
		t.Errorf("the cache has %d bytes and %d of %d entries", c.bytes, len(c.at), c.order.Len())
	}
	if c.entry("99", 1, at) == nil || c.entry("0", 1, at) != nil {
		t.Error("the cache keeps the first entry and not the last")
	}
	for c.order.Len() > 0 {
		c.remove(c.order.Front())
	}
	if c.bytes != 0 {
		t.Errorf("an empty cache has %d bytes", c.bytes)
	}
}

func TestAChangedFileIsReadAgain(t *testing.T) {
	c := NewCache(0, nil)
	at := time.Unix(0, 0)
	c.keep(&entry{key: "a", size: 1, modTime: at})
	for _, tt := range []struct {
		size int64
		at   time.Time
	}{{2, at}, {1, at.Add(1)}} {
		if c.keep(&entry{key: "a", size: 1, modTime: at}); c.entry("a", tt.size, tt.at) != nil {
			t.Errorf("the entry counts for %d bytes of %v", tt.size, tt.at)
		}
	}
}

// goNames finds every declaration that the parser of Go finds in the standard library's net/http.
func TestGoNamesHasEveryDeclaration(t *testing.T) {
	dir := filepath.Join(newGoEnv(os.Getenv).local.dir, "src", "net", "http")
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := goNames(text)
		for _, want := range declared(file) {
			if _, ok := slices.BinarySearch(got, want); !ok && want != "_" {
				t.Errorf("goNames misses %s of %s", want, filepath.Base(name))
			}
		}
	}
}

// declared returns the names that a Go file declares at its top.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names = append(names, s.Name.Name)
				case *ast.ValueSpec:
					for _, n := range s.Names {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

func FuzzGoNames(f *testing.F) {
	f.Add("package a\n\nvar (\n\ta, b = 1, 2\n)\nfunc (t *T) F() {}\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range goNames([]byte(text)) {
			if name == "" || !strings.Contains(text, name) {
				t.Errorf("goNames(%q) has %q", text, name)
			}
		}
	})
}
