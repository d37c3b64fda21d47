package session_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"ambit/server/assemble"
	"ambit/server/session"
)

// follow runs a session until the test ends. It returns a function that waits for a
// state.
func follow(t *testing.T, s *session.Session) (await func(name string) session.State) {
	t.Helper()
	await, end := following(t, s)
	t.Cleanup(end)
	return await
}

// following is follow until end is called.
func following(t *testing.T, s *session.Session) (await func(name string) session.State, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(context.Background())
	states, ended := make(chan session.State, 10_000), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func(st session.State) { states <- st }) }()
	stopped := errors.New("the test ended")
	end = func() {
		cancel(stopped)
		if err := <-ended; !errors.Is(err, stopped) {
			t.Errorf("Run returned %v", err)
		}
	}
	await = func(name string) session.State {
		t.Helper()
		for {
			select {
			case st := <-states:
				if st.Name == name {
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

func find(t *testing.T, s *session.Session, query string) string {
	t.Helper()
	results, err := s.Search(t.Context(), session.Search{Query: query})
	if err != nil {
		t.Errorf("Search(%q): %v", query, err)
	}
	var names []string
	for _, r := range results.Results {
		names = append(names, r.Path+" "+r.Identifier)
	}
	return strings.Join(names, ", ")
}

func TestRunFollowsWhatItIsTold(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n", "dir/b.go": "package dir\n\nfunc Beta() {}\n"})
	s := w.open()
	await := follow(t, s)
	if st := await(session.Ready); st.Files != 2 || st.Pending != 0 {
		t.Errorf("got %+v, want 2 files and none pending", st)
	}
	w.write("c.go", "package p\n\nfunc Gamma() {}\n")
	w.remove("dir")
	s.Changed([]string{"c.go", "dir", "never/there.go"})
	await(session.Indexing)
	await(session.Ready)
	if got := find(t, s, "Gamma"); !strings.Contains(got, "c.go") {
		t.Errorf("a new file is not found: %s", got)
	}
	if got := find(t, s, "Beta"); strings.Contains(got, "dir/b.go") {
		t.Errorf("a removed directory is found: %s", got)
	}
}

func TestAPausedRunGoesOnWhenItIsResumed(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	s.Pause()
	await := follow(t, s)
	await(session.Paused)
	bundle, err := s.Context(t.Context(), session.Question{File: "a.go", Line: 3, Column: 6, Cost: plain})
	if err != nil || bundle.Freshness.State != session.Paused || !strings.Contains(bundle.Text, "Alpha") {
		t.Errorf("got %+v, %v; want an answer from the file as it is, that says so", bundle, err)
	}
	s.Resume()
	await(session.Ready)
	if got := find(t, s, "Alpha"); got == "" {
		t.Error("nothing is indexed after Resume")
	}
}

func TestReindexReadsUnchangedFilesAnew(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n", "dir/b.go": "package dir\n", "dir/c.go": "package dir\n"})
	s := w.open()
	index(t, s)
	for dir, want := range map[string]int{"": 3, "dir": 2, "dir/c.go": 1} {
		if n, err := s.Reindex(t.Context(), dir, func(session.State) {}); n != want || err != nil {
			t.Errorf("Reindex(%q) = %d, %v; want %d files", dir, n, err, want)
		}
	}
	if _, err := s.Reindex(t.Context(), "missing", func(session.State) {}); !errors.Is(err, session.ErrQuestion) {
		t.Errorf("Reindex of nothing: %v, want %v", err, session.ErrQuestion)
	}
}

func TestAnswersGoOnBesideIndexingAndEditing(t *testing.T) {
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
				b := session.NewBuffer(path, "go", []byte("package p\n\nfunc "+name+"() { Work7() }\n"))
				s.SetBuffer(b)
				at := session.Place{File: path, Offset: 18, Buffer: b}
				bundle, err := s.Context(t.Context(), session.Question{At: &at, Cost: plain})
				if err != nil || !strings.Contains(bundle.Text, name) {
					t.Errorf("Context of %s: %v", name, err)
				}
				if got := find(t, s, name); !strings.Contains(got, name) {
					t.Errorf("%s is not found: %s", name, got)
				}
				if _, err := s.Card(t.Context(), at); err != nil {
					t.Errorf("Card: %v", err)
				}
				s.Changed([]string{path})
				s.CloseBuffer(path)
			}
		})
	}
	all.Wait()
	await(session.Ready)
	if got := find(t, s, "Edited1x39"); strings.Contains(got, "Edited") {
		t.Errorf("a closed buffer is found: %s", got)
	}
}

func TestACancelledQuestionEnds(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Context(ctx, session.Question{File: "a.go", Line: 3, Column: 6, Cost: assemble.Cost{Render: plain.Render}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func TestEachOfTwoClientsSeesItsOwnBuffers(t *testing.T) {
	w := newTree(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", "a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	one, two := s.Beside(), s.Beside()
	one.SetBuffer(session.NewBuffer("a.go", "go", []byte("package p\n\nfunc Giraffe() {}\n")))
	two.SetBuffer(session.NewBuffer("b.go", "go", []byte("package p\n\nfunc Okapi() {}\n")))
	for _, tt := range []struct {
		name        string
		s           *session.Session
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
		t.Errorf("what one client indexes, another finds as %q", got)
	}
	if err := one.Close(); err != nil {
		t.Errorf("close one: %v", err)
	}
	if got := find(t, two, "Okapi"); !strings.Contains(got, "b.go Okapi") {
		t.Errorf("after the first has closed, the second finds %q", got)
	}
}
