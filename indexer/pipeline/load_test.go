package pipeline_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// TestTheIndexDoesNotDependOnTheLoad indexes a tree on an idle machine, and again while ten
// threads for each processor keep it busy. One file of the tree hits the bound of the
// parser.
func TestTheIndexDoesNotDependOnTheLoad(t *testing.T) {
	hostile := "package a\n" + strings.Repeat("->", 10_000)
	tree := map[string]string{
		"a.go":       "package a\n\nfunc F() { G() }\n",
		"b.go":       "package a\n\nfunc G() {}\n",
		"hostile.go": hostile,
		"broken.go":  "package a\n\nfunc H() {\n\tif x {\n}\n\nfunc I() {}\n",
		"long.go":    "package a\n" + strings.Repeat("func f() { g(1, 2) }\n", 200),
	}
	idle := indexOf(t, tree)
	if got := idle["hostile.go"].File.Partial; got != languages.Costly {
		t.Errorf("Partial of hostile.go = %q, want %q", got, languages.Costly)
	}
	if got := idle["a.go"].File.Partial; got != "" {
		t.Errorf("Partial of a.go = %q, want none", got)
	}
	stop := load(10 * runtime.NumCPU())
	defer stop()
	if diff := cmp.Diff(idle, indexOf(t, tree)); diff != "" {
		t.Errorf("the index of a busy machine differs (-idle +busy):\n%s", diff)
	}
}

// indexOf returns the index of a tree without times.
func indexOf(t *testing.T, tree map[string]string) map[record.Path]record.FileRecord {
	t.Helper()
	w := newWorkspace(t, tree)
	if _, err := w.pipeline().Apply(context.Background(), w.plan(), nil); err != nil {
		t.Fatal(err)
	}
	for path, r := range w.files {
		r.File.ModTime = 0
		w.files[path] = r
	}
	return w.files
}

// load keeps n threads busy until stop is called.
func load(n int) (stop func()) {
	before := runtime.GOMAXPROCS(n + runtime.NumCPU())
	var done atomic.Bool
	var threads sync.WaitGroup
	for range n {
		threads.Go(func() {
			for !done.Load() { // the loop is the load
			}
		})
	}
	return func() {
		done.Store(true)
		threads.Wait()
		runtime.GOMAXPROCS(before)
	}
}
