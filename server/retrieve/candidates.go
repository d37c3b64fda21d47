package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// candidates collects units, each once, with its signals. It serves one request, and one
// goroutine but for keys.
type candidates struct {
	ix       Index
	q        *graph.Query
	list     []*Candidate
	at       map[unitKey]*Candidate
	arrows   []arrow
	arrowAt  map[arrowKey]int // index into arrows
	lost     []Pin
	outlines map[record.Path]*languages.Outline // that declare parsed
	filter   Filter
	keys     func(record.Key) bool // the chunks that the filter keeps; nil for all
	curve    curve                 // from the relevance to the probability
	sure     float64               // the probability of the best candidate
}

// unitKey identifies a unit of one state of the workspace.
type unitKey struct {
	path record.Path
	span record.Span
}

// arrowKey identifies a dependency by its ends.
type arrowKey struct{ from, to string }

// arrow is a dependency with its number of uses.
type arrow struct {
	api.Dependency
	n int
}

func newCandidates(ctx context.Context, ix Index, filter Filter) (c *candidates, err error) {
	c = &candidates{ix: ix, q: ix.Names.Query(ctx, ix.Files), at: map[unitKey]*Candidate{}, arrowAt: map[arrowKey]int{}, filter: filter, curve: cursorCurve, sure: 1}
	if filter.Path != nil {
		c.q.Keep(filter.Path)
	}
	if !filter.empty() {
		c.keys, err = ix.Files.Keys(ctx, filter)
	}
	return c, err
}

// signal returns a named term of a score.
func signal(name string, score float64) api.Signal { return api.Signal{Name: name, Score: score} }

// wants reports whether the filter keeps a file by its path.
func (c *candidates) wants(p record.Path) bool { return c.filter.Path == nil || c.filter.Path(p) }

// text returns the text of a file, nil when the file cannot be read.
func (c *candidates) text(p record.Path) []byte {
	content, _ := c.ix.Files.Content(c.q.Context(), p) // an unreadable file has no text
	return content
}

// add records a unit with a role and a signal. A unit that is already recorded keeps its
// first role and, of two signals with one name, the larger. A unit in a filtered-out file
// is returned but not recorded, unless it is pinned.
func (c *candidates) add(u Unit, role Role, why api.Signal, focus ...int) *Candidate {
	key := unitKey{u.Path, u.Span}
	known := c.at[key]
	if known == nil {
		known = &Candidate{Unit: u, Role: role, Frequency: c.ix.History.Frequency(u.Path)}
		if role != RolePinned && !c.wants(u.Path) {
			return known
		}
		c.at[key] = known
		c.list = append(c.list, known)
	}
	if i := slices.IndexFunc(known.Why, func(s api.Signal) bool { return s.Name == why.Name }); i >= 0 {
		known.Why[i].Score = max(known.Why[i].Score, why.Score)
	} else {
		known.Why = append(known.Why, why)
	}
	known.Focus = append(known.Focus, focus...)
	return known
}

// addSymbol adds the unit of a symbol of a file, or of the whole file for -1. It returns
// nil when there is no such symbol or file.
func (c *candidates) addSymbol(p record.Path, symbol int, role Role, why api.Signal, focus ...int) *Candidate {
	g := c.q.Graph(p)
	switch {
	case symbol >= len(g.Symbols):
		return nil
	case symbol >= 0:
		return c.add(unitOf(g, symbol), role, why, focus...)
	}
	content := c.text(p)
	if content == nil {
		return nil
	}
	return c.add(fileUnit(g, content), role, why, focus...)
}

// ranked returns the candidates: definitions, enclosing units, matches and pinned units
// first, then the rest, each by relevance relative to the best.
func (c *candidates) ranked() []Candidate {
	out := make([]Candidate, 0, len(c.list))
	best := 0.0
	for _, x := range c.list {
		// Independent reasons add up as probabilities do: 1 - ∏(1 - p).
		rest := 1.0
		for _, s := range x.Why {
			rest *= 1 - min(max(s.Score, 0), maxCertainty)
		}
		x.Relevance = 1 - rest
		best = max(best, x.Relevance)
		slices.SortStableFunc(x.Why, func(a, b api.Signal) int { return cmp.Compare(b.Score, a.Score) })
		roundScores(x.Why)
		x.Focus = linesIn(x.Unit.Lines, x.Focus)
		out = append(out, *x)
	}
	for i := range out {
		out[i].Relevance /= max(best, leastCertainty)
		out[i].Probability = c.sure * c.curve.at(out[i].Relevance)
	}
	slices.SortStableFunc(out, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(part(a.Role), part(b.Role)), cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.Unit.Path, b.Unit.Path), cmp.Compare(a.Unit.Span.Start, b.Unit.Span.Start))
	})
	return out
}

const (
	maxCertainty   = 0.999 // of one signal, so that further signals still count
	leastCertainty = 1e-9  // of the best, so that it can divide
)

// scoreDecimals is the number of decimals of the scores of an answer.
const scoreDecimals = 4

// roundScores rounds the scores of signals.
func roundScores(why []api.Signal) {
	for i := range why {
		why[i].Score = Round(why[i].Score, scoreDecimals)
	}
}

// Round returns x rounded to a number of decimals, and 0 for NaN and infinities, which
// JSON cannot write.
func Round(x float64, decimals int) float64 {
	scale := math.Pow10(decimals)
	if r := math.Round(x*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return 0
}

// part returns 0 for the roles that ranked puts first, else 1.
func part(r Role) int {
	if r == RoleDefinition || r == RoleChanged || r == RoleEnclosing || r == RoleMatch || r == RoleSchema || r == RolePinned {
		return 0
	}
	return 1
}

// linesIn returns the given lines that lie in a range, ascending, each once.
func linesIn(r record.Lines, lines []int) []int {
	lines = slices.DeleteFunc(lines, func(l int) bool { return l < r.First || l > r.Last })
	slices.Sort(lines)
	return slices.Compact(lines)
}

// leastArrow is the probability from which an answer prints that one unit uses another: a
// guess between two definitions of a name is no arrow in any language, a unique name is one
// where it says enough.
const leastArrow = 0.4

// depend records that one unit uses another n times, unless that is improbable.
func (c *candidates) depend(from, to string, kind record.EdgeKind, n int, probability float64) {
	if probability < leastArrow || from == to {
		return
	}
	i, ok := c.arrowAt[arrowKey{from, to}]
	if !ok {
		c.arrowAt[arrowKey{from, to}] = len(c.arrows)
		c.arrows = append(c.arrows, arrow{api.Dependency{From: from, To: to, Kind: kind}, n})
		return
	}
	c.arrows[i].n += n
	if worthOf(kind) > worthOf(c.arrows[i].Kind) {
		c.arrows[i].Kind = kind // a call tells more than a read
	}
}

// dependencies returns the dependencies, most used first.
func (c *candidates) dependencies() []api.Dependency {
	slices.SortStableFunc(c.arrows, func(a, b arrow) int { return cmp.Compare(b.n, a.n) })
	var out []api.Dependency
	for _, a := range c.arrows[:min(len(c.arrows), maxDependencies)] {
		out = append(out, a.Dependency)
	}
	return out
}

// finish adds the dependents of every candidate and, with structure, the outlines of
// their files.
func (c *candidates) finish(r *Result, structure bool) {
	r.Lost = c.lost
	seen := map[record.Path]bool{}
	for i := range r.Candidates {
		u := &r.Candidates[i].Unit
		if u.Kind != record.KindFile && u.Kind != record.KindText {
			_, name := languages.CutLast(u.Identifier)
			r.Candidates[i].Dependents = c.q.UserCount(name)
		}
		if structure && !seen[u.Path] && len(r.Structure) < maxStructure {
			seen[u.Path] = true
			r.Structure = append(r.Structure, c.outline(u.Path))
		}
	}
}

// outline lists the top-level units of a file.
func (c *candidates) outline(p record.Path) FileOutline {
	g := c.q.Graph(p)
	f := FileOutline{Path: p, Lines: countLines(c.text(p))}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Parent < 0 {
			f.Units = append(f.Units, s.Signature)
		}
	}
	return f
}
