package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ambit/server/api"
	"ambit/vectors/record"
)

// follow runs a session until the test ends. It returns a function that waits for a
// state.
func follow(t *testing.T, s *opened) (await func(name api.StateName) api.State) {
	t.Helper()
	await, end := following(t, s)
	t.Cleanup(end)
	return await
}

// following is like follow, but the session runs until the test calls end.
func following(t *testing.T, s *opened) (await func(name api.StateName) api.State, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	states, ended := make(chan api.State, 10_000), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(st api.State) { states <- st }) }()
	stopped := errors.New("the test ended")
	end = func() {
		cancel(stopped)
		if err := <-ended; !errors.Is(err, stopped) {
			t.Errorf("Run returned %v", err)
		}
	}
	await = func(name api.StateName) api.State {
		t.Helper()
		for {
			select {
			case st := <-states:
				if st.State == name {
					return st
				}
			case err := <-ended:
				ended <- stopped
				t.Fatalf("Run ended with %v before it was %s", err, name)
			}
		}
	}
	return await, end
}

func find(t *testing.T, s *opened, query string) string {
	t.Helper()
	results, err := s.Search(t.Context(), api.SearchQuestion{Query: query})
	if err != nil {
		t.Errorf("Search(%q): %v", query, err)
	}
	var names []string
	for _, r := range results.Results {
		names = append(names, string(r.Path)+" "+r.Identifier)
	}
	return strings.Join(names, ", ")
}

func TestRunFollowsReportedChanges(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n", "dir/b.go": "package dir\n\nfunc Beta() {}\n"})
	s := w.open()
	await := follow(t, s)
	if st := await(api.StateReady); st.Files != 2 || st.Pending != 0 {
		t.Errorf("got %+v, want 2 files and none pending", st)
	}
	w.write("c.go", "package p\n\nfunc Gamma() {}\n")
	w.remove("dir")
	s.Changed([]record.Path{"c.go", "dir", "never/there.go"})
	await(api.StateIndexing)
	await(api.StateReady)
	if got := find(t, s, "Gamma"); !strings.Contains(got, "c.go") {
		t.Errorf("the search misses a new file: %s", got)
	}
	if got := find(t, s, "Beta"); strings.Contains(got, "dir/b.go") {
		t.Errorf("the search finds a removed directory: %s", got)
	}
}

func TestResumeContinuesAPausedRun(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	s.Pause()
	await := follow(t, s)
	await(api.StatePaused)
	bundle, err := s.Context(t.Context(), at("a.go", 3, 6))
	if err != nil || bundle.Freshness.State != api.StatePaused || !strings.Contains(bundle.Text, "Alpha") {
		t.Errorf("got %+v, %v; want an answer from the file on disk that reports the pause", bundle, err)
	}
	s.Resume()
	await(api.StateReady)
	if got := find(t, s, "Alpha"); got == "" {
		t.Error("Run indexed nothing after Resume")
	}
}

func TestReindexReadsUnchangedFiles(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n", "dir/b.go": "package dir\n", "dir/c.go": "package dir\n"})
	s := w.open()
	index(t, s)
	for dir, want := range map[string]int{"": 3, "dir": 2, "dir/c.go": 1} {
		if n, err := s.Reindex(t.Context(), api.ReindexQuestion{Path: dir}, func(api.Progress) {}); n.Files != want || err != nil {
			t.Errorf("Reindex(%q) = %d, %v; want %d files", dir, n.Files, err, want)
		}
	}
	if _, err := s.Reindex(t.Context(), api.ReindexQuestion{Path: "missing"}, func(api.Progress) {}); !errors.Is(err, api.ErrQuestion) {
		t.Errorf("Reindex of a missing path: %v, want %v", err, api.ErrQuestion)
	}
}

func TestAnswersDuringIndexingAndEditing(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 300 {
		files[fmt.Sprintf("f%03d.go", i)] = fmt.Sprintf("package p\n\nfunc Work%d() { Work%d() }\n", i, (i+1)%300)
	}
	w := newTree(t, files)
	s := w.open()
	await := follow(t, s)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 40 {
				name := fmt.Sprintf("Edited%dx%d", n, i)
				path := fmt.Sprintf("f%03d.go", n)
				d := document(path, "go", "package p\n\nfunc "+name+"() { Work7() }\n")
				s.SetDocument(d)
				q := at(path, 3, 7)
				q.TextDocument.Document = d
				answer, err := s.Context(t.Context(), q)
				if err != nil || !strings.Contains(answer.Text, name) {
					t.Errorf("Context of %s: %v", name, err)
				}
				if got := find(t, s, name); !strings.Contains(got, name) {
					t.Errorf("%s is not found: %s", name, got)
				}
				if _, err := s.Hover(t.Context(), api.HoverQuestion{Place: placeOf(t, q)}); err != nil {
					t.Errorf("Hover: %v", err)
				}
				s.Changed([]record.Path{record.Path(path)})
				s.CloseDocument(record.Path(path))
			}
		})
	}
	all.Wait()
	await(api.StateReady)
	if got := find(t, s, "Edited1x39"); strings.Contains(got, "Edited") {
		t.Errorf("the search finds a closed document: %s", got)
	}
}

func TestCancelledQuestionReturns(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Context(ctx, at("a.go", 3, 6)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestEachClientSeesItsOwnDocuments(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	one, two := s.next(), s.next()
	one.SetDocument(document("a.go", "go", "package p\n\nfunc Giraffe() {}\n"))
	two.SetDocument(document("b.go", "go", "package p\n\nfunc Okapi() {}\n"))
	for _, tt := range []struct {
		name        string
		s           *opened
		want, lacks string
	}{
		{"the first", one, "Giraffe", "Okapi"},
		{"the second", two, "Okapi", "Giraffe"},
		{"one without buffers", s, "Alpha", "Okapi"},
	} {
		if got := find(t, tt.s, "Alpha Giraffe Okapi"); !strings.Contains(got, tt.want) || strings.Contains(got, tt.lacks) {
			t.Errorf("%s finds %q, want %s and not %s", tt.name, got, tt.want, tt.lacks)
		}
	}
	w.write("c.go", "package p\n\nfunc Zebra() {}\n")
	index(t, two)
	if got := find(t, one, "Zebra"); !strings.Contains(got, "c.go Zebra") {
		t.Errorf("one client indexed Zebra, another finds %q", got)
	}
	if err := one.Workspace.Close(); err != nil {
		t.Errorf("close one: %v", err)
	}
	if got := find(t, two, "Okapi"); !strings.Contains(got, "b.go Okapi") {
		t.Errorf("after the first has closed, the second finds %q", got)
	}
}
