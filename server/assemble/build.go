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
	// dependencyTokens are kept for the arrows before units are chosen.
	dependencyTokens = 100
	// maxSignature bounds a line of the structural section, in bytes.
	maxSignature = 140
	// minOutline is the least that a further file of the structural section is worth, in tokens.
	minOutline = 12
)

// build makes a bundle whose parts are priced at limit tokens or less.
func (p *pricer) build(items []*item, limit int) *Bundle {
	r := &p.request.Result
	focused := p.blank.Scope != api.Exploratory && p.blank.Scope != api.Comprehensive
	unpinned := limit - pinnedTokens(items)
	share := limit * sections[structural].share / 100
	outlines, outlineTokens := []Outline(nil), 0
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

	b := p.bundle(items, pl.at, pl)
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

// pinnedTokens returns what the pinned items take when they are whole.
func pinnedTokens(items []*item) int {
	n := 0
	for _, it := range items {
		if it.c.Pin > 0 && len(it.rungs) > 0 {
			n += it.rungs[len(it.rungs)-1].tokens
		}
	}
	return n
}

// bundle returns the units as pl.at shows them, without structure and arrows.
func (p *pricer) bundle(items []*item, at []int, pl plan) *Bundle {
	b := p.blank
	b.Omitted = slices.Clip(b.Omitted)
	for s, t := range sections {
		if s < len(pl.spent) && pl.spent[s] > 0 {
			b.Sections = append(b.Sections, api.Section{Name: t.name, Tokens: pl.spent[s], Budget: pl.given[s]})
		}
		for i, it := range items {
			if it.section == s && at[i] > 0 {
				r := &it.rungs[at[i]-1]
				b.Sources, b.Texts = append(b.Sources, p.shown(it, r)), append(b.Texts, r.text)
			}
		}
	}
	byFile := make(map[*file][]int)
	for i, it := range items {
		if at[i] > 0 {
			byFile[it.file] = append(byFile[it.file], i)
		}
	}
	for i, it := range items {
		if at[i] > 0 {
			continue
		}
		reason := it.reason
		if reason == "" {
			reason = "no room in the budget"
			if j := shownBy(items, at, byFile[it.file], i); j >= 0 {
				reason = "shown inside " + items[j].c.Unit.Identifier
			}
		}
		u := &it.c.Unit
		b.Omitted = append(b.Omitted, api.Omission{ID: u.ID, Identifier: u.Identifier, Path: u.Path, Tokens: it.whole, Reason: reason})
	}
	return &b
}

// shown returns the source of it as r shows it.
func (p *pricer) shown(it *item, r *rung) api.Source {
	s := it.source
	s.URI = location.URI(p.request.Root, s.Path)
	s.Range = location.Range(it.file.text, it.c.Unit.Span, p.request.Question.PositionEncoding)
	s.Tokens = r.tokens - it.markup
	s.Ranges = make([][2]int, 0, len(r.ranges))
	for _, l := range r.ranges {
		s.Ranges = append(s.Ranges, [2]int{l.First, l.Last})
	}
	if r.omits > 0 {
		s.Truncated = &api.Truncation{
			LinesOmitted: r.omits,
			Kinds:        r.kinds,
			TotalLines:   it.lines.Last - it.lines.First + 1,
			TotalTokens:  it.whole,
		}
	}
	return s
}

// outline chooses files and signatures of at most limit tokens, and returns what
// they take. Each file in turn may take half of what is left.
func (p *pricer) outline(files []retrieve.FileOutline, limit int) ([]Outline, int) {
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

func (p *pricer) pickOutline(files []retrieve.FileOutline, room int) []Outline {
	var out []Outline
	for _, f := range files {
		if room < minOutline {
			break
		}
		o := Outline{Path: f.Path, Lines: f.Lines, More: len(f.Units)}
		n := p.counter.Count(SafePath(f.Path) + " (" + counted(f.Lines, "line") + ")\n")
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

// dependencies returns as many of the arrows between what is shown as limit tokens
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
