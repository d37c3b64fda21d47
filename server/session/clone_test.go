package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// project returns a tree of n Go files that use one another.
func project(n int) map[string]string {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n", "secret.txt": "key AKIAIOSFODNN7EXAMPLE here\n"}
	for i := range n {
		files[fmt.Sprintf("pkg%d/file%d.go", i%5, i)] = fmt.Sprintf(
			"package pkg%d\n\n// Part%d does part %d.\nfunc Part%d(x int) int {\n\treturn helper%d(x) + %d\n}\n\nfunc helper%d(x int) int { return x * %d }\n",
			i%5, i, i, i, i, i, i, i)
	}
	return files
}

// clone returns another tree with these files and the same cache.
func (w *tree) clone(files map[string]string) *tree {
	w.t.Helper()
	c := newTree(w.t, files)
	c.cache = w.cache
	return c
}

// openIn opens a workspace whose cache holds several indexes.
func (w *tree) openIn(edit ...func(*config.Settings)) *opened {
	w.t.Helper()
	set := config.Defaults()
	set.CacheDir = w.cache
	for _, e := range edit {
		e(&set)
	}
	s, err := openSession(w.t.Context(), w.dir, session.Options{Settings: &set})
	if err != nil {
		w.t.Fatalf("Open: %v", err)
	}
	w.t.Cleanup(func() { s.Close() })
	return s
}

// check closes the session and checks its index.
func check(t *testing.T, s *opened) {
	t.Helper()
	path := status(t, s).Index
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := storetest.Check(t.Context(), db); err != nil {
		t.Error(err)
	}
}

func status(t *testing.T, s *opened) *api.Status {
	t.Helper()
	st, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// held returns the content of an index as text, without keys and absolute paths.
func held(t *testing.T, s *opened) string {
	t.Helper()
	st := status(t, s)
	var b strings.Builder
	fmt.Fprintln(&b, st.Files, st.Chunks, st.Bytes, st.Masked, st.Languages, st.LeftOut, st.Head)
	for i := range 70 {
		path := fmt.Sprintf("pkg%d/file%d.go", i%5, i)
		chunks, err := s.Chunks(t.Context(), chunksOf(path))
		fmt.Fprintln(&b, path, err != nil)
		if err != nil {
			continue
		}
		for _, c := range chunks.Chunks {
			fmt.Fprintf(&b, "%+v\n", c)
		}
		// Only the best source counts: the others rank alike, in the order of keys.
		best, _, _ := strings.Cut(ask(t, s, api.Question{Query: fmt.Sprintf("what does Part%d do", i)}), "}")
		fmt.Fprintln(&b, best)
	}
	return b.String()
}

func TestClonedIndexEqualsAFreshIndex(t *testing.T) {
	files := project(60)
	for _, inUse := range []bool{false, true} {
		t.Run(fmt.Sprintf("another session has the first open: %t", inUse), func(t *testing.T) {
			first := newTree(t, files)
			one := first.openIn()
			index(t, one)
			if !inUse {
				check(t, one)
			}
			second := first.clone(files)
			same := files["pkg1/file1.go"]
			second.write("pkg1/file1.go", strings.Replace(same, "x * 1", "x * 9", 1)) // of the same size
			second.write("pkg2/file62.go", "package pkg2\n\nfunc Part62() {}\n")
			second.remove("pkg3/file3.go")
			two := second.openIn()
			if notice := two.Notice(); !strings.Contains(notice, "a copy of") {
				t.Errorf("got notice %q, want a notice of the clone", notice)
			}
			report := index(t, two)
			if report.Indexed != 2 || report.Removed != 1 || report.Embedded >= 10 {
				t.Errorf("got %+v, want two files indexed and one removed", report)
			}
			st := status(t, two)
			if !strings.HasSuffix(st.Memory.ClonedFrom, "index.db") || st.Memory.Embedded != report.Embedded {
				t.Errorf("got %+v, want the source of the clone and the chunks of this index", st.Memory)
			}
			got := held(t, two)
			check(t, two)

			fresh := second
			fresh.cache = t.TempDir()
			three := fresh.openIn()
			index(t, three)
			if diff := cmp.Diff(held(t, three), got); diff != "" {
				t.Errorf("the updated clone (-fresh +got):\n%s", diff)
			}
		})
	}
}

func TestIndexIsNotCloned(t *testing.T) {
	other := project(60)
	for path, text := range other {
		if strings.HasSuffix(path, ".go") {
			other[path] = text + "// of another size\n"
		}
	}
	tests := []struct {
		name  string
		files map[string]string
		edit  func(t *testing.T, index string)
		set   func(*config.Settings)
	}{
		{name: "of another project", files: other},
		{name: "for a few files", files: project(40)},
		{name: "of other settings", files: project(60), set: func(set *config.Settings) { set.ASTChunking = false }},
		{name: "that others may read", files: project(60), edit: func(t *testing.T, index string) {
			if err := os.Chmod(index, 0o644); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "that is damaged", files: project(60), edit: func(t *testing.T, index string) {
			if err := os.Truncate(index, 10_000); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "that is a link", files: project(60), edit: func(t *testing.T, index string) {
			if err := os.Rename(index, index+".real"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(index+".real", index); err != nil {
				t.Fatal(err)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first := newTree(t, project(60))
			s := first.openIn()
			index(t, s)
			at := status(t, s).Index
			check(t, s)
			if tt.edit != nil {
				tt.edit(t, at)
			}
			second := first.clone(tt.files)
			edit := tt.set
			if edit == nil {
				edit = func(*config.Settings) {}
			}
			two := second.openIn(edit)
			if notice := two.Notice(); notice != "" {
				t.Errorf("got notice %q, want none", notice)
			}
			if got := status(t, two).Memory.ClonedFrom; got != "" {
				t.Errorf("the index is a clone of %s", got)
			}
			if report := index(t, two); report.Embedded == 0 {
				t.Errorf("got %+v, want a new index", report)
			}
			left, err := filepath.Glob(filepath.Join(first.cache, "*", "index.db.seed-*"))
			if len(left) != 0 || err != nil {
				t.Errorf("temporary files are left: %q, %v", left, err)
			}
		})
	}
}

func TestRebuildDoesNotClone(t *testing.T) {
	first := newTree(t, project(60))
	s := first.openIn()
	index(t, s)
	check(t, s)
	second := first.clone(project(60))
	set := config.Defaults()
	set.CacheDir = first.cache
	two, err := openSession(t.Context(), second.dir, session.Options{Settings: &set, Rebuild: true})
	if err != nil {
		t.Fatal(err)
	}
	defer two.Close()
	if report := index(t, two); report.Embedded == 0 || two.Notice() != "" {
		t.Errorf("got %+v and notice %q, want all embedded", report, two.Notice())
	}
}
