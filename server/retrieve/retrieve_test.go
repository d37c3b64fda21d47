package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"ambit/indexer/gitignore"
	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

func TestAPlaceOutsideOfTheFileIsAnError(t *testing.T) {
	w := newWorkspace(t, []file{{"a.go", []byte("package a\n")}})
	for _, offset := range []int{-1, 11} {
		if _, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go", Offset: offset}); err == nil {
			t.Errorf("At offset %d: no error", offset)
		}
	}
	if _, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "b.go"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("At in a file that is gone: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestAnEmptyFileHasTheTextAroundTheCursor(t *testing.T) {
	w := newWorkspace(t, []file{{"a.go", nil}})
	r, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go"})
	if err != nil || len(r.Candidates) != 1 || r.Symbol != nil {
		t.Errorf("At = %+v, %v; want the one text", r, err)
	}
}

func TestACancelledRequestReturnsTheErrorOfItsContext(t *testing.T) {
	w := newWorkspace(t, []file{{"a.go", []byte("package a\n\nfunc F() {}\n")}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := retrieve.At(ctx, w.index(), retrieve.Cursor{Path: "a.go", Offset: 17}); !errors.Is(err, context.Canceled) {
		t.Errorf("At: %v", err)
	}
	if _, err := retrieve.Search(ctx, w.index(), retrieve.Question{Query: "F"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v", err)
	}
	if _, err := retrieve.Ask(ctx, w.index(), retrieve.Question{Query: "F"}); !errors.Is(err, context.Canceled) {
		t.Errorf("Ask: %v", err)
	}
}

// TestFilesThatVanishAreLeftOut has names of files that cannot be read any more, or that
// hold fewer symbols than before.
func TestFilesThatVanishAreLeftOut(t *testing.T) {
	files := []file{
		{"a.go", []byte("package a\n\nfunc F() { G(); T{}.M() }\n")},
		{"b.go", []byte("package a\n\nfunc G() { F() }\n\ntype T struct{}\n\nfunc (T) M() {}\n")},
		{"c.go", []byte("package a\n\ntype I interface{ M() }\n\nfunc H() { F(); G() }\n")},
	}
	for name, spoil := range map[string]func(*workspace, record.Path){
		"gone":    func(w *workspace, p record.Path) { delete(w.files, p) },
		"emptied": func(w *workspace, p record.Path) { w.files[p] = record.FileRecord{Graph: record.FileGraph{Path: p}} },
	} {
		w := newWorkspace(t, files)
		if _, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go", Offset: 16}); err != nil {
			t.Errorf("%s: At before: %v", name, err) // the users are remembered
		}
		spoil(w, "b.go")
		for offset := range len(files[0].content) {
			if _, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go", Offset: offset}); err != nil {
				t.Errorf("%s: At %d: %v", name, offset, err)
			}
		}
		if _, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "c.go", Offset: 16}); err != nil {
			t.Errorf("%s: At: %v", name, err)
		}
		if _, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: "where is G called"}); err != nil {
			t.Errorf("%s: Ask: %v", name, err)
		}
	}
}

// TestCandidatesOfOneSymbolAreBounded has a symbol with thousands of users and one with
// thousands of uses.
func TestCandidatesOfOneSymbolAreBounded(t *testing.T) {
	var b, tests strings.Builder
	b.WriteString("package a\n\nfunc F() {}\n\nfunc all() {\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "\tuser%d()\n", i)
	}
	b.WriteString("}\n")
	tests.WriteString("package a\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "\nfunc user%d() { F() }\n", i)
		fmt.Fprintf(&tests, "\nfunc TestUser%d(t *testing.T) { F() }\n", i)
	}
	w := newWorkspace(t, []file{{"a.go", []byte(b.String())}, {"a_test.go", []byte(tests.String())}})
	r, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go", Offset: 16})
	if err != nil {
		t.Fatal(err)
	}
	checkResult(t, &r)
	if n := len(r.Candidates); n < 20 || n > 100 {
		t.Errorf("%d candidates", n)
	}
	if n := len(r.Dependencies); n > 40 {
		t.Errorf("%d arrows", n)
	}
	if r, err = retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: "a.go", Offset: 30}); err != nil {
		t.Fatal(err)
	}
	checkResult(t, &r)
	if n := len(r.Candidates); n < 100 || n > 500 {
		t.Errorf("%s brings %d candidates", r.Query, n)
	}
}

// checkResult checks the invariants of a result.
func checkResult(t *testing.T, r *retrieve.Result) {
	t.Helper()
	asked := func(role retrieve.Role) bool {
		return role == retrieve.RoleDefinition || role == retrieve.RoleEnclosing || role == retrieve.RoleMatch
	}
	best := 0.0
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if !(c.Relevance >= 0 && c.Relevance <= 1) {
			t.Errorf("relevance %g of %s", c.Relevance, c.Unit.Identifier)
		}
		best = max(best, c.Relevance)
		if !(c.Probability >= 0 && c.Probability <= 1) {
			t.Errorf("probability %g of %s", c.Probability, c.Unit.Identifier)
		}
		if i > 0 && asked(c.Role) == asked(r.Candidates[i-1].Role) && c.Probability > r.Candidates[i-1].Probability {
			t.Errorf("%s is more probable than %s before it", c.Unit.Identifier, r.Candidates[i-1].Unit.Identifier)
		}
		if i > 0 && asked(c.Role) == asked(r.Candidates[i-1].Role) && c.Relevance > r.Candidates[i-1].Relevance {
			t.Errorf("%s stands behind %s", c.Unit.Identifier, r.Candidates[i-1].Unit.Identifier)
		}
		if i > 0 && asked(c.Role) && !asked(r.Candidates[i-1].Role) {
			t.Errorf("%s is in question and ranks after a unit that is not", c.Unit.Identifier)
		}
		if len(c.Why) == 0 || !slices.IsSortedFunc(c.Why, func(a, b api.Signal) int { return int(1e9 * (b.Score - a.Score)) }) {
			t.Errorf("why %s: %v", c.Unit.Identifier, c.Why)
		}
		if !slices.IsSorted(c.Focus) || len(c.Focus) > 0 && (c.Focus[0] < c.Unit.Lines.First || c.Focus[len(c.Focus)-1] > c.Unit.Lines.Last) {
			t.Errorf("focus %v of lines %v", c.Focus, c.Unit.Lines)
		}
	}
	if len(r.Candidates) > 0 && best != 1 {
		t.Errorf("the best relevance is %g", best)
	}
}

func FuzzAtAnswersEveryPlaceOfEveryText(f *testing.F) {
	f.Add("a.go", []byte("package a\n\nfunc F() { G() }\n\nfunc G() {}\n"), 23)
	f.Add("a.py", []byte("class A(B):\r\n    def f(self):\r\n        return self.f()\r\n"), 48)
	f.Add("a.md", []byte("# A\n\nSee `F`.\n"), 12)
	f.Add("a.ts", []byte("export class A { x = 1; f() { return this.x } }"), 42)
	f.Add("a.txt", []byte("\xff\x00\n\n"), 2)
	f.Fuzz(func(t *testing.T, path string, content []byte, offset int) {
		if len(content) > 1<<12 {
			return
		}
		w := newWorkspace(t, []file{{path, content}, {"other.go", []byte("package a\n\nfunc F() { G() }\n")}})
		r, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: record.Path(path), Offset: offset})
		if outside := offset < 0 || offset > len(content); (err != nil) != outside {
			t.Fatalf("At(%d of %d): %v", offset, len(content), err)
		}
		if err == nil && len(r.Candidates) == 0 {
			t.Error("nothing around the cursor")
		}
		checkResult(t, &r)
	})
}

func FuzzAskAnswersEveryQuestion(f *testing.F) {
	for _, q := range []string{"", "F", "how is F called", "a.F", "A::B#c", "tests of F", "\xff", "ſ ſ ſ", strings.Repeat("aB ", 5000), "the", "v1 README"} {
		f.Add(q, "", "", "", 0)
		f.Add(q, "dir/", "go", "function", -1)
	}
	w := newWorkspace(f, []file{
		{"a.go", []byte("package a\n\nfunc F() { G() }\n\nfunc G() {}\n\ntype A struct{ f int }\n")},
		{"dir/v1/a_test.go", []byte("package v1\n\nfunc TestF() { F() }\n")},
		{"README.md", []byte("# About F\n\nF calls `G`.\n")},
		{"empty.txt", nil},
	})
	f.Fuzz(func(t *testing.T, query, path, language, kind string, limit int) {
		patterns := gitignore.ParsePatterns([]string{path})
		keep := func(p record.Path) bool { return path == "" || patterns.Match(string(p)) }
		q := retrieve.Question{Query: query, Limit: limit, Filter: retrieve.Filter{Path: keep, Language: language, Kind: record.Kind(kind)}}
		r, err := retrieve.Ask(t.Context(), w.index(), q)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, &r)
		matches, err := retrieve.Search(t.Context(), w.index(), q)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[record.Path]bool{}
		for i, m := range matches {
			if first := !seen[m.Path]; first && i > 0 && m.Score > matches[i-1].Score {
				t.Errorf("%s scores %g behind %g", m.Path, m.Score, matches[i-1].Score)
			}
			seen[m.Path] = true
			if m.Score <= 0 || len(m.Why) == 0 || m.StartLine < 1 || m.EndLine < m.StartLine {
				t.Errorf("match %+v", m)
			}
		}
	})
}
