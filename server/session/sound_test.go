package session_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"ambit/server/session"
	"ambit/vectors/storetest"
)

func TestWhatTheStoreDoesNotHoldAnyMoreIsAskedAgain(t *testing.T) {
	w := newTree(t, map[string]string{"a.go": "package p\n\nfunc Alpha() {}\n"})
	s := w.open()
	index(t, s)
	asked := 0
	got, err := session.Sound(s, func() (int, error) {
		if asked++; asked == 1 {
			w.write("b.go", "package p\n\nfunc Beta() {}\n")
			index(t, s)
			panic("a symbol that is not in its file any more")
		}
		return asked, nil
	})
	if got != 2 || err != nil {
		t.Errorf("got %d, %v; want the second answer", got, err)
	}
	func() {
		defer func() {
			if cause := recover(); cause != "a bug" {
				t.Errorf("a bug came to %v, want a panic", cause)
			}
		}()
		got, err := session.Sound(s, func() (int, error) { panic("a bug") })
		t.Errorf("a bug came to %d, %v", got, err)
	}()
}

func TestAnAnswerThatFindsTheIndexDamagedIsNone(t *testing.T) {
	for name, then := range map[string]func(){"and goes on": func() {}, "and goes astray": func() { panic("no such symbol") }} {
		base := t.TempDir()
		g := newGarden(t, base+"/tree")
		g.write("a.go", "package p\n\nfunc Alpha() {}\n")
		s := openAt(t, g.dir, base+"/cache", false)
		index(t, s)
		path := session.Stored(s).Path()
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteAt(bytes.Repeat([]byte{0xa5}, 100_000), 2*4096)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			t.Fatal(err)
		}
		_, err = session.Sound(s, func() (int, error) {
			if err := storetest.Check(t.Context(), session.Stored(s)); err == nil {
				t.Errorf("%s: the damage is not found", name)
			}
			then()
			return 1, nil
		})
		if !errors.Is(err, session.ErrDamaged) {
			t.Errorf("who finds it %s gets %v, want %v", name, err, session.ErrDamaged)
		}
		closeSession(t, s)
	}
}

// The views of a session are as they were loaded while the file below them is spoilt, in
// a region after the other: what they lead to may not be there any more.
func TestAnAnswerFromAnIndexThatIsSpoiltMeanwhileIsAnErrorAtMost(t *testing.T) {
	base := t.TempDir()
	g := newGarden(t, base+"/tree")
	a := newAuthor(7)
	for i := range grove {
		g.write(fmt.Sprintf("%d/f%03d%s", i%7, i, a.pick(extensions)), a.text(".go"))
	}
	s := openAt(t, g.dir, base+"/cache", false)
	path := session.Stored(s).Path()
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
		s := openAt(t, g.dir, base+"/cache", false)
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
			word := a.word()
			_, err := s.Context(t.Context(), session.Question{Query: word, Cost: plain})
			if err == nil {
				_, err = s.Search(t.Context(), session.Search{Query: word})
			}
			if p := g.any(a); err == nil {
				_, err = s.Related(t.Context(), session.Place{File: p}, 20)
			}
			switch {
			case err == nil:
				answered++
			case errors.Is(err, session.ErrDamaged):
				damaged++
			case !errors.Is(err, session.ErrQuestion):
				t.Errorf("noise at %d: %v", from, err)
			}
		}
		closeSession(t, s)
	}
	t.Logf("%d answers, %d refusals", answered, damaged)
	if answered+damaged == 0 {
		t.Error("nothing was asked that is in the index")
	}
}
