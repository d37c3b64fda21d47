package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// weights is the one table of what each signal counts. The score of a file is
//
//	(lexical + vector + fused + coherence) × (1 + definition + stem + directory + centrality) × demotion
//
// where each signal is in [0, 1] and stands with its weight. The values were chosen
// on the mean over all trees of the benchmark, on a coarse grid, so that halving or
// doubling any of them costs little.
var weights = struct {
	Lexical, Vector, Fused, Coherence    float64
	Definition, Stem, Directory, Central float64
	OneName                              float64 // definition, when the question is one name
	// Factors for what is rarely the answer.
	Test, Example, Vendored, Compat, OldVersion, Types, Header, Barrel float64
}{
	Lexical: 1, Vector: 0.3, Fused: 0.25, Coherence: 0.35,
	Definition: 0.6, Stem: 0.5, Directory: 0.15, Central: 0.2,
	OneName: 3,
	Test:    0.5, Example: 0.5, Vendored: 0.3, Compat: 0.5, OldVersion: 0.5, Types: 0.7, Header: 0.85, Barrel: 0.7,
}

// score sums up what speaks for a file and orders its spots.
func (r *ranking) score(ix Index, f *fileHit) {
	w := &weights
	for _, s := range f.spots {
		s.fused *= float64(rrfK+1) / 2
		s.score = w.Lexical*s.lexical + w.Vector*s.vector + w.Fused*s.fused + 2*s.definition
		f.lexical = max(f.lexical, s.lexical)
		f.vector = max(f.vector, s.vector)
		f.fused = max(f.fused, s.fused)
	}
	slices.SortStableFunc(f.spots, func(a, b *spot) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk.Span.Start, b.chunk.Span.Start))
	})
	f.coherence = coherence(f.spots)
	f.central = ix.Names.Centrality(f.path)
	definition := w.Definition
	if r.q.one {
		definition = w.OneName
	}
	base := []Signal{{"lexical", w.Lexical * f.lexical}, {"vector", w.Vector * f.vector}, {"fused", w.Fused * f.fused}, {"coherence", w.Coherence * f.coherence}}
	sum := 0.0
	for _, s := range base {
		sum += s.Score
	}
	// A file that no channel of text found still counts by its names.
	const floor = 0.25
	sum = max(sum, floor)
	f.score = sum
	f.why = base
	for _, s := range []Signal{{"definition", definition * f.definition}, {"file name", w.Stem * f.stem}, {"directory", w.Directory * f.directory}, {"centrality", w.Central * f.central}} {
		s.Score *= sum
		f.score += s.Score
		f.why = append(f.why, s)
	}
	if d := r.demotion(f); d < 1 {
		f.why = append(f.why, Signal{"demotion", f.score*d - f.score})
		f.score *= d
	}
	f.why = slices.DeleteFunc(f.why, func(s Signal) bool { return s.Score == 0 })
	slices.SortStableFunc(f.why, func(a, b Signal) int { return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score)) })
}

// coherence rewards files in which several chunks answer: the hits behind the
// best, each counting half of the one before.
func coherence(spots []*spot) float64 {
	sum, share := 0.0, 0.5
	for _, s := range spots[min(1, len(spots)):] {
		sum += share * s.lexical
		share /= 2
		if share < 0.03 {
			break
		}
	}
	return sum
}

// demotion returns the factor for what is rarely the answer, unless asked for.
func (r *ranking) demotion(f *fileHit) float64 {
	if f.facts.test && r.q.wantsTests || f.facts.example && r.q.wantsExamples {
		return 1
	}
	d := f.facts.demotion
	if r.tree.hasSource(f.path) {
		d *= weights.Header
	}
	if v := r.tree.oldVersion(f.path); v != "" && !strings.Contains(strings.ToLower(r.q.raw), v) {
		d *= weights.OldVersion
	}
	return d
}

// matches returns the best spot of each file, then what is left, best first.
func (r *ranking) matches(limit int) []Match {
	var out []Match
	for depth := 0; len(out) < limit; depth++ {
		n := len(out)
		for _, f := range r.files {
			if depth >= len(f.spots) && !(depth == 0) {
				continue
			}
			if len(out) == limit {
				break
			}
			out = append(out, r.match(f, depth))
		}
		if len(out) == n {
			break
		}
	}
	return out
}

func (r *ranking) match(f *fileHit, i int) Match {
	m := Match{Path: f.path, Score: f.score, Why: f.why, Identifier: string(f.path)}
	m.Lines.First, m.Lines.Last = 1, 1
	if i < len(f.spots) {
		c := &f.spots[i].chunk
		m.Lines, m.Kind, m.ID = c.Lines, c.Kind, c.ID
		m.Identifier = cmp.Or(c.Unit, string(c.Path))
	}
	return m
}
