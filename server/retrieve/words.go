package retrieve

import (
	"cmp"
	"context"

	"ambit/server/api"
	"ambit/vectors/record"
)

// Search returns the places that answer a question in words: the best of each file in
// the order of their scores, then the second of each file, and so on.
func Search(ctx context.Context, ix Index, q Question) ([]api.Match, error) {
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
	// rrfK is the constant of reciprocal rank fusion. Source: Cormack, Clarke and
	// Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
	// Learning Methods" (SIGIR 2009).
	rrfK = 60
)

// byWords is the lexical channel, and, for a report, that of its title.
func (r *ranking) byWords(ctx context.Context) error {
	found, err := r.ix.Text.Search(ctx, r.question.query, textDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(found, true, func(s *spot) *float64 { return &s.lexical })
	if !r.question.report {
		return nil
	}
	var title []record.Word
	for _, w := range r.question.contentWords() {
		title = append(title, record.Word{Text: w, Weight: 1})
	}
	if found, err = r.ix.Text.Search(ctx, title, textDepth, r.keys); err != nil {
		return err
	}
	r.take(found, false, func(s *spot) *float64 { return &s.title })
	return nil
}

// byVector is the vector channel.
func (r *ranking) byVector(ctx context.Context) error {
	v, err := r.ix.Embed.EmbedQuery(ctx, r.question.text)
	if err != nil {
		return err
	}
	found, err := r.ix.Vectors.Search(ctx, v, vectorDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(found, true, func(s *spot) *float64 { return &s.vector })
	return nil
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
