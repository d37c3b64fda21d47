package retrieve

import (
	"context"
	"slices"

	"ambit/vectors/record"
)

// Find returns the units that a pin names: symbols, a whole file or the text of a
// chunk, none when the file does not have it. It reads ix.Files alone, and returns
// the error of ctx.
func Find(ctx context.Context, ix Index, p Pin) ([]Unit, error) {
	g, err := ix.Files.Graph(ctx, p.Path)
	if err != nil {
		return nil, ctx.Err()
	}
	var found []Unit
	for i := range g.Symbols {
		if record.NewChunkID(p.Path, g.Symbols[i].Qualified, "", 0) == p.ID {
			found = append(found, unitOf(&g, i))
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	whole := record.NewChunkID(p.Path, "", "", 0) == p.ID
	if !whole {
		chunks, err := ix.Files.FileChunks(ctx, p.Path)
		if err != nil {
			return nil, ctx.Err()
		}
		i := slices.IndexFunc(chunks, func(c record.Chunk) bool { return c.ID == p.ID })
		switch {
		case i < 0:
			return nil, nil
		case !chunks[i].Beside:
			return []Unit{textUnit(&chunks[i])}, nil
		}
	}
	content, err := ix.Files.Content(ctx, p.Path)
	if err != nil {
		return nil, ctx.Err()
	}
	u := fileUnit(&g, content)
	u.ID = p.ID
	return []Unit{u}, nil
}

// pinAll marks what the asker pinned among the candidates, and takes in what no
// channel found.
func (c *candidates) pinAll(pins []Pin) {
	for i, p := range pins {
		pin := func(x *Candidate) {
			if x.Pin == 0 {
				x.Pin = i + 1
			}
		}
		found := false
		for _, x := range c.list {
			if x.Unit.ID == p.ID {
				found = true
				c.add(x.Unit, x.Role, Signal{"pinned", worthPinned})
				pin(x)
			}
		}
		if found {
			continue
		}
		units, _ := Find(c.q.Context(), c.ix, p) // its error is that of the context, which the caller looks at
		for _, u := range units {
			pin(c.add(u, RolePinned, Signal{"pinned", worthPinned}))
		}
		if len(units) == 0 {
			c.lost = append(c.lost, p)
		}
	}
}
