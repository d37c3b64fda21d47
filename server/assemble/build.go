package assemble

import (
	"slices"
	"sort"
	"strconv"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/retrieve"
)

const (
	// dependencyTokens are reserved for the dependencies before units are chosen.
	dependencyTokens = 100
	// maxSignature bounds a line of the structural section, in bytes.
	maxSignature = 140
	// minOutline is the least number of tokens for a further file of the structural section.
	minOutline = 12
)

// build makes a bundle whose parts are priced at limit tokens or less.
func (p *pricer) build(items []*item, limit int) *Bundle {
	r := &p.request.Result
	focused := p.blank.Scope != api.Exploratory && p.blank.Scope != api.Comprehensive
	unpinned := limit - pinnedTokens(items)
	share := limit * sections[structural].share / 100
	outlines, outlineTokens := []retrieve.FileOutline(nil), 0
	if share >= minSection && share <= unpinned {
		outlines, outlineTokens = p.outline(r.Structure, share)
	}
	reserve := 0
	if len(r.Dependencies) > 0 {
		reserve = max(0, min(dependencyTokens, limit/20, unpinned-outlineTokens))
	}
	pl := fill(items, limit-outlineTokens-reserve)
	left := limit - outlineTokens - reserve - sum(pl.spent[:])
	if focused && share < minSection && left >= minSection {
		share = minSection
		outlines, outlineTokens = p.outline(r.Structure, share)
		left -= outlineTokens
	}

	b := p.bundle(pl)
	b.StructureFirst = !focused
	if len(outlines) > 0 {
		b.Structure = outlines
		s := api.Section{Name: sections[structural].name, Tokens: outlineTokens, Budget: max(share, outlineTokens)}
		if b.StructureFirst {
			b.Sections = slices.Insert(b.Sections, 0, s)
		} else {
			b.Sections = append(b.Sections, s)
		}
	}
	b.Dependencies = p.dependencies(b, reserve+min(left, reserve))
	return b
}

// pinnedTokens returns the tokens of the pinned items when they are whole.
func pinnedTokens(items []*item) int {
	n := 0
	for _, it := range items {
		if it.c.Pin > 0 {
			n += it.tokens(len(it.levels))
		}
	}
	return n
}

// bundle returns the units as the plan shows them, without structure and dependencies.
func (p *pricer) bundle(pl plan) *Bundle {
	b := p.blank
	b.Omitted = slices.Clip(b.Omitted)
	for s, t := range sections {
		if pl.spent[s] > 0 {
			b.Sections = append(b.Sections, api.Section{Name: t.name, Tokens: pl.spent[s], Budget: pl.given[s]})
		}
		for i, it := range pl.items {
			if it.section == s && pl.at[i] > 0 {
				l := &it.levels[pl.at[i]-1]
				b.Sources, b.Texts = append(b.Sources, p.source(it, l)), append(b.Texts, l.text)
			}
		}
	}
	for i, it := range pl.items {
		if pl.at[i] > 0 {
			continue
		}
		reason := it.reason
		if reason == "" {
			reason = "no room in the budget"
			if j := pl.shownBy(i); j >= 0 {
				reason = "shown inside " + pl.items[j].c.Unit.Identifier
			}
		}
		u := &it.c.Unit
		b.Omitted = append(b.Omitted, api.Omission{ID: u.ID, Identifier: u.Identifier, Path: u.Path, Tokens: it.whole, Reason: reason})
	}
	return &b
}

// source returns the source of an item at a level.
func (p *pricer) source(it *item, l *level) api.Source {
	s := it.base
	s.URI = location.URI(p.request.Root, s.Path)
	s.Range = location.Range(it.file.text, it.c.Unit.Span, p.request.Question.PositionEncoding)
	s.Tokens = l.tokens - it.markup
	s.Ranges = make([][2]int, 0, len(l.ranges))
	for _, r := range l.ranges {
		s.Ranges = append(s.Ranges, [2]int{r.First, r.Last})
	}
	if l.omitted > 0 {
		s.Truncated = &api.Truncation{
			LinesOmitted: l.omitted,
			Kinds:        l.kinds,
			TotalLines:   it.lines.Last - it.lines.First + 1,
			TotalTokens:  it.whole,
		}
	}
	return s
}

// outline chooses files and signatures of at most limit tokens, and returns their
// tokens. Each file in turn may take half of the remaining ones.
func (p *pricer) outline(files []retrieve.FileOutline, limit int) ([]retrieve.FileOutline, int) {
	for room := limit; room > 0; {
		out := p.pickOutline(files, room)
		if len(out) == 0 {
			return nil, 0
		}
		n := p.of(func(b *Bundle) { b.Structure = out })
		if n <= limit {
			return out, n
		}
		room -= n - limit
	}
	return nil, 0
}

func (p *pricer) pickOutline(files []retrieve.FileOutline, room int) []retrieve.FileOutline {
	var out []retrieve.FileOutline
	for _, f := range files {
		if room < minOutline {
			break
		}
		o := retrieve.FileOutline{Path: f.Path, Lines: f.Lines, More: len(f.Units)}
		n := p.counter.Count(SafePath(f.Path) + " (" + Counted(f.Lines, "line") + ")\n")
		more := p.counter.Count("  … " + strconv.Itoa(len(f.Units)) + " more\n")
		if n+more > room {
			continue
		}
		for _, u := range f.Units {
			u = OneLine(u, maxSignature)
			t := p.counter.Count("  " + u + "\n")
			if n+more+t > room/2 {
				break
			}
			n += t
			o.Units = append(o.Units, u)
			o.More--
		}
		if o.More > 0 {
			n += more
		}
		room -= n
		out = append(out, o)
	}
	return out
}

// dependencies returns as many of the dependencies among the sources as limit tokens
// hold.
func (p *pricer) dependencies(b *Bundle, limit int) []api.Dependency {
	shown := make(map[string]bool, len(b.Sources)+1)
	for i := range b.Sources {
		shown[b.Sources[i].Identifier] = true
	}
	if b.Symbol != nil {
		shown[b.Symbol.Identifier] = true
	}
	all := []api.Dependency{}
	for _, d := range p.request.Result.Dependencies {
		if shown[d.From] && shown[d.To] {
			all = append(all, d)
		}
	}
	n := sort.Search(len(all), func(n int) bool {
		return p.of(func(b *Bundle) { b.Dependencies = all[:n+1] }) > limit
	})
	return all[:n:n]
}
