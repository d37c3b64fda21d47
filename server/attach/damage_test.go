package attach_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/attach"
	"ambit/server/session"
)

// spoil damages the index while it is open, and returns its path.
func (k *client) spoil() string {
	k.t.Helper()
	status, err := k.Stored(k.t.Context())
	if err != nil {
		k.t.Fatal(err)
	}
	data, err := os.ReadFile(status.Index)
	if err != nil {
		k.t.Fatal(err)
	}
	file, err := os.OpenFile(status.Index, os.O_WRONLY, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	const page = 4096 // two of them say where the others are
	used := len(bytes.TrimRight(data, "\x00"))
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, used-2*page), 2*page); err != nil {
		k.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		k.t.Fatal(err)
	}
	return status.Index
}

func TestWhoAsksNoticesNothingOfAnIndexThatIsDamagedMeanwhile(t *testing.T) {
	w := newTree(t, harbour)
	notes := make(chan string, 10)
	noting := func(o *attach.Options) { o.Notify = func(line string) { notes <- line } }
	owner, other := w.open(noting), w.open(noting)
	owner.index()
	other.index()
	want := other.find("sail the ship")
	index := owner.spoil()
	for range 2 {
		for _, k := range []*client{other, owner} {
			if got := k.find("sail the ship"); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
			if _, text, err := k.Chunks(t.Context(), "ship.go"); err != nil || !strings.Contains(string(text), "Ship floats") {
				t.Errorf("Chunks: %q, %v", text, err)
			}
		}
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	} else if note := <-notes; !strings.Contains(note, "was damaged") {
		t.Errorf("the note is %q", note)
	}
	kept, err := filepath.Glob(filepath.Join(filepath.Dir(index), "index.db.bad-*"))
	if len(kept) != 1 || err != nil {
		t.Errorf("kept %q, %v; want the damaged index once", kept, err)
	}
}

func TestAnIndexThatIsDamagedAgainAndAgainIsBuiltLessAndLessOften(t *testing.T) {
	const s = time.Second
	want := []time.Duration{0, s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s, 60 * s, 0}
	if diff := cmp.Diff(want, attach.Relapses(10)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}

	w := newTree(t, harbour)
	notes := make(chan string, 10)
	own := w.open(func(o *attach.Options) { o.Notify = func(line string) { notes <- line } })
	own.index()
	found := own.find("sail the ship")
	own.spoil()
	if got := own.find("sail the ship"); got != found {
		t.Errorf("damaged once, it finds %q, want %q", got, found)
	}
	own.spoil()
	// Unless the machine takes a second over it, this is told to wait.
	_, text, err := own.Chunks(t.Context(), "ship.go")
	if err == nil && !strings.Contains(string(text), "Ship floats") ||
		err != nil && !strings.Contains(err.Error(), "was damaged 2 times in a row, the next is begun in 1s; check the disk or choose another cache folder") {
		t.Errorf("damaged twice, it says %q, %v, want what to do", text, err)
	}
	for err != nil { // until the second is over
		_, err = own.Search(t.Context(), session.Search{Query: "sail the ship"})
	}
	if got := own.find("sail the ship"); got != found {
		t.Errorf("damaged twice, it finds %q in the end, want %q", got, found)
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	}
}
