package retrieve

import (
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// Find returns the unit that a pin names: a symbol, a whole file or the text of a
// chunk, nil when the file does not have it. It reads ix.Files alone, and returns the
// error of ctx.
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
	u.ID = p.ID // which may be that of the chunk that sums the file up
	return &u, nil
}

// pinAll marks what the asker pinned among the candidates, and takes in what no
// channel found.
func (c *candidates) pinAll(pins []Pin) {
	for i, p := range pins {
		var known *Candidate
		if at := slices.IndexFunc(c.list, func(x *Candidate) bool { return x.Unit.ID == p.ID }); at >= 0 {
			known = c.add(c.list[at].Unit, c.list[at].Role, Signal{"pinned", worthPinned})
		} else if u, _ := Find(c.q.Context(), c.ix, p); u != nil { // its error is that of the context, which the caller looks at
			known = c.add(*u, RolePinned, Signal{"pinned", worthPinned})
		} else {
			c.lost = append(c.lost, p)
			continue
		}
		if known.Pin == 0 {
			known.Pin = i + 1
		}
	}
}
