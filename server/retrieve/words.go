package retrieve

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// Search returns the places that answer a question in words, best first: a file
// appears a second time only behind all files that answer as well.
func Search(ctx context.Context, ix Index, q Question) ([]Match, error) {
	r, err := rank(ctx, ix, q)
	if err != nil {
		return nil, err
	}
	return r.matches(cmp.Or(q.Limit, DefaultLimit)), nil
}

const (
	// textDepth and vectorDepth are how many chunks each channel brings: on the
	// benchmark 99 % of the answers are among the first 200 by words.
	textDepth   = 200
	vectorDepth = 100
	// rrfK is the constant of reciprocal rank fusion. Source: Cormack, Clarke and
	// Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
	// Learning Methods" (SIGIR 2009).
	rrfK = 60
)

// ranking is what a question brings.
type ranking struct {
	q     question
	files []*fileHit // best first
	tree  tree
}

// fileHit gathers what speaks for one file.
type fileHit struct {
	path  record.Path
	score float64
	why   []Signal
	spots []*spot // best first

	lexical, vector, fused, coherence float64
	definition, stem, directory       float64
	central, demotion                 float64
	facts                             fileFacts
}

// spot is a place in a file: a chunk, or the definition of a name.
type spot struct {
	chunk           record.Chunk
	lexical, vector float64 // in [0, 1], relative to the best of the channel
	fused           float64
	definition      float64
	score           float64
}

// rank asks every channel and fuses what they bring.
func rank(ctx context.Context, ix Index, asked Question) (*ranking, error) {
	r := &ranking{q: readQuestion(asked.Query), tree: treeOf(ix.Names)}
	hits := map[record.Key]*spot{}
	if err := r.byWords(ctx, ix, hits); err != nil {
		return nil, err
	}
	if err := r.byVector(ctx, ix, hits); err != nil {
		return nil, err
	}
	keys := make([]record.Key, 0, len(hits))
	for k := range hits {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	chunks, err := ix.Files.Chunks(ctx, keys)
	if err != nil {
		return nil, err
	}
	files := map[record.Path]*fileHit{}
	for i, k := range keys {
		if c := chunks[i]; c.Key != 0 && asked.wants(c.Path, c.Language) {
			s := hits[k]
			s.chunk = c
			fileOf(files, c.Path).spots = append(fileOf(files, c.Path).spots, s)
		}
	}
	r.byDefinition(ctx, ix, files, asked)
	r.byPath(ix, files, asked)
	for _, f := range files {
		r.score(ix, f)
		r.files = append(r.files, f)
	}
	slices.SortFunc(r.files, func(a, b *fileHit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path)) })
	return r, nil
}

func fileOf(files map[record.Path]*fileHit, p record.Path) *fileHit {
	f := files[p]
	if f == nil {
		f = &fileHit{path: p, facts: factsOf(p)}
		files[p] = f
	}
	return f
}

// wants reports whether a question's filters keep a file.
func (q *Question) wants(p record.Path, language string) bool {
	if q.Language != "" && language != q.Language {
		return false
	}
	dir := strings.TrimSuffix(q.Path, "/")
	return dir == "" || string(p) == dir || strings.HasPrefix(string(p), dir+"/")
}

// byWords is the lexical channel.
func (r *ranking) byWords(ctx context.Context, ix Index, hits map[record.Key]*spot) error {
	text := strings.Join(r.contentWords(), " ")
	found, err := ix.Text.Search(ctx, text, textDepth)
	if err != nil {
		return err
	}
	for i, h := range found {
		s := spotOf(hits, h.Key)
		s.lexical = h.Score / found[0].Score
		s.fused += 1 / float64(rrfK+i+1)
	}
	return nil
}

// contentWords returns the words of the question that are not stop words, as
// written; all of them when there are no others.
func (r *ranking) contentWords() []string {
	all := wordPattern.FindAllString(r.q.raw, maxQuestionWords)
	kept := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return stopWords[strings.ToLower(w)] })
	if len(kept) == 0 {
		return all
	}
	return kept
}

// byVector is the vector channel.
func (r *ranking) byVector(ctx context.Context, ix Index, hits map[record.Key]*spot) error {
	v, err := ix.Embed.EmbedQuery(ctx, r.q.raw)
	if err != nil {
		return err
	}
	found, err := ix.Vectors.Search(ctx, v, vectorDepth)
	if err != nil {
		return err
	}
	for i, h := range found {
		if h.Score <= 0 {
			break
		}
		s := spotOf(hits, h.Key)
		s.vector = h.Score / found[0].Score
		s.fused += 1 / float64(rrfK+i+1)
	}
	return nil
}

func spotOf(hits map[record.Key]*spot, k record.Key) *spot {
	s := hits[k]
	if s == nil {
		s = &spot{}
		hits[k] = s
	}
	return s
}

// maxSharedName is the number of definitions above which a name says little of
// where the answer is: the weight is shared.
const maxSharedName = 64

// byDefinition gives weight to files that define a name of the question.
func (r *ranking) byDefinition(ctx context.Context, ix Index, files map[record.Path]*fileHit, asked Question) {
	seen := map[string]bool{}
	for _, n := range r.q.names {
		if seen[n.text] {
			continue
		}
		seen[n.text] = true
		defs := ix.Names.Definitions(n.text)
		if len(defs) > maxSharedName {
			defs = defs[:maxSharedName]
		}
		for _, d := range defs {
			if !asked.wants(d.Path, "") {
				continue
			}
			f := fileOf(files, d.Path)
			w := n.sure * kindWeight(d.Kind)
			if !d.Exported {
				w *= 0.8
			}
			w /= 1 + math.Log2(float64(len(defs)))/4
			f.definition = max(f.definition, w)
			r.markDefinition(ctx, ix, f, d.Symbol, w)
		}
	}
}

// markDefinition finds the chunk of a definition among a file's spots, or adds one
// made of the symbol.
func (r *ranking) markDefinition(ctx context.Context, ix Index, f *fileHit, symbol int, w float64) {
	g, err := ix.Files.Graph(ctx, f.path)
	if err != nil || symbol >= len(g.Symbols) {
		return
	}
	s := &g.Symbols[symbol]
	for _, sp := range f.spots {
		if sp.chunk.Span.Start <= s.NameSpan.Start && s.NameSpan.Start < sp.chunk.Span.End && !sp.chunk.Beside {
			sp.definition = max(sp.definition, w)
			return
		}
	}
	f.spots = append(f.spots, &spot{definition: w, chunk: record.Chunk{Path: f.path, Language: g.Language, Kind: s.Kind, Name: s.Name, Unit: s.Qualified, Signature: s.Signature, Span: s.Span, Lines: s.Lines}})
}

// kindWeight tells how much a definition of a kind is what people look for.
func kindWeight(k record.Kind) float64 {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindModule, record.KindType:
		return 1
	case record.KindFunction, record.KindMacro, record.KindMethod:
		return 0.85
	case record.KindConstant, record.KindVariable:
		return 0.6
	case record.KindField, record.KindTest, record.KindSection:
		return 0.3
	}
	return 0.5
}

// byPath gives weight to files and directories that are named like the question.
func (r *ranking) byPath(ix Index, files map[record.Path]*fileHit, asked Question) {
	if len(r.q.terms) == 0 {
		return
	}
	for p := range r.tree.paths {
		if !asked.wants(p, "") {
			continue
		}
		if f := files[p]; f != nil {
			f.stem, f.directory = overlap(f.facts.stem, r.q.terms), overlap(f.facts.dirs, r.q.terms)
		} else if facts := factsOf(p); overlap(facts.stem, r.q.terms) >= minOverlap {
			f = fileOf(files, p)
			f.stem, f.directory = overlap(facts.stem, r.q.terms), overlap(facts.dirs, r.q.terms)
		}
	}
}

// minOverlap is the share of a file's name that the question must hold to bring a
// file in which neither words nor vectors found anything.
const minOverlap = 0.5

// overlap returns the share of the words of a name that are among terms.
func overlap(words, terms []string) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0
	for _, w := range words {
		if slices.Contains(terms, w) {
			n++
		}
	}
	return float64(n) / float64(len(words))
}
