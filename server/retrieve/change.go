package retrieve

import (
	"context"
	"slices"
	"strings"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Change is a question about changed lines.
type Change struct {
	Files  []ChangedFile
	Keep   func(record.Path) bool // the files that the result may come from; nil for all
	Pinned []Pin
}

// ChangedFile is a file with the lines that a change touches, ascending; none for a file
// that is only renamed.
type ChangedFile struct {
	Path  record.Path
	Lines []int
}

const (
	// maxChanged bounds the units of a change whose users are looked for.
	maxChanged = 40
	// maxChangedPlaces bounds the places outside of units that are shown of one file.
	maxChangedPlaces = 8
)

// Changed returns the units that a change touches, and what follows from it: what uses them,
// what overrides them or is overridden, their tests, the documents that mention them, and
// files that change together with theirs.
func Changed(ctx context.Context, ix Index, ch Change) (out Result, err error) {
	defer graph.Catch(&err)
	c, err := newCandidates(ctx, ix, Filter{Path: ch.Keep})
	if err != nil {
		return Result{}, err
	}
	l := lookup{candidates: c}
	var names []string
	for i := range ch.Files {
		f := &ch.Files[i]
		names = append(names, string(f.Path))
		l.touched(f)
	}
	for _, s := range l.subject[:min(len(l.subject), maxChanged)] {
		l.users(s)
		l.overrides(s)
	}
	for i := range ch.Files {
		l.cur.Path = ch.Files[i].Path
		l.coChanged()
	}
	l.list = slices.DeleteFunc(l.list, func(x *Candidate) bool { // a changed file is there by its changes
		return x.Role == RoleCoChange && slices.ContainsFunc(ch.Files, func(f ChangedFile) bool { return f.Path == x.Unit.Path })
	})
	l.pinAll(ch.Pinned)
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := Result{Query: "changes of " + strings.Join(names, ", "), Scope: api.Focused, Candidates: l.ranked(), Dependencies: l.dependencies()}
	l.finish(&r, true)
	return r, nil
}

// touched adds the units that hold the changed lines of a file, each the innermost one that is
// shown alone, and the text around the other lines.
func (l *lookup) touched(f *ChangedFile) {
	g := l.q.Graph(f.Path)
	content := l.text(f.Path)
	var loose []int
	lines := map[int][]int{} // of each symbol
	var order []int
	for _, n := range f.Lines {
		symbol := innermost(g, n)
		if symbol < 0 {
			loose = append(loose, n)
			continue
		}
		symbol = shown(g, symbol)
		if lines[symbol] == nil {
			order = append(order, symbol)
		}
		lines[symbol] = append(lines[symbol], n)
	}
	for _, i := range order {
		// A change that touches more of a unit is more its change.
		size := g.Symbols[i].Lines.Last - g.Symbols[i].Lines.First + 1
		sure := 0.8 + 0.2*min(1, float64(2*len(lines[i]))/float64(size))
		l.addSymbol(f.Path, i, RoleChanged, signal("changed", worthSelf*sure), lines[i]...)
		if !languages.IsProse(g.Language) {
			l.addSubject(place{f.Path, i}, sure)
		}
	}
	chunks, err := l.ix.Files.FileChunks(l.q.Context(), f.Path)
	if err != nil || content == nil {
		return
	}
	n := 0
	for i := range chunks {
		c := &chunks[i]
		var here []int
		for _, line := range loose {
			if !c.IsSummary && c.Lines.First <= line && line <= c.Lines.Last {
				here = append(here, line)
			}
		}
		if len(here) > 0 && n < maxChangedPlaces {
			n++
			u := textUnit(c)
			if c.Section != "" {
				u.Identifier = string(f.Path) + "#" + c.Section
			}
			l.add(u, RoleChanged, signal("changed", worthChangedText), here...)
		}
	}
}

// innermost returns the innermost symbol that a line lies in, -1 for none.
func innermost(g *record.FileGraph, line int) int {
	best := -1
	for i := range g.Symbols { // outer before inner
		s := &g.Symbols[i]
		if s.Lines.First <= line && line <= s.Lines.Last {
			if best < 0 || languages.IsCallable(s.Kind) || !languages.IsCallable(g.Symbols[best].Kind) { // not a local of a function
				best = i
			}
		}
	}
	return best
}
