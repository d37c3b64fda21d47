package pipeline

import (
	"context"
	"maps"
	"slices"
	"sync"

	"ambit/indexer/chunk"
	"ambit/vectors/record"
)

// Ties is the view of what the files of an index offer one another and of which files
// quote it. It is a sink, and knows which files a change of another has made stale: it
// looks only at those that quote a name of which the offers changed. It is safe for
// concurrent use.
type Ties struct {
	mu      sync.Mutex // guards all fields below
	files   map[record.Path]*record.Ties
	offers  map[tie]*offering
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

// offering is what is offered under one name.
type offering struct {
	files map[record.Path][]chunk.Offered
	list  []chunk.Offered // by file; nil when files have changed. It is never changed once it is there
}

// NewTies returns the view of an index with these files. All that quote are doubted:
// whoever wrote the index may have ended between the batches.
func NewTies(files []record.File) *Ties {
	t := &Ties{files: map[record.Path]*record.Ties{}, offers: map[tie]*offering{},
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
		o := t.offers[at]
		if o == nil {
			o = &offering{files: map[record.Path][]chunk.Offered{}}
			t.offers[at] = o
		}
		o.list = nil
		if o.files[path] = offered; len(offered) == 0 {
			delete(o.files, path)
		}
		if len(o.files) == 0 {
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
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.offered(kind, name)
}

// offered is Offers for who holds t.mu.
func (t *Ties) offered(kind record.EdgeKind, name string) []chunk.Offered {
	o := t.offers[tie{kind, name}]
	if o == nil {
		return nil
	}
	if o.list == nil {
		for _, path := range slices.Sorted(maps.Keys(o.files)) {
			o.list = append(o.list, o.files[path]...)
		}
	}
	return o.list
}

// Stale returns the files into which something else is woven than is offered now, by
// path.
func (t *Ties) Stale() []record.Path {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.doubted, func(path record.Path, _ bool) bool {
		ties := t.files[path]
		return ties == nil || chunk.Woven(path, ties, t.offered) == ties.Woven
	})
	return slices.Sorted(maps.Keys(t.doubted))
}
