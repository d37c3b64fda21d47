package attach_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/server/attach"
)

func TestWhoAsksNoticesNothingOfAnIndexThatIsDamagedMeanwhile(t *testing.T) {
	w := newTree(t, harbour)
	notes := make(chan string, 10)
	noting := func(o *attach.Options) { o.Notify = func(line string) { notes <- line } }
	owner, other := w.open(noting), w.open(noting)
	owner.index()
	other.index()
	want := other.find("sail the ship")
	status, err := owner.Stored(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(status.Index)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(status.Index, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096 // two of them say where the others are
	used := len(bytes.TrimRight(data, "\x00"))
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, used-2*page), 2*page); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
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
	kept, err := filepath.Glob(filepath.Join(filepath.Dir(status.Index), "index.db.bad-*"))
	if len(kept) != 1 || err != nil {
		t.Errorf("kept %q, %v; want the damaged index once", kept, err)
	}
}
