package retrieve

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"ambit/indexer/graph"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Search returns the places that answer a question in words: the best of each file in
// the order of their scores, then the second of each file, and so on.
func Search(ctx context.Context, ix Index, q Question) (found []api.Match, err error) {
	defer graph.Catch(&err)
	r, err := rank(ctx, ix, q)
	if err != nil {
		return nil, err
	}
	return r.matches(cmp.Or(max(q.Limit, 0), api.DefaultSearchLimit)), nil
}

const (
	// textDepth and vectorDepth bound the hits of each channel: on the benchmark 99 % of
	// the answers are among the first 200 by words.
	textDepth   = 200
	vectorDepth = 100
	fileDepth   = 50 // files without another hit
	// pathDepth bounds the files that only their paths name: in large trees tens of thousands
	// have two words of a question.
	pathDepth = 200
	// rrfK is the constant of reciprocal rank fusion. Source: Cormack, Clarke and
	// Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
	// Learning Methods" (SIGIR 2009).
	rrfK = 60
)

// hitLists is what the channels found that is scored once all of them have answered.
type hitLists struct {
	vectors     []record.Hit
	whole       iter.Seq[FileScore] // nil without
	definitions []defined
	files       []named
}

// look asks the channels: that of the vectors, which reads all of them, while the others read what
// they need.
func (r *ranking) look(ctx context.Context) (*hitLists, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &hitLists{}
	var vectorsErr error
	var panicked any
	var asked sync.WaitGroup
	defer asked.Wait() // after cancel
	defer cancel()
	asked.Go(func() {
		defer func() { panicked = recover() }()
		f.vectors, vectorsErr = r.nearest(ctx)
	})
	if err := r.lookElsewhere(ctx, f); err != nil {
		return nil, err
	}
	asked.Wait()
	if panicked != nil {
		panic(panicked) // as any other one of the question
	}
	return f, vectorsErr
}

// nearest returns the chunks whose vectors are nearest to that of the question.
func (r *ranking) nearest(ctx context.Context) ([]record.Hit, error) {
	v, err := r.ix.Embed.EmbedQuery(ctx, r.question.text)
	if err != nil {
		return nil, err
	}
	return r.ix.Vectors.Search(ctx, v, vectorDepth, r.keys)
}

// lookElsewhere asks the channels but that of the vectors.
func (r *ranking) lookElsewhere(ctx context.Context, f *hitLists) error {
	if err := r.byWords(ctx); err != nil {
		return err
	}
	if !r.filter.documents() && r.filter.Kind == "" {
		var err error
		if f.whole, err = r.ix.Text.Files(ctx, r.question.query); err != nil {
			return err
		}
	}
	if err := r.readChunks(ctx); err != nil { // first: definitions may use up what a question may read
		return err
	}
	f.definitions, f.files = r.lookForDefinitions(), r.lookForFiles()
	return nil
}

// byWords is the lexical channel, and, for a report, that of its title.
func (r *ranking) byWords(ctx context.Context) error {
	words, err := r.ix.Text.Search(ctx, r.question.query, textDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(words, true, func(s *spot) *float64 { return &s.lexical })
	if len(words) > 0 {
		r.bestWords = words[0].Score
	}
	if !r.question.report {
		return nil
	}
	title, err := r.ix.Text.Search(ctx, r.question.titleWords(), textDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(title, false, func(s *spot) *float64 { return &s.title })
	if len(title) > 0 {
		r.bestTitle = title[0].Score
	}
	return nil
}

// byVector is the vector channel.
func (r *ranking) byVector(f *hitLists) {
	if len(f.vectors) > 0 {
		r.bestVector = f.vectors[0].Score
	}
	r.take(f.vectors, true, func(s *spot) *float64 { return &s.vector })
}

// byFiles is the channel that scores whole files: the words of a question may stand in
// different units of the file that answers it, those of a report here and there.
func (r *ranking) byFiles(f *hitLists) {
	if f.whole == nil {
		return
	}
	top := best[FileScore]{n: fileDepth, order: byScore}
	var others []FileScore // with another hit
	for s := range f.whole {
		if !r.wants(s.Path) {
			continue
		}
		if r.hits[s.Path] != nil {
			others = append(others, s)
		}
		top.add(s)
	}
	found := top.list()
	if len(found) == 0 {
		return
	}
	last := found[len(found)-1]
	others = slices.DeleteFunc(others, func(f FileScore) bool { return byScore(f, last) <= 0 })
	slices.SortFunc(others, byScore)
	most := 0.0
	for _, x := range append(found, others...) {
		if r.hits[x.Path] == nil && !r.wantsFile(x.Path) {
			continue
		}
		most = max(most, x.Score) // that of the first
		r.file(x.Path).whole = x.Score / most
	}
}

// byScore orders files from the best to the worst.
func byScore(a, b FileScore) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Path, b.Path))
}

// best keeps the n first of some values in an order. It sorts 2n at a time: to list and sort
// the scores of 200,000 files took a tenth of a search.
type best[T any] struct {
	n      int
	order  func(a, b T) int
	values []T  // at most 2n
	full   bool // the n first were sorted, so that values[n-1] is a bound
}

// admits reports whether add would keep x.
func (b *best[T]) admits(x T) bool { return !b.full || b.order(x, b.values[b.n-1]) < 0 }

func (b *best[T]) add(x T) {
	if !b.admits(x) {
		return
	}
	b.values = append(b.values, x)
	if len(b.values) == 2*b.n {
		b.values, b.full = b.list(), true
	}
}

// list returns the n first, sorted.
func (b *best[T]) list() []T {
	slices.SortFunc(b.values, b.order)
	return b.values[:min(b.n, len(b.values))]
}

// findSpots finds the places of the best files that only byFiles found.
func (r *ranking) findSpots(ctx context.Context) error {
	of := map[record.Key]*fileHit{}
	chunks := map[record.Key]record.Chunk{}
	for _, f := range r.files[:min(len(r.files), maxMatchedFiles)] {
		if len(f.spots) > 0 || f.whole == 0 {
			continue
		}
		list, err := r.ix.Files.FileChunks(ctx, f.path)
		if err != nil {
			return err
		}
		for _, c := range list {
			of[c.Key], chunks[c.Key] = f, c
		}
	}
	if len(of) == 0 {
		return nil
	}
	found, err := r.ix.Text.Search(ctx, r.question.query, textDepth, func(k record.Key) bool { return of[k] != nil })
	for _, h := range found {
		if f := of[h.Key]; len(f.spots) < maxMatchedSpots {
			s := &spot{chunk: chunks[h.Key], lexical: h.Score / r.bestWords}
			s.score = r.weights.Lexical * s.lexical
			f.spots = append(f.spots, s)
		}
	}
	return err
}

// take records the hits of one of the two channels in a field of their spots: the score
// relative to the best, and a share of fused by rank, at most half from each channel.
func (r *ranking) take(found []record.Hit, fuse bool, field func(*spot) *float64) {
	for i, h := range found {
		if h.Score <= 0 {
			break
		}
		s := r.byKey[h.Key]
		if s == nil {
			s = &spot{}
			r.byKey[h.Key] = s
		}
		*field(s) = h.Score / found[0].Score
		if fuse {
			s.fused += float64(rrfK+1) / 2 / float64(rrfK+i+1)
		}
	}
}
