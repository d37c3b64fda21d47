package retrieve

import (
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// siblings adds the members next to a member, nearest first.
func (a *asking) siblings(s subject) {
	g := a.q.Graph(s.path)
	self := &g.Symbols[s.symbol]
	if self.Container == "" && self.Parent < 0 || !a.wants(s.path) {
		return
	}
	for d, n := 1, 0; d < len(g.Symbols) && n < maxSiblings; d++ {
		for _, i := range []int{s.symbol - d, s.symbol + d} {
			if i < 0 || i >= len(g.Symbols) || !languages.IsCallable(g.Symbols[i].Kind) || g.Symbols[i].Parent != self.Parent || g.Symbols[i].Container != self.Container {
				continue
			}
			n++
			a.addSymbol(s.path, i, RoleSibling, signal("sibling", s.sure*worthSibling/float64(d)))
		}
	}
}

// similar adds the neighbors of the first subject by vector and by words.
func (a *asking) similar() {
	if len(a.subject) == 0 {
		return
	}
	s := a.subject[0]
	g := a.q.Graph(s.path)
	sym := &g.Symbols[s.symbol]
	content := a.text(s.path)
	if sym.Span.End > len(content) {
		return
	}
	const maxText = 4000 // bytes; the beginning of a unit tells what it is about
	text := content[sym.Span.Start:min(sym.Span.End, sym.Span.Start+maxText)]
	ctx := a.q.Context()
	if v, err := a.ix.Embed.EmbedQuery(ctx, string(text)); err == nil {
		if hits, err := a.ix.Vectors.Search(ctx, v, 3*maxSimilar, a.keys); err == nil {
			a.near(s.place, hits, "similar")
		}
	}
	if hits, err := a.ix.Text.Search(ctx, sym.Name, maxSimilar, a.keys); err == nil {
		a.near(s.place, hits, "shares words")
	}
}

// near adds the units of chunks that a search found.
func (a *asking) near(s place, hits []record.Hit, reason string) {
	chunks, err := a.ix.Files.Chunks(a.q.Context(), keysOf(hits))
	if err != nil {
		return
	}
	n := 0
	for i := range chunks {
		c := &chunks[i]
		if c.Key == 0 || c.IsSummary || hits[i].Score <= 0 || n == maxSimilar {
			continue
		}
		g := a.q.Graph(c.Path)
		symbol := symbolOf(g, c)
		if symbol < 0 || c.Path == s.path && (inside(g, symbol, s.symbol) || inside(g, s.symbol, symbol)) {
			continue
		}
		n++
		a.addSymbol(c.Path, shown(g, symbol), RoleSimilar, signal(reason, worthSimilar*hits[i].Score/hits[0].Score))
	}
}

func keysOf(hits []record.Hit) []record.Key {
	keys := make([]record.Key, len(hits))
	for i, h := range hits {
		keys[i] = h.Key
	}
	return keys
}

// symbolOf returns the symbol of a chunk: the unit that it names, else the innermost
// symbol around its start, else the first in it, else -1.
func symbolOf(g *record.FileGraph, c *record.Chunk) int {
	best := -1
	for i := range g.Symbols { // by start, outer before inner
		s := &g.Symbols[i]
		if s.Span.Start >= c.Span.End || s.Span.Start > c.Span.Start && best >= 0 {
			break
		}
		if c.Span.Start < s.Span.End {
			best = i
			if s.Qualified == c.Unit {
				break
			}
		}
	}
	return best
}

// coChanged adds the files that are committed together with the cursor's.
func (a *asking) coChanged() {
	n := 0
	for _, p := range a.ix.History.CoChanged(a.cur.Path) {
		other := p.A
		if other == a.cur.Path {
			other = p.B
		}
		if n == maxCoChanges {
			break
		}
		if !a.wants(other) {
			continue
		}
		if c := a.addSymbol(other, -1, RoleCoChange, signal("changed together", worthCoChange*min(1, p.Weight)/float64(n+1))); c != nil {
			n++
		}
	}
}
