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

// The reasons of [api.Omission] for a unit that the answer could show.
const (
	NoRoom   = "no room in the budget"
	NotWorth = "not worth its tokens"
)

// frame is what surrounds the units of an answer.
type frame struct {
	focused   bool
	overview  *api.Overview
	outlines  []retrieve.FileOutline
	tokens    int // of the overview and the outlines
	share     int // of the structural section
	structure int // reserved for it
	arrows    int // the most tokens of the dependencies, or twice of it where nothing else needs them
	reserve   int // for the dependencies; at a cursor the reasons of the sources say the same
	headings  int // reserved for the headings of the sections
	room      int // what is left for the units
}

// frame chooses the outlines and returns what is left for the units. A larger budget never
// leaves less to them.
func (p *pricer) frame(items []*item) frame {
	r := &p.request.Result
	limit := p.blank.Budget - p.wrapper
	f := frame{focused: p.blank.Scope != api.Exploratory && p.blank.Scope != api.Comprehensive}
	unpinned := limit - pinnedTokens(items)
	f.share = limit * sections[structural].share / 100
	// The section takes its share from a larger budget, not from the units of a smaller one.
	f.share = min(f.share, max(0, limit-100*minSection/sections[structural].share))
	f.structure = f.share
	if f.share > unpinned {
		f.structure = 0
	} else if f.share >= minSection {
		if p.structure(&f); f.overview == nil && complete(f.outlines, r.Structure) {
			f.structure = f.tokens // otherwise a further outline that fits would take from the units
		}
	}
	if len(r.Dependencies) > 0 {
		f.arrows = max(0, min(dependencyTokens, limit/20, unpinned-f.structure))
	}
	if r.Symbol == nil {
		f.reserve = f.arrows
	}
	f.headings = min(p.headings(items), max(0, unpinned-f.structure-f.reserve))
	f.room = limit - f.structure - f.reserve - f.headings
	return f
}

// headings returns the tokens of the headings of the sections of units, when there are
// several. They do not depend on the budget.
func (p *pricer) headings(items []*item) int {
	var first [nSections]*item
	var all []api.Source
	parts := 0
	for _, it := range items {
		if first[it.section] == nil && len(it.levels) > 0 && !it.poor {
			first[it.section] = it
			all = append(all, it.base)
			parts += it.markup
		}
	}
	if len(all) < 2 {
		return 0
	}
	return max(0, p.of(func(b *Bundle) { b.Sources, b.Texts = all, make([]string, len(all)) })-parts)
}

// build makes the bundle of a plan in its frame.
func (p *pricer) build(pl *plan, f frame) *Bundle {
	left := f.room - sum(pl.spent[:])
	if f.focused && f.share < minSection && left >= minSection {
		f.share = minSection
		p.structure(&f)
		left -= f.tokens
	}
	b := p.bundle(pl)
	b.StructureFirst = !f.focused
	if f.overview != nil || len(f.outlines) > 0 {
		b.Overview, b.Structure = f.overview, f.outlines
		s := api.Section{Name: sections[structural].name, Tokens: f.tokens, Budget: max(f.share, f.tokens)}
		if b.StructureFirst {
			b.Sections = slices.Insert(b.Sections, 0, s)
		} else {
			b.Sections = append(b.Sections, s)
		}
	}
	b.Dependencies = p.dependencies(b, f.reserve+min(left, 2*f.arrows-f.reserve))
	return b
}

// structure chooses the overview and the outlines of the structural section within its
// share. An overview comes first and leaves a third of the share to outlines, if there are
// any.
func (p *pricer) structure(f *frame) {
	r := &p.request.Result
	limit := f.share
	if r.Overview != nil {
		if len(r.Structure) > 0 {
			limit = limit * 2 / 3
		}
		f.overview, f.tokens = p.overview(r.Overview, limit)
	}
	outlines, n := p.outline(r.Structure, f.share-f.tokens)
	f.outlines, f.tokens = outlines, f.tokens+n
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
func (p *pricer) bundle(pl *plan) *Bundle {
	b := p.blank
	b.Omitted = slices.Clip(b.Omitted)
	var before *item
	for s, t := range sections {
		if pl.spent[s] > 0 {
			b.Sections = append(b.Sections, api.Section{Name: t.name, Tokens: pl.spent[s], Budget: pl.given[s]})
		}
		for i, it := range pl.items {
			if it.section == s && pl.at[i] > 0 {
				l := pl.shown[i]
				b.Joined = append(b.Joined, before != nil && before.headed() == it.headed())
				b.Sources, b.Texts = append(b.Sources, p.source(it, l)), append(b.Texts, l.text)
				before = it
			}
		}
	}
	for i, it := range pl.items {
		if pl.at[i] > 0 {
			continue
		}
		reason := it.reason
		if reason == "" {
			reason = NoRoom
			if it.poor {
				reason = NotWorth
			}
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
	if it.outside != nil {
		s.URI, s.Package = location.Outside(it.outside.File, it.outside.InArchive), it.outside.Package
	}
	s.Range = location.Range(it.file.text, it.c.Unit.Span, p.request.Question.PositionEncoding)
	s.Tokens = l.tokens
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

// complete reports whether out has all units of all files.
func complete(out, files []retrieve.FileOutline) bool {
	return len(out) == len(files) && !slices.ContainsFunc(out, func(o retrieve.FileOutline) bool { return o.More > 0 })
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
