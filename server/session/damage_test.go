package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
	"ambit/server/session"
	"ambit/server/snapshot"
	"ambit/vectors/storetest"
)

// readers returns the number of snapshots that are not released.
func readers(t *testing.T, s *opened) int {
	t.Helper()
	stats, err := storetest.Stats(context.Background(), session.Stored(s.session))
	if err != nil {
		t.Fatal(err)
	}
	return stats.Readers - 1
}

func TestEveryQuestionReleasesItsSnapshot(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	failed := errors.New("failed")
	ctx, cancel := context.WithCancelCause(t.Context())
	for _, tt := range []struct {
		name string
		ctx  context.Context
		f    func(*snapshot.Snapshot) error
		want error
	}{
		{"an answer", t.Context(), func(v *snapshot.Snapshot) error {
			if n := readers(t, s); n != 1 {
				t.Errorf("%d snapshots are held during a question, want 1", n)
			}
			return v.Check("a.go")
		}, nil},
		{"an error", t.Context(), func(*snapshot.Snapshot) error { return failed }, failed},
		{"a file that is not there", t.Context(), func(v *snapshot.Snapshot) error { return v.Check("b.go") }, api.ErrQuestion},
		{"a cancellation", ctx, func(v *snapshot.Snapshot) error {
			cancel(failed)
			_, err := v.Content(ctx, "a.go")
			return err
		}, failed},
		{"a context that is done", ctx, nil, failed},
	} {
		if err := session.Ask(tt.ctx, s.Workspace, tt.f); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if n := readers(t, s); n != 0 {
			t.Errorf("after %s, %d snapshots are held", tt.name, n)
		}
	}
	func() {
		defer func() {
			if cause := recover(); cause != "a bug" {
				t.Errorf("a panic in a question became %v, want the panic", cause)
			}
		}()
		_ = session.Ask(t.Context(), s.Workspace, func(*snapshot.Snapshot) error { panic("a bug") })
	}()
	if n := readers(t, s); n != 0 {
		t.Errorf("after a panic, %d snapshots are held", n)
	}
}

// While a snapshot is held, bbolt keeps the pages that the snapshot reads, so the index
// grows with each batch.
func TestQuestionsDoNotMakeTheIndexGrow(t *testing.T) {
	size := func(question func(s *opened, round int)) int64 {
		w := newTree(t, map[string]string{})
		s := w.open()
		for round := range 60 {
			for i := range 5 {
				w.write(fmt.Sprintf("f%d.go", i), fmt.Sprintf("package p\n\n// Work%d is of round %d.\nfunc Work%d() {}\n", i, round, i))
			}
			index(t, s)
			question(s, round)
		}
		return status(t, s).IndexBytes
	}
	silent := size(func(*opened, int) {})
	asked := size(func(s *opened, round int) {
		contextOf(t, s, "work")
		find(t, s, fmt.Sprintf("Work%d", round%5))
	})
	if asked > silent {
		t.Errorf("the index has %d bytes with questions and %d without", asked, silent)
	}
}

func TestQuestionOnADamagedIndexFails(t *testing.T) {
	for name, then := range map[string]func(){"and goes on": func() {}, "and goes astray": func() { panic("no such symbol") }} {
		base := t.TempDir()
		g := treetest.New(t, base+"/tree")
		g.Write("a.go", "package p\n\nfunc Alpha() {}\n")
		s := openAt(t, g.Dir, base+"/cache", false)
		index(t, s)
		file, err := os.OpenFile(session.Stored(s.session).Path(), os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, 100_000), 2*4096)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		err = session.Ask(t.Context(), s.Workspace, func(*snapshot.Snapshot) error {
			if err := storetest.Check(t.Context(), session.Stored(s.session)); err == nil {
				t.Errorf("%s: the session does not report the damage", name)
			}
			then()
			return nil
		})
		if !errors.Is(err, api.ErrDamaged) {
			t.Errorf("a question on an index that is %s returns %v, want %v", name, err, api.ErrDamaged)
		}
		closeSession(t, s)
	}
}

// The test corrupts one region of the index file after the other. The views of the
// session stay as they were loaded, and may point to records that no longer exist.
func TestDamageWhileOpenIsAtMostAnError(t *testing.T) {
	base := t.TempDir()
	g := treetest.New(t, base+"/tree")
	a := treetest.NewAuthor(7)
	for i := range grove {
		g.Write(fmt.Sprintf("%d/f%03d%s", i%7, i, a.Pick(treetest.Extensions)), a.Text(".go"))
	}
	s := openAt(t, g.Dir, base+"/cache", false)
	path := session.Stored(s.session).Path()
	index(t, s)
	closeSession(t, s)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	answered, damaged := 0, 0
	const regions = 12
	for i := range regions {
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openAt(t, g.Dir, base+"/cache", false)
		from := 2*4096 + i*(len(whole)-2*4096)/regions
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		noise := make([]byte, min(12<<10, len(whole)-from))
		for j := range noise {
			noise[j] = byte(a.Uint32())
		}
		if _, err := f.WriteAt(noise, int64(from)); err != nil {
			t.Fatal(err)
		}
		f.Close()
		for range 6 {
			word := a.Word()
			_, err := s.Context(t.Context(), api.Question{Query: word})
			if err == nil {
				_, err = s.Search(t.Context(), api.SearchQuestion{Query: word})
			}
			if p := g.Any(a); err == nil {
				_, err = s.Related(t.Context(), api.RelatedQuestion{Place: placeOf(t, at(p, 1, 1))})
			}
			switch {
			case err == nil:
				answered++
			case errors.Is(err, api.ErrDamaged):
				damaged++
			case !errors.Is(err, api.ErrQuestion):
				t.Errorf("noise at %d: %v", from, err)
			}
		}
		closeSession(t, s)
	}
	t.Logf("%d answers, %d errors", answered, damaged)
	if answered+damaged == 0 {
		t.Error("every question failed before it read the index")
	}
}
