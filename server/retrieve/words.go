package retrieve

import (
	"cmp"
	"context"
	"slices"
	"strings"

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

// byWords is the lexical channel.
func (r *ranking) byWords(ctx context.Context) error {
	query := strings.Join(r.contentWords(), " ")
	found, err := r.ix.Text.Search(ctx, query, textDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(found, func(s *spot) *float64 { return &s.lexical })
	return nil
}

// contentWords returns the words of the question that are not stop words, as
// written; all of them when there are no others.
func (r *ranking) contentWords() []string {
	kept := slices.DeleteFunc(slices.Clone(r.question.words), func(w string) bool { return stopWords[strings.ToLower(w)] })
	if len(kept) == 0 {
		return r.question.words
	}
	return kept
}

// byVector is the vector channel.
func (r *ranking) byVector(ctx context.Context) error {
	v, err := r.ix.Embed.EmbedQuery(ctx, r.question.raw)
	if err != nil {
		return err
	}
	found, err := r.ix.Vectors.Search(ctx, v, vectorDepth, r.keys)
	if err != nil {
		return err
	}
	r.take(found, func(s *spot) *float64 { return &s.vector })
	return nil
}

// take records the hits of one of the two channels in a field of their spots: the score
// relative to the best, and a share of fused by rank, at most half from each channel.
func (r *ranking) take(found []record.Hit, field func(*spot) *float64) {
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
		s.fused += float64(rrfK+1) / 2 / float64(rrfK+i+1)
	}
}
