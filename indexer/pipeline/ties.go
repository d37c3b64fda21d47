package pipeline

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/chunk"
	"ambit/vectors/record"
)

// Ties is the view of what the files of an index offer one another and of which files
// quote it. It is a sink, and knows which files a change of another has made stale: it
// looks only at those that quote a name of which the offers changed. It is safe for
// concurrent use.
type Ties struct {
	mu      sync.RWMutex // guards all fields below
	files   map[record.Path]*record.Ties
	offers  map[tie][]chunk.Offered // by file
	quoting map[tie]map[record.Path]bool
	doubted map[record.Path]bool // files that quote and may be stale
	// foreseen are the ties that the index has of files whose offers are known already.
	foreseen map[record.Path]*record.Ties
}

// tie is what offers are found by.
type tie struct {
	kind record.EdgeKind
	name string
}

// NewTies returns the view of an index with these files. All that quote are doubted:
// whoever wrote the index may have ended between the batches.
func NewTies(files []record.File) *Ties {
	t := &Ties{files: map[record.Path]*record.Ties{}, offers: map[tie][]chunk.Offered{},
		quoting: map[tie]map[record.Path]bool{}, doubted: map[record.Path]bool{}}
	for i := range files {
		t.replace(files[i].Path, files[i].Ties)
	}
	return t
}

// Apply replaces the files of a batch.
func (t *Ties) Apply(_ context.Context, b *record.Batch) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range b.Files {
		delete(t.foreseen, b.Files[i].File.Path)
		t.replace(b.Files[i].File.Path, b.Files[i].File.Ties)
	}
	for _, path := range b.Removed {
		t.replace(path, nil)
	}
	return nil
}

// foresee makes the offers of files known that are not applied yet. What it returns
// takes back those that still are not.
func (t *Ties) foresee(held []task) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before := make(map[record.Path]*record.Ties, len(held))
	for i := range held {
		path := held[i].Path
		before[path] = t.files[path]
		t.replace(path, held[i].held.File.Ties)
	}
	t.foreseen = before
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for path, ties := range t.foreseen {
			t.replace(path, ties)
		}
		t.foreseen = nil
	}
}

// replace sets the ties of a file. The caller holds t.mu.
func (t *Ties) replace(path record.Path, now *record.Ties) {
	old := t.files[path]
	if old == nil && now == nil {
		return
	}
	if old == nil {
		old = &record.Ties{}
	}
	if now == nil {
		now = &record.Ties{}
		delete(t.files, path)
	} else {
		t.files[path] = now
	}
	for i := range old.Quotes {
		at := tieOf(old.Quotes[i].Kind, old.Quotes[i].Path)
		if delete(t.quoting[at], path); len(t.quoting[at]) == 0 {
			delete(t.quoting, at)
		}
	}
	for i := range now.Quotes {
		at := tieOf(now.Quotes[i].Kind, now.Quotes[i].Path)
		if t.quoting[at] == nil {
			t.quoting[at] = map[record.Path]bool{}
		}
		t.quoting[at][path] = true
	}
	if delete(t.doubted, path); len(now.Quotes) > 0 {
		t.doubted[path] = true
	}
	if !slices.Equal(old.Offers, now.Offers) {
		t.offer(path, old.Offers, now.Offers)
	}
}

// offer replaces the offers of a file and doubts who quotes them. The caller holds t.mu.
func (t *Ties) offer(path record.Path, old, now []record.Offer) {
	names := map[tie][]chunk.Offered{}
	for i := range old {
		names[tieOf(old[i].Kind, old[i].Path)] = nil
	}
	for i := range now {
		at := tieOf(now[i].Kind, now[i].Path)
		names[at] = append(names[at], chunk.Offered{File: path, Offer: now[i]})
	}
	for at, offered := range names {
		// A new list, as those who were given the old one may still read it.
		list := slices.DeleteFunc(slices.Clone(t.offers[at]), func(o chunk.Offered) bool { return o.File == path })
		i, _ := slices.BinarySearchFunc(list, path, func(o chunk.Offered, path record.Path) int { return cmp.Compare(o.File, path) })
		if list = slices.Insert(list, i, offered...); len(list) > 0 {
			t.offers[at] = list
		} else {
			delete(t.offers, at)
		}
		for p := range t.quoting[at] {
			t.doubted[p] = true
		}
	}
}

func tieOf(kind record.EdgeKind, path string) tie { return tie{kind, chunk.LastName(path)} }

// Offers returns the offers of a kind by the last name of their path, by file: it is
// what [chunk.Weave] asks.
func (t *Ties) Offers(kind record.EdgeKind, name string) []chunk.Offered {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.offers[tie{kind, name}]
}

// Stale returns the files into which something else is woven than is offered now, by
// path.
func (t *Ties) Stale() []record.Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	offers := func(kind record.EdgeKind, name string) []chunk.Offered { return t.offers[tie{kind, name}] }
	maps.DeleteFunc(t.doubted, func(path record.Path, _ bool) bool {
		ties := t.files[path]
		return ties == nil || chunk.Woven(path, ties, offers) == ties.Woven
	})
	return slices.SortedFunc(maps.Keys(t.doubted), func(a, b record.Path) int { return strings.Compare(string(a), string(b)) })
}
