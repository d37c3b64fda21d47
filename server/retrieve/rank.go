package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// ranking is what a question brings, file by file.
type ranking struct {
	*candidates
	asked Question
	said  question
	tree  tree
	byKey map[record.Key]*spot
	hits  map[record.Path]*fileHit
	files []*fileHit // best first, once all channels have answered
}

// fileHit gathers what speaks for one file. The signals are in [0, 1].
type fileHit struct {
	path  record.Path
	facts fileFacts
	score float64
	why   []Signal
	spots []*spot // best first

	lexical, vector, fused, coherence float64
	definition, stem, directory       float64
	central                           float64
}

// spot is a place in a file: a chunk, or the definition of a name.
type spot struct {
	chunk           record.Chunk
	symbol          *record.Symbol // that the question names, nil for a chunk found otherwise
	lexical, vector float64        // in [0, 1], relative to the best of the channel
	fused           float64
	definition      float64
	score           float64
}

// rank asks every channel and fuses what they bring.
func rank(ctx context.Context, ix Index, asked Question) (*ranking, error) {
	c, err := newCandidates(ctx, ix, asked.Keep)
	if err != nil {
		return nil, err
	}
	r := &ranking{candidates: c, tree: tree{names: ix.Names}, asked: asked, said: readQuestion(asked.Query), byKey: map[record.Key]*spot{}, hits: map[record.Path]*fileHit{}}
	if err := r.narrow(ctx); err != nil {
		return nil, err
	}
	if err := r.byWords(ctx); err != nil {
		return nil, err
	}
	if err := r.byVector(ctx); err != nil {
		return nil, err
	}
	if err := r.gather(ctx); err != nil {
		return nil, err
	}
	r.byDefinition()
	r.byPath()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, f := range r.hits {
		r.score(f)
		r.files = append(r.files, f)
	}
	slices.SortFunc(r.files, func(a, b *fileHit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path)) })
	return r, nil
}

// narrow finds the chunks that a question keeps.
func (r *ranking) narrow(ctx context.Context) (err error) {
	if k := r.asked.kept(); k.Language != "" || k.Kind != "" || k.documents() {
		r.keys, err = r.ix.Files.Keys(ctx, k)
	}
	return err
}

// kept returns what a question keeps.
func (q *Question) kept() Keep { return Keep{q.Keep, q.Language, q.Kind, q.Layer, q.Tags} }

// gather puts the chunks that were found into their files.
func (r *ranking) gather(ctx context.Context) error {
	keys := make([]record.Key, 0, len(r.byKey))
	for k := range r.byKey {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	chunks, err := r.ix.Files.Chunks(ctx, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if c := chunks[i]; c.Key != 0 {
			f, s := r.file(c.Path), r.byKey[k]
			s.chunk = c
			f.spots = append(f.spots, s)
		}
	}
	return nil
}

func (r *ranking) file(p record.Path) *fileHit {
	f := r.hits[p]
	if f == nil {
		f = &fileHit{path: p, facts: factsOf(p)}
		r.hits[p] = f
	}
	return f
}

// ofDocuments reports whether a question keeps documents only.
func (q *Question) ofDocuments() bool {
	k := q.kept()
	return k.documents()
}

// wantsFile reports whether a question keeps a file by its path and language.
func (r *ranking) wantsFile(p record.Path) bool {
	return r.wants(p) && (r.asked.Language == "" || r.q.Graph(p).Language == r.asked.Language)
}

// score sums up what speaks for a file and orders its spots.
func (r *ranking) score(f *fileHit) {
	w := &weights
	for _, s := range f.spots {
		s.score = w.Lexical*s.lexical + w.Vector*s.vector + w.Fused*s.fused + 2*s.definition
		f.lexical = max(f.lexical, s.lexical)
		f.vector = max(f.vector, s.vector)
		f.fused = max(f.fused, s.fused)
	}
	slices.SortStableFunc(f.spots, func(a, b *spot) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk.Span.Start, b.chunk.Span.Start))
	})
	f.coherence = coherence(f.spots)
	f.central = r.ix.Names.Centrality(f.path)
	f.why = []Signal{{"lexical", w.Lexical * f.lexical}, {"vector", w.Vector * f.vector}, {"fused", w.Fused * f.fused}, {"coherence", w.Coherence * f.coherence}}
	sum := 0.0
	for _, s := range f.why {
		sum += s.Score
	}
	if sum < w.Floor {
		f.why = append(f.why, Signal{"floor", w.Floor - sum})
		sum = w.Floor
	}
	definition := w.Definition
	if r.said.one {
		definition = w.OneName
	}
	f.score = sum
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
	const least = 0.03 // shares below change no order
	sum, share := 0.0, 0.5
	for _, s := range spots[min(1, len(spots)):] {
		if share < least {
			break
		}
		sum += share * s.lexical
		share /= 2
	}
	return sum
}

// demotion returns the factor for what is rarely the answer, unless asked for.
func (r *ranking) demotion(f *fileHit) float64 {
	if f.facts.test && r.said.wantsTests || f.facts.example && r.said.wantsExamples {
		return 1
	}
	d := f.facts.demotion
	if f.facts.barrel && !slices.ContainsFunc(r.q.Graph(f.path).Symbols, func(s record.Symbol) bool { return languages.IsCallable(s.Kind) || languages.IsType(s.Kind) }) {
		d = min(d, weights.Barrel)
	}
	if r.ix.Names.HasSource(f.path) {
		d *= weights.Header
	}
	if v := r.tree.oldVersion(f.path); v != "" && !strings.Contains(strings.ToLower(r.said.raw), v) {
		d *= weights.OldVersion
	}
	return d
}

// matches returns the best spot of each file, then the second of each, and so on.
func (r *ranking) matches(limit int) []Match {
	var out []Match
	for depth, more := 0, true; more; depth++ {
		more = false
		for _, f := range r.files {
			if depth > 0 && depth >= len(f.spots) {
				continue
			}
			if len(out) == limit {
				return out
			}
			out = append(out, f.match(depth))
			more = true
		}
	}
	return out
}

// match makes a result of a spot, or of a file that was found by its name alone.
func (f *fileHit) match(i int) Match {
	m := Match{Path: f.path, Score: f.score, Why: f.why, Identifier: string(f.path), Kind: record.KindFile, Lines: record.Lines{First: 1, Last: 1}}
	if i >= len(f.spots) {
		return m
	}
	c := &f.spots[i].chunk
	m.Lines, m.Kind, m.ID = c.Lines, c.Kind, c.ID
	m.Identifier = cmp.Or(c.Unit, string(c.Path))
	if s := f.spots[i].symbol; s != nil && c.Unit != s.Qualified {
		m.Lines, m.Kind, m.Identifier = s.Lines, s.Kind, s.Qualified // one of several small units
	}
	return m
}
