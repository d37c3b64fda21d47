package attach_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/attach"
)

// spoiling opens fake indexes and remembers the one that is open.
type spoiling struct {
	opener
	mu  *sync.Mutex
	now **fakeIndex
}

func newSpoiling(w *tree) spoiling {
	return spoiling{opener{root: w.dir}, new(sync.Mutex), new(*fakeIndex)}
}

func (s spoiling) OpenIndex(ctx context.Context, path string) (attach.Index, error) {
	x, err := s.opener.OpenIndex(ctx, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	*s.now, _ = x.(*fakeIndex)
	return x, err
}

// spoil damages the index that is open.
func (s spoiling) spoil() {
	s.mu.Lock()
	x := *s.now
	s.mu.Unlock()
	x.mu.Lock()
	x.spoiled = true
	x.mu.Unlock()
}

func TestCallersNoticeNothingOfADamagedIndex(t *testing.T) {
	w := newTree(t, harbour)
	notes := make(chan string, 10)
	noting := func(o *attach.Options) { o.Notify = func(line string) { notes <- line } }
	s := newSpoiling(w)
	owner, other := w.openWith(s, noting), w.openWith(s, noting)
	owner.index()
	other.index()
	want := other.find("Sail")
	for range 2 {
		if want == "" {
			t.Fatal("nothing is found before the damage")
		}
		if len(notes) == 0 {
			s.spoil()
		}
		var asking sync.WaitGroup
		for _, k := range []*client{other, owner, other, owner} {
			asking.Go(func() {
				if got := k.find("Sail"); got != want {
					t.Errorf("found %q, want %q", got, want)
				}
				chunks, err := k.Chunks(t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: "ship.go"}})
				if err != nil || !strings.Contains(chunks.Chunks[0].Content, "Ship floats") {
					t.Errorf("Chunks: %+v, %v", chunks, err)
				}
			})
		}
		asking.Wait()
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	} else if note := <-notes; !strings.Contains(note, "was damaged") {
		t.Errorf("the note is %q", note)
	}
	kept, err := filepath.Glob(filepath.Join(w.folder(), "index.db.bad-*"))
	if len(kept) != 1 || err != nil {
		t.Errorf("kept %q, %v; want the damaged index once", kept, err)
	}
}

func TestAnIndexThatIsDamagedAgainAndAgainIsRebuiltLessAndLessOften(t *testing.T) {
	const s = time.Second
	want := []time.Duration{0, s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s, 60 * s, 0}
	if diff := gocmp.Diff(want, attach.DamageWaits(10)); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}

	w := newTree(t, harbour)
	notes := make(chan string, 10)
	spoiler := newSpoiling(w)
	own := w.openWith(spoiler, func(o *attach.Options) { o.Notify = func(line string) { notes <- line } })
	own.index()
	found := own.find("Sail")
	spoiler.spoil()
	if got := own.find("Sail"); got != found {
		t.Errorf("damaged once, it finds %q, want %q", got, found)
	}
	spoiler.spoil()
	_, err := own.Search(t.Context(), api.SearchQuestion{Query: "Sail"})
	if err == nil || !strings.Contains(err.Error(), "was damaged 2 times in a row, the next is begun in 1s; check the disk or choose another cache directory") {
		t.Errorf("damaged twice, it says %v, want what to do", err)
	}
	for err != nil { // until the second is over
		_, err = own.Search(t.Context(), api.SearchQuestion{Query: "Sail"})
	}
	if got := own.find("Sail"); got != found {
		t.Errorf("damaged twice, it finds %q in the end, want %q", got, found)
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	}
	if _, err := os.Stat(filepath.Join(w.folder(), indexName)); err != nil {
		t.Error(err)
	}
}
