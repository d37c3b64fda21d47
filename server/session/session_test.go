package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// tree is a workspace on disk and the cache of its index.
type tree struct {
	t     *testing.T
	dir   string
	cache string
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	w := &tree{t, t.TempDir(), t.TempDir()}
	for path, text := range files {
		w.write(path, text)
	}
	return w
}

// write writes a file with a modification time in the past, which the index trusts. Each
// write has a different time.
func (w *tree) write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(full, at, at); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tree) remove(path string) {
	w.t.Helper()
	if err := os.RemoveAll(filepath.Join(w.dir, path)); err != nil {
		w.t.Fatal(err)
	}
}

// open opens the workspace. At the end of the test it closes the session and checks the
// index.
func (w *tree) open(edit ...func(*config.Settings)) *opened {
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
	w.t.Cleanup(func() { w.close(s) })
	return s
}

// close closes the session and checks its index. Closing twice is fine.
func (w *tree) close(s *opened) {
	w.t.Helper()
	if err := s.Close(); err != nil {
		w.t.Errorf("Close: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(w.cache, "*", "index.db"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("got indexes %q, want one", found)
	}
	db, err := store.Open(found[0], store.Options{})
	if err != nil {
		w.t.Fatalf("open the index: %v", err)
	}
	defer db.Close()
	if err := storetest.Check(context.Background(), db); err != nil {
		w.t.Errorf("check the index: %v", err)
	}
}

func index(t *testing.T, s *opened) api.Report {
	t.Helper()
	report, err := s.Index(t.Context(), nil)
	if err != nil {
		t.Fatalf("Index: %v", err)
	}
	return report
}

func ask(t *testing.T, s *opened, q api.Question) string {
	t.Helper()
	answer, err := s.Context(t.Context(), q)
	if err != nil {
		t.Fatalf("Context(%+v): %v", q, err)
	}
	return answer.Text
}

// dump returns the content of an index in a form that does not depend on the order of
// writes.
func dump(t *testing.T, s *opened, queries ...string) []string {
	t.Helper()
	status, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatalf("Status: %v", err)
	}
	lines := []string{fmt.Sprint(status.Files, status.Chunks, status.Languages, status.LeftOut)}
	for _, query := range queries {
		found, err := s.Search(t.Context(), api.SearchQuestion{Query: query, Limit: 20})
		if err != nil {
			t.Fatalf("Search(%q): %v", query, err)
		}
		for _, r := range found.Results {
			lines = append(lines, fmt.Sprintf("%s: %s:%d %s %s %.9f", query, r.Path, r.StartLine, r.Identifier, r.Kind, r.Score))
			for _, w := range r.Why { // the sum of a map differs in its last bit
				lines = append(lines, fmt.Sprintf("%s %.9f", w.Name, w.Score))
			}
			chunks, err := s.Chunks(t.Context(), chunksOf(r.Path))
			if err != nil {
				t.Fatalf("Chunks(%s): %v", r.Path, err)
			}
			for _, c := range chunks.Chunks {
				line, err := json.Marshal(c)
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, string(line))
			}
		}
	}
	return lines
}

func TestIncrementalIndexEqualsOneFromScratch(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "README.md": "# Shop\n\nHow carts are paid.\n"})
	random := rand.New(rand.NewPCG(1, 2))
	words := 0 // grows with each file, so that no two answers rank equally
	source := func() string {
		text := "package shop\n"
		for range 1 + random.IntN(4) {
			n := random.IntN(30)
			words++
			text += fmt.Sprintf("\n// Pay%d pays the cart%s.\nfunc Pay%d(cart int) int { return Pay%d(cart) + %d }\n",
				n, strings.Repeat(" and more", words), n, random.IntN(30), words)
		}
		return text
	}
	for step := range 12 {
		for range 1 + random.IntN(20) {
			path := fmt.Sprintf("pkg%d/file%d.go", random.IntN(3), random.IntN(30))
			if random.IntN(4) == 0 {
				w.remove(path)
			} else {
				w.write(path, source())
			}
		}
		if step == 6 {
			w.remove("pkg1")
		}
		grown := w.open()
		index(t, grown)
		scratch := &tree{t, w.dir, t.TempDir()}
		fresh := scratch.open()
		index(t, fresh)
		queries := []string{"pay the cart", "Pay7", "shop"}
		if diff := cmp.Diff(dump(t, fresh, queries...), dump(t, grown, queries...)); diff != "" {
			t.Fatalf("step %d (-scratch +grown):\n%s", step, diff)
		}
		w.close(grown)
		scratch.close(fresh)
	}
}

func TestReopenedIndexAnswersTheSame(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 200 { // enough for the views to be saved
		files[fmt.Sprintf("f%03d.go", i)] = fmt.Sprintf("package p\n\n// Work%d does the work.\nfunc Work%d() { Work%d() }\n", i, i, (i*7)%200)
	}
	w := newTree(t, files)
	s := w.open()
	if report := index(t, s); report.Indexed != 200 {
		t.Errorf("got %+v, want 200 files indexed", report)
	}
	queries := []string{"does the work", "Work17", "edited"}
	cursor := at("f018.go", 4, 6)
	want, wantText := dump(t, s, queries...), ask(t, s, cursor)
	w.close(s)

	s = w.open()
	if report := index(t, s); report.Indexed+report.LeftOut+report.Touched+report.Removed+report.Enriched > 0 {
		t.Errorf("reopened: got %+v, want no change", report)
	}
	if diff := cmp.Diff(want, dump(t, s, queries...)); diff != "" {
		t.Errorf("reopened (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(wantText, ask(t, s, cursor)); diff != "" {
		t.Errorf("reopened (-before +after):\n%s", diff)
	}

	// The session does not save the views after a few changes; Open applies these again.
	w.write("f003.go", "package p\n\nfunc Edited() { Work17() }\n")
	w.remove("f017.go")
	index(t, s)
	want = dump(t, s, queries...)
	w.close(s)
	if diff := cmp.Diff(want, dump(t, w.open(), queries...)); diff != "" {
		t.Errorf("reopened after changes (-before +after):\n%s", diff)
	}
}

func TestAnswerIsNeverStale(t *testing.T) {
	w := newTree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		"a.go":      "package p\n\nfunc Caller() int { return Callee() }\n",
		"b.go":      "package p\n\n// Callee is old.\nfunc Callee() int { return 1 }\n",
	})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	cursor := at("a.go", 3, 6)
	if got := ask(t, s, cursor); !strings.Contains(got, "Callee is old") {
		t.Fatalf("got %q, want what the caller calls", got)
	}
	w.write("b.go", "package p\n\nvar one = 1\n\n// Callee is new.\nfunc Callee() int { return one }\n")
	if got := ask(t, s, cursor); !strings.Contains(got, "Callee is new") || strings.Contains(got, "old") {
		t.Errorf("after an edit of another file: got %q", got)
	}
	w.write("a.go", "package p\n\n\n\nfunc Other() int { return Callee() * 2 }\n")
	if got := ask(t, s, at("a.go", 5, 6)); !strings.Contains(got, "Other") {
		t.Errorf("after an edit around the cursor: got %q", got)
	}
	w.remove("b.go")
	if got := ask(t, s, api.Question{Query: "Callee"}); strings.Contains(got, "Callee is") {
		t.Errorf("after a file was removed: got %q", got)
	}
	status, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if status.Generation != 1 {
		t.Errorf("got generation %d, want 1: questions must not write", status.Generation)
	}
}

func TestInterruptedIndexingResumes(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 1200 { // more than two batches
		files[fmt.Sprintf("f%04d.txt", i)] = fmt.Sprintf("The words of file %d.\n", i)
	}
	w := newTree(t, files)
	s := w.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := s.Index(ctx, func(p api.Progress) {
		if p.Done == 1100 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	w.close(s) // checks the index
	s = w.open()
	index(t, s)
	status, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if status.Files != 1200 || status.Pending != 0 {
		t.Errorf("got %d files and %d pending, want 1200 and 0", status.Files, status.Pending)
	}
}

func TestSecondProcessGetsErrInUse(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n"})
	w.open()
	set := config.Defaults()
	set.CacheDir = w.cache
	_, err := openSession(t.Context(), w.dir, session.Options{Settings: &set, LockTimeout: time.Millisecond})
	if !errors.Is(err, store.ErrInUse) || !strings.HasSuffix(err.Error(), "or end it") {
		t.Errorf("got error %v, want %v with the next step", err, store.ErrInUse)
	}
}

func TestSettingsReachTheIndex(t *testing.T) {
	w := newTree(t, map[string]string{
		".git/HEAD": "ref: refs/heads/main\n",
		"a.go":      "package p\n\nfunc Kept() {}\n",
		"b.go":      "package p\n\nfunc Excluded() {}\n",
		"big.go":    "package p\n" + strings.Repeat("// many words\n", 100),
	})
	s := w.open(func(set *config.Settings) {
		set.Exclude = []string{"b.go"}
		set.MaxFileBytes = 1000
	})
	index(t, s)
	status, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if status.Files != 1 || len(status.LeftOut) != 1 || status.LeftOut[0].Path != "big.go" {
		t.Errorf("got %d indexed files and %v left out, want 1 and big.go", status.Files, status.LeftOut)
	}
	w.close(s)

	// Another recipe rebuilds the index and sets a notice.
	s = w.open(func(set *config.Settings) { set.ASTChunking = false })
	if s.Notice() == "" {
		t.Error("got no notice of an index made with another recipe")
	}
	if report := index(t, s); report.Indexed != 3 {
		t.Errorf("got %+v, want 3 files indexed again", report)
	}
	w.close(s)
	moved, err := filepath.Glob(filepath.Join(w.cache, "*", "index.db*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range moved {
		if filepath.Base(path) != "index.db" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRebuildStartsANewIndex(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n"})
	s := w.open()
	index(t, s)
	w.close(s)
	set := config.Defaults()
	set.CacheDir = w.cache
	s, err := openSession(t.Context(), w.dir, session.Options{Settings: &set, Rebuild: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.close(s)
	if report := index(t, s); report.Indexed != 1 {
		t.Errorf("got %+v, want 1 file indexed again", report)
	}
}

func TestStatusListsFilesLeftOut(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n", "b.bin": "\x00", ".env": "A=1\n", ".git/HEAD": "ref: refs/heads/main\n"})
	s := w.open()
	before, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	if before.Pending != 3 {
		t.Errorf("before Index: got %d pending, want 3", before.Pending)
	}
	index(t, s)
	after, err := s.Status(t.Context(), api.StatusQuestion{Scan: true})
	if err != nil {
		t.Fatal(err)
	}
	reasons := []string{}
	for _, l := range after.LeftOut {
		reasons = append(reasons, string(l.Path)+" "+l.Reason)
	}
	slices.Sort(reasons)
	if diff := cmp.Diff([]string{".env secret", "b.bin binary"}, reasons); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	if after.Pending != 0 || after.Languages["go"] != 1 {
		t.Errorf("got %+v, want nothing pending and one Go file", after)
	}
}
