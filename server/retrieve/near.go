package retrieve

import (
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// siblings adds the members next to a member, nearest first.
func (l *lookup) siblings(s subject) {
	g := l.q.Graph(s.path)
	self := &g.Symbols[s.symbol]
	if self.Container == "" && self.Parent < 0 || !l.wants(s.path) {
		return
	}
	for d, n := 1, 0; d < len(g.Symbols) && n < maxSiblings; d++ {
		for _, i := range []int{s.symbol - d, s.symbol + d} {
			if i < 0 || i >= len(g.Symbols) || !languages.IsCallable(g.Symbols[i].Kind) || g.Symbols[i].Parent != self.Parent || g.Symbols[i].Container != self.Container {
				continue
			}
			n++
			l.addSymbol(s.path, i, RoleSibling, signal("sibling", s.sure*worthSibling/float64(d)))
		}
	}
}

// similar adds the neighbors of the first subject by vector and by words.
func (l *lookup) similar() {
	if len(l.subject) == 0 {
		return
	}
	s := l.subject[0]
	g := l.q.Graph(s.path)
	sym := &g.Symbols[s.symbol]
	content := l.text(s.path)
	if sym.Span.End > len(content) {
		return
	}
	const maxText = 4000 // bytes; the beginning of a unit describes it well enough
	text := content[sym.Span.Start:min(sym.Span.End, sym.Span.Start+maxText)]
	ctx := l.q.Context()
	if v, err := l.ix.Embed.EmbedQuery(ctx, string(text)); err == nil {
		if hits, err := l.ix.Vectors.Search(ctx, v, 3*maxSimilar, l.keys); err == nil {
			l.near(s.place, hits, "similar")
		}
	}
	if hits, err := l.ix.Text.Search(ctx, []record.Word{{Text: sym.Name, Weight: 1}}, maxSimilar, l.keys); err == nil {
		l.near(s.place, hits, "shares words")
	}
}

// near adds the units of the chunks that a search returned.
func (l *lookup) near(s place, hits []record.Hit, reason string) {
	chunks, err := l.ix.Files.Chunks(l.q.Context(), keysOf(hits))
	if err != nil {
		return
	}
	n := 0
	for i := range chunks {
		c := &chunks[i]
		if c.Key == 0 || c.IsSummary || hits[i].Score <= 0 || n == maxSimilar {
			continue
		}
		g := l.q.Graph(c.Path)
		symbol := symbolOf(g, c)
		if symbol < 0 || c.Path == s.path && (inside(g, symbol, s.symbol) || inside(g, s.symbol, symbol)) {
			continue
		}
		n++
		l.addSymbol(c.Path, shown(g, symbol), RoleSimilar, signal(reason, worthSimilar*hits[i].Score/hits[0].Score))
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

// coChanged adds the files that were committed together with the cursor's.
func (l *lookup) coChanged() {
	n := 0
	for _, p := range l.ix.History.CoChanged(l.cur.Path) {
		other := p.A
		if other == l.cur.Path {
			other = p.B
		}
		if n == maxCoChanges {
			break
		}
		if !l.wants(other) {
			continue
		}
		if c := l.addSymbol(other, -1, RoleCoChange, signal("changed together", worthCoChange*min(1, p.Weight)/float64(n+1))); c != nil {
			n++
		}
	}
}
