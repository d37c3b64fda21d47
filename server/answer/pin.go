package answer

import (
	"context"
	"encoding/binary"
	"iter"
	"slices"
	"strings"
	"sync"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

// named is the unit of a file that an id names. The path is "" for an unknown id.
type named struct {
	path       record.Path
	identifier string
}

// maxIDs bounds the ids that are remembered: those of more than a hundred answers, in
// about 3 MB.
const maxIDs = 1 << 14

// idMemory remembers the units that the ids of sources named. An id contains no path, and
// its unit may no longer exist.
type idMemory struct {
	mu    sync.Mutex // guards known
	known map[record.ChunkID]named
}

// keep remembers an id. When there are too many, it forgets all, and the next pin reads a
// few files. It copies the names, because they may be parts of large strings.
func (m *idMemory) keep(id record.ChunkID, n named) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known[id] == n {
		return
	}
	if m.known == nil || len(m.known) >= maxIDs {
		m.known = map[record.ChunkID]named{}
	}
	m.known[id] = named{record.Path(strings.Clone(string(n.path))), strings.Clone(n.identifier)}
}

// keepAnswer remembers the ids of an answer, those of omitted units too.
func (m *idMemory) keepAnswer(a *api.Answer) {
	for i := range a.Sources {
		m.keep(a.Sources[i].ID, named{a.Sources[i].Path, a.Sources[i].Identifier})
	}
	for _, o := range a.Omitted {
		if o.Path != "" {
			m.keep(o.ID, named{o.Path, o.Identifier})
		}
	}
}

func (m *idMemory) find(id record.ChunkID) named {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[id]
}

// namedSources are the sources that a question pins and drops.
type namedSources struct {
	pins    []retrieve.Pin
	unknown []record.ChunkID // pinned, but nothing has the id
	dropped []record.ChunkID
	names   map[record.ChunkID]named
}

// named returns the sources that a question pins and drops, each id once. Dropping
// overrides pinning.
func (a *Answerer) named(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (n namedSources, err error) {
	n.names = map[record.ChunkID]named{}
	for _, id := range q.Drop {
		if _, twice := n.names[id]; !twice {
			n.names[id] = a.ids.find(id)
			n.dropped = append(n.dropped, id)
		}
	}
	for _, id := range q.Pin {
		if _, twice := n.names[id]; twice {
			continue
		}
		name := a.ids.find(id)
		if name.path == "" {
			if name, err = find(ctx, s, id); err != nil {
				return n, err
			}
		}
		n.names[id] = name
		if name.path == "" {
			n.unknown = append(n.unknown, id)
			continue
		}
		a.ids.keep(id, name)
		n.pins = append(n.pins, retrieve.Pin{Path: name.path, ID: id})
	}
	return n, nil
}

// omitted lists the named sources that are not among the candidates.
func (n *namedSources) omitted(r *retrieve.Result) []api.Omission {
	var list []api.Omission
	add := func(id record.ChunkID, reason string) {
		o := api.Omission{ID: id, Identifier: n.names[id].identifier, Path: n.names[id].path, Reason: reason}
		if o.Identifier == "" {
			o.Identifier = id.String()
		}
		list = append(list, o)
	}
	for _, id := range n.dropped {
		shown := slices.ContainsFunc(r.Candidates, func(c retrieve.Candidate) bool { return c.Unit.ID == id })
		if !shown && !slices.ContainsFunc(r.Externals, func(x retrieve.External) bool { return x.Unit.ID == id }) {
			add(id, "dropped")
		}
	}
	for _, p := range r.Lost {
		add(p.ID, "pinned, but no longer in "+assemble.SafePath(p.Path))
	}
	for _, id := range n.unknown {
		add(id, "pinned, but nothing in the index has this id")
	}
	return list
}

// find returns the unit of an id that no answer had. It reads the few files that have an
// id with the same prefix.
func find(ctx context.Context, s *snapshot.Snapshot, id record.ChunkID) (named, error) {
	for path := range withID(s, id) {
		unit, err := retrieve.Find(ctx, s.Index(nil), retrieve.Pin{Path: path, ID: id})
		if err != nil {
			return named{}, err
		}
		if unit != nil {
			return named{path, unit.Identifier}, nil
		}
	}
	return named{}, nil
}

// withID yields the files that may have an id. It reads only memory.
func withID(s *snapshot.Snapshot, id record.ChunkID) iter.Seq[record.Path] {
	begins := binary.BigEndian.Uint16(id[:])
	return func(yield func(record.Path) bool) {
		for f := range s.Files() {
			if f.HasID(begins) && !yield(f.Path()) {
				return
			}
		}
	}
}
