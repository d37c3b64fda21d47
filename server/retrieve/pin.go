package retrieve

import (
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// Find returns the unit that a pin names: a symbol, a whole file or the text of a chunk.
// It returns nil when the file has no such unit. It reads only ix.Files, and its only
// error is that of ctx.
func Find(ctx context.Context, ix Index, p Pin) (*Unit, error) {
	g, err := ix.Files.Graph(ctx, p.Path)
	if err != nil {
		return nil, ctx.Err()
	}
	if i := slices.Index(graph.IDs(&g), p.ID); i >= 0 {
		u := unitOf(&g, i)
		return &u, nil
	}
	if graph.FileID(p.Path) != p.ID {
		chunks, err := ix.Files.FileChunks(ctx, p.Path)
		if err != nil {
			return nil, ctx.Err()
		}
		i := slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.ID == p.ID })
		switch {
		case i < 0:
			return nil, nil
		case !chunks[i].IsSummary:
			u := textUnit(&chunks[i])
			return &u, nil
		}
	}
	content, err := ix.Files.Content(ctx, p.Path)
	if err != nil {
		return nil, ctx.Err()
	}
	u := fileUnit(&g, content)
	u.ID = p.ID // it may be the id of the summary chunk of the file
	return &u, nil
}

// pinAll marks the pinned units among the candidates and adds the other pinned units.
func (c *candidates) pinAll(pins []Pin) {
	for i, p := range pins {
		var known *Candidate
		if at := slices.IndexFunc(c.list, func(x *Candidate) bool { return x.Unit.ID == p.ID }); at >= 0 {
			known = c.add(c.list[at].Unit, c.list[at].Role, signal("pinned", worthPinned))
		} else if u, _ := Find(c.q.Context(), c.ix, p); u != nil { // the caller checks ctx, whose error is the only one
			known = c.add(*u, RolePinned, signal("pinned", worthPinned))
		} else {
			c.lost = append(c.lost, p)
			continue
		}
		if known.Pin == 0 {
			known.Pin = i + 1
		}
	}
}
