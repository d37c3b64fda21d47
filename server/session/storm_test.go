package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
)

// stormFiles is the number of files that a storm writes, more than a question lists one by one.
const stormFiles = 2100

// storms are changes by other programs that make Run scan the whole tree.
var storms = []struct {
	name  string
	start func(g *treetest.Tree, round int)
}{
	{"a checkout", func(g *treetest.Tree, round int) {
		g.Git("checkout", "-q", "-f", []string{"one", "two"}[round%2])
	}},
	{"a directory full of writes", func(g *treetest.Tree, round int) {
		for i := range stormFiles {
			g.Put(fmt.Sprintf("out/d%d/f%d.txt", i%20, i), fmt.Sprintf("round %d of file %d\n", round, i))
		}
	}},
	{"other ignore rules", func(g *treetest.Tree, round int) {
		g.Put(".gitignore", fmt.Sprintf("*.log\n/part%d/\n", round%10))
	}},
	{"events that are lost", func(g *treetest.Tree, _ int) { // the watcher misses events while the root is moved away
		away := g.Dir + ".away"
		g.Must(os.Rename(g.Dir, away))
		g.Must(os.Rename(away, g.Dir))
	}},
}

// newStormRepository returns a repository whose two branches differ in many files.
func newStormRepository(t *testing.T) *treetest.Tree {
	t.Helper()
	g := treetest.New(t, filepath.Join(t.TempDir(), "tree"))
	g.Git("init", "-q", "-b", "one")
	for _, branch := range []string{"one", "two"} {
		for i := range stormFiles {
			g.Put(fmt.Sprintf("part%d/f%d.go", i%10, i), fmt.Sprintf("package p\n\n// Work%d is of branch %s.\nfunc Work%d() {}\n", i, branch, i))
		}
		g.Git("checkout", "-q", "-B", branch)
		g.Git("add", "-A")
		g.Git("commit", "-q", "-m", branch)
	}
	return g
}

// letters returns a word for a number.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%05d", n))
}

// openPatient opens a long-lived session with this patience, until the test ends.
func openPatient(t *testing.T, dir, cache string, patience time.Duration) *opened {
	t.Helper()
	set := config.Defaults()
	set.CacheDir, set.MaxFileBytes = cache, maxBytes
	s, err := openSession(t.Context(), dir, session.Options{Settings: &set, LongLived: true, Patience: patience})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() { closeSession(t, s) })
	return s
}

// startRun runs a session until the test ends and ignores its states.
func startRun(t *testing.T, s *opened) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(api.State) {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("Run returned %v", err)
		}
	})
}

// writeEdit writes a file with a word that no other file has.
func writeEdit(g *treetest.Tree, round int) (path, word string) {
	word, path = "Quokka"+letters(round), fmt.Sprintf("edited/e%d.go", round%7)
	g.Put(path, "package edited\n\n// "+word+" hops.\nfunc "+word+"() {}\n")
	return path, word
}

// TestNextAnswerHasAnEditMadeDuringAStorm asks right after each edit, while Run still
// works on the storms before it.
func TestNextAnswerHasAnEditMadeDuringAStorm(t *testing.T) {
	rounds, first := seeds(t, 8)
	g := newStormRepository(t)
	s := openPatient(t, g.Dir, t.TempDir(), time.Hour) // long enough for a busy machine
	startRun(t, s)
	for i := range rounds {
		round := int(first) + i
		storm := storms[round%len(storms)]
		storm.start(g, round/len(storms))
		path, word := writeEdit(g, round)
		if round/len(storms)%2 == 0 {
			if b := contextOf(t, s, word); !strings.Contains(b.Text, "func "+word) {
				t.Fatalf("round %d: after %s the answer lacks an edit, with freshness %+v:\n%s", round, storm.name, b.Freshness, b.Text)
			}
		} else if got := find(t, s, word); !strings.Contains(got, path+" "+word) {
			t.Fatalf("round %d: after %s the search misses an edit: %s", round, storm.name, got)
		}
	}
}

func TestAnswerThatLacksAnEditReportsPending(t *testing.T) {
	if testing.Short() {
		t.Skip("two rounds of every storm")
	}
	g := newStormRepository(t)
	s := openPatient(t, g.Dir, t.TempDir(), time.Nanosecond)
	startRun(t, s)
	for round := range 2 * len(storms) {
		storm := storms[round%len(storms)]
		storm.start(g, round/len(storms))
		path, word := writeEdit(g, round)
		found, err := s.Search(t.Context(), api.SearchQuestion{Query: word})
		if err != nil {
			t.Fatal(err)
		}
		has := slices.ContainsFunc(found.Results, func(r api.Match) bool { return string(r.Path) == path && r.Identifier == word })
		if found.Freshness.Pending == 0 && !has {
			t.Errorf("round %d: after %s the search misses an edit, with freshness %+v", round, storm.name, found.Freshness)
		}
		b := contextOf(t, s, word)
		says := b.Freshness.Pending > 0 && (b.Freshness.State == api.StateIndexing || b.Freshness.State == api.StateStarting || b.Freshness.State == api.StateFailed)
		if !says && !strings.Contains(b.Text, "func "+word) {
			t.Errorf("round %d: after %s the answer lacks an edit, with freshness %+v:\n%s", round, storm.name, b.Freshness, b.Text)
		}
	}
}

func TestCancelEndsTheWaitForAStorm(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n"})
	s := openPatient(t, w.dir, w.cache, time.Hour)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := s.Search(ctx, api.SearchQuestion{Query: "p"}); !errors.Is(err, context.Canceled) { // the test never calls Run
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
