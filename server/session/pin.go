package session

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// maxRecalled bounds the ids that a session remembers, those of a hundred answers and
// more, in about 3 MB.
const maxRecalled = 1 << 14

// ids remembers what the ids of sources name: an id tells no path.
type ids struct {
	mu    sync.Mutex // guards all fields below
	known map[record.ChunkID]named
}

// named is what an id names.
type named struct {
	path       record.Path // "" for nothing
	identifier string
	applied    uint64 // the batch at which path "" was found out
}

// keep remembers an id. When there are too many, all are forgotten: that costs the
// next pin a look at some files. The names are copied, as they may be parts of something large.
func (i *ids) keep(id record.ChunkID, n named) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.known[id] == n {
		return
	}
	if i.known == nil || len(i.known) >= maxRecalled {
		i.known = map[record.ChunkID]named{}
	}
	n.path, n.identifier = record.Path(strings.Clone(string(n.path))), strings.Clone(n.identifier)
	i.known[id] = n
}

// find returns what an id names, as far as it is remembered.
func (i *ids) find(id record.ChunkID) (named, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	n, ok := i.known[id]
	return n, ok
}

// recall remembers the ids of an answer, also of what had no room.
func (s *Session) recall(b *assemble.Bundle) {
	for i := range b.Sources {
		s.ids.keep(b.Sources[i].ID, named{path: b.Sources[i].Path, identifier: b.Sources[i].Identifier})
	}
	for _, o := range b.Omitted {
		if o.Path != "" {
			s.ids.keep(o.ID, named{path: o.Path, identifier: o.Identifier})
		}
	}
}

// recallResults remembers the ids of places.
func (s *Session) recallResults(results []Result) {
	for i := range results {
		s.ids.keep(results[i].ID, named{path: record.Path(results[i].Path), identifier: results[i].Identifier})
	}
}

// wishes are the pinned and dropped sources of a question.
type wishes struct {
	pinned  []retrieve.Pin
	unknown []record.ChunkID // pinned, and of nothing that the index has
	dropped []record.ChunkID
	names   map[record.ChunkID]named // of the dropped and pinned
}

// wishes reads what a question pins and drops, each id once.
func (s *Session) wishes(ctx context.Context, view *snapshot, q Question) (wishes, error) {
	w := wishes{names: map[record.ChunkID]named{}}
	read := func(field, text string) (record.ChunkID, bool, error) {
		id, err := record.ParseChunkID(text)
		if err != nil {
			return id, false, fmt.Errorf("%w: %s: %w; use the id of a source of an answer", ErrQuestion, field, err)
		}
		_, twice := w.names[id]
		return id, !twice, nil
	}
	for _, text := range q.Drop {
		id, first, err := read("drop", text)
		if err != nil {
			return w, err
		}
		if first {
			w.names[id], _ = s.ids.find(id)
			w.dropped = append(w.dropped, id)
		}
	}
	for _, text := range q.Pin {
		id, first, err := read("pin", text)
		if err != nil {
			return w, err
		}
		if !first {
			continue
		}
		n, err := s.named(ctx, view, id)
		if err != nil {
			return w, err
		}
		w.names[id] = n
		if n.path == "" {
			w.unknown = append(w.unknown, id)
		} else {
			w.pinned = append(w.pinned, retrieve.Pin{Path: n.path, ID: id})
		}
	}
	return w, nil
}

// omitted lists what was named and is not among the candidates of a result.
func (w *wishes) omitted(r *retrieve.Result) []assemble.Omission {
	var list []assemble.Omission
	add := func(id record.ChunkID, reason string) {
		o := assemble.Omission{ID: id, Identifier: w.names[id].identifier, Path: w.names[id].path, Reason: reason}
		if o.Identifier == "" {
			o.Identifier = id.String()
		}
		list = append(list, o)
	}
	for _, id := range w.dropped {
		if !slices.ContainsFunc(r.Candidates, func(c retrieve.Candidate) bool { return c.Unit.ID == id }) {
			add(id, "dropped")
		}
	}
	for _, p := range r.Lost {
		add(p.ID, "pinned, but no longer in "+assemble.SafePath(p.Path))
	}
	for _, id := range w.unknown {
		add(id, "pinned, but nothing in the index has this id")
	}
	return list
}

// named returns what an id names. One that no answer of this session had is sought in
// the files that have an id which begins alike: a few of all.
func (s *Session) named(ctx context.Context, view *snapshot, id record.ChunkID) (named, error) {
	if n, ok := s.ids.find(id); ok && (n.path != "" || n.applied == view.over.applied) {
		return n, nil
	}
	n := named{applied: view.over.applied}
	ix := retrieve.Index{Files: view, Names: view.names}
	for path := range view.having(id) {
		unit, err := retrieve.Find(ctx, ix, retrieve.Pin{Path: path, ID: id})
		if err != nil {
			return n, err
		}
		if unit != nil {
			n.path, n.identifier = path, unit.Identifier
			break
		}
	}
	s.ids.keep(id, n)
	return n, nil
}

// having returns the files that may have an id, by what is in memory of each.
func (v *snapshot) having(id record.ChunkID) iter.Seq[record.Path] {
	begins := binary.BigEndian.Uint16(id[:])
	may := func(f *record.File) bool {
		if f.Traits == nil {
			return false
		}
		_, found := slices.BinarySearch(f.Traits.IDs, begins)
		return found
	}
	return func(yield func(record.Path) bool) {
		for path, r := range v.fresh {
			if may(&r.File) && !yield(path) {
				return
			}
		}
		files := v.s.files.all()
		for i := range files {
			if _, changed := v.fresh[files[i].Path]; !changed && may(&files[i]) && !yield(files[i].Path) {
				return
			}
		}
	}
}
