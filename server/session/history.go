package session

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"ambit/indexer/githist"
	"ambit/vectors/record"
)

// history is the view of the repository's history, and reads a new one from git
// when HEAD has moved.
type history struct {
	root string
	view atomic.Pointer[past]
}

// past is one history, by path. It never changes.
type past struct {
	head  string
	files map[record.Path]record.FileHistory
	pairs map[record.Path][]record.CoChange // each pair under both of its paths, heaviest first
}

// Frequency returns how often a file changed.
func (p *past) Frequency(path record.Path) record.Frequency {
	if f, ok := p.files[path]; ok {
		return f.Frequency
	}
	return record.Unknown
}

// CoChanged returns the pairs that a file is part of, heaviest first.
func (p *past) CoChanged(path record.Path) []record.CoChange { return p.pairs[path] }

// load sets the history that the store has.
func (h *history) load(r record.History) {
	v := &past{
		head:  r.Head,
		files: make(map[record.Path]record.FileHistory, len(r.Files)),
		pairs: make(map[record.Path][]record.CoChange, len(r.Files)),
	}
	for _, f := range r.Files {
		v.files[f.Path] = f
	}
	for _, p := range r.Pairs {
		v.pairs[p.A] = append(v.pairs[p.A], p)
		v.pairs[p.B] = append(v.pairs[p.B], p)
	}
	for _, pairs := range v.pairs {
		slices.SortStableFunc(pairs, func(a, b record.CoChange) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	h.view.Store(v)
}

// moved reports whether HEAD is elsewhere than where the view has it.
func (h *history) moved() bool { return githist.Head(h.root) != h.view.Load().head }

// Refresh reads the history from git, unless HEAD is where the view has it.
func (h *history) Refresh(ctx context.Context) (*record.History, error) {
	if !h.moved() {
		return nil, nil
	}
	r, err := githist.Read(ctx, h.root)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// Apply takes a new history from a batch.
func (h *history) Apply(_ context.Context, b *record.Batch) error {
	if b.History != nil {
		h.load(*b.History)
	}
	return nil
}
