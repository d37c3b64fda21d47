package lexical

import (
	"cmp"
	"context"
	"math"
	"slices"

	"ambit/vectors/record"
)

// The parameters of BM25, those of its authors and of most engines.
const (
	k1 = 1.5  // how soon further occurrences stop to count
	kb = 0.75 // b: how much a row's length counts
)

// maxQueryTerms bounds the distinct terms of a query, which may be a whole pasted file;
// the rest is not read.
const maxQueryTerms = 128

// Search returns the at most k best rows for query of those that o keeps, best first. A
// row without any term of the query is no hit; no hit is not an error. It returns the
// error of ctx.
//
// The score of a row is the sum, over the terms t of the query, of
//
//	n(t) · idf(t) · tf · (k1+1) / (tf + k1 · (1 - b + b · length/average))
//
// where n is how often the query holds t, tf the weighted number of times that the
// row does (on the scale of a posting), and length the weighted tokens of the row. It
// is computed in float32, term after term in the order of the query.
//
// Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and
// Beyond" (2009).
func (v *View) Search(ctx context.Context, query string, k int, o Options) ([]record.Hit, error) {
	return v.SearchWords(ctx, []record.Word{{Text: query, Weight: 1}}, k, o)
}

// SearchWords is like Search for a query of weighted parts: n(t) is the sum of the weights
// of the parts that hold t, each as often as it does.
func (v *View) SearchWords(ctx context.Context, query []record.Word, k int, o Options) ([]record.Hit, error) {
	if o.Tie == nil {
		o.Tie = cmp.Compare[record.Key]
	}
	terms := parseQuery(query)
	if k <= 0 || v.n == 0 || len(terms) == 0 {
		return nil, ctx.Err()
	}
	s := v.borrow()
	defer v.giveBack(s)
	for _, t := range terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		factor := v.match(t, s)
		scores := s.scores
		for i := range v.parts {
			addScores(scores, s.postings[i], v.parts[i].lengths, factor, v.norm())
			scores = scores[len(v.parts[i].keys):]
		}
	}
	return v.best(s.scores, min(k, v.n), o), nil
}

// idf returns the inverse document frequency of a term that df of n rows hold. The
// result is > 0, so a term in every row still counts a little.
//
// Source: Robertson and Zaragoza (2009), with the 1+ inside the logarithm that
// Lucene adds.
func idf(df, n int) float64 {
	return math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
}

// norm is the part of the divisor that depends on the length of a row:
// base + slope·length.
type norm struct{ base, slope float32 }

func (v *View) norm() norm {
	average := max(float64(v.total), 1) / float64(v.n)
	return norm{k1 * (1 - kb), float32(k1 * kb / average)}
}

// score returns the share of a posting, of a term with factor n·idf·(k1+1), in the
// score of a row of the given length. The conversions keep the compiler from fusing
// the products, so that the result is one on every machine.
func (m norm) score(factor, tf float32, length uint16) float32 {
	return float32(factor*tf) / (tf + (m.base + float32(m.slope*float32(length))))
}

// postings are the rows of a part that hold a term, dead ones too.
type postings struct {
	rows  []uint32
	codes []byte // one a row
}

// match reads the postings of a term into s, those of each part, and returns its factor
// in the score of a row: n·idf·(k1+1).
func (v *View) match(t queryTerm, s *scratch) float32 {
	df := 0
	s.rows, s.postings = s.rows[:0], s.postings[:0]
	for i := range v.parts {
		p, from := &v.parts[i], len(s.rows)
		var found postings
		s.rows, found.codes = p.find([]byte(t.term)).decode(s.rows, len(p.keys))
		found.rows = s.rows[from:]
		s.postings = append(s.postings, found)
		df += p.countLive(found.rows)
	}
	return float32(t.n * idf(df, v.n) * (k1 + 1))
}

// countLive returns how many of rows are live.
func (p *part) countLive(rows []uint32) int {
	n := len(rows)
	if p.nDead > 0 {
		for _, row := range rows {
			n -= int(p.dead[row>>6] >> (row & 63) & 1)
		}
	}
	return n
}

// levelScores are levels as they enter the score.
var levelScores = func() (t [nLevels]float32) {
	for i, n := range levels {
		t[i] = float32(n)
	}
	return t
}()

// addScores adds the share of a term to the scores of its rows, dead ones too.
func addScores(scores []float32, p postings, lengths []uint16, factor float32, m norm) {
	scores, codes := scores[:len(lengths)], p.codes[:len(p.rows)]
	for i, row := range p.rows {
		scores[row] += m.score(factor, levelScores[codes[i]%nLevels], lengths[row])
	}
}

// best returns the k best live rows to keep with a score, best first.
func (v *View) best(scores []float32, k int, o Options) []record.Hit {
	top := make([]record.Hit, 0, min(k, 1024)) // once full, a heap with the worst on top
	better := func(a, b record.Hit) bool {
		return a.Score > b.Score || a.Score == b.Score && o.Tie(a.Key, b.Key) < 0
	}
	floor := float32(math.SmallestNonzeroFloat32)
	for i := range v.parts {
		p := &v.parts[i]
		for row, score := range scores[:len(p.keys)] {
			if score < floor || p.isDead(row) || o.Keep != nil && !o.Keep(p.keys[row]) {
				continue
			}
			h := record.Hit{Key: p.keys[row], Score: float64(score)}
			switch {
			case len(top) < k:
				if top = append(top, h); len(top) < k {
					continue
				}
				for i := k / 2; i >= 0; i-- {
					sink(top, i, better)
				}
			case better(h, top[0]):
				top[0] = h
				sink(top, 0, better)
			}
			floor = float32(top[0].Score)
		}
		scores = scores[len(p.keys):]
	}
	slices.SortFunc(top, func(a, b record.Hit) int {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
		return o.Tie(a.Key, b.Key)
	})
	return top
}

// sink restores the heap below its i-th hit.
func sink(heap []record.Hit, i int, better func(a, b record.Hit) bool) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if better(heap[worst], heap[child]) {
				worst = child
			}
		}
		if worst == i {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}

// scratch is the memory of one search, used again by later ones.
type scratch struct {
	scores   []float32 // one a row of the view, all 0 when borrowed
	rows     []uint32
	postings []postings // of the current term, one a part; their rows lie in rows
}

func (v *View) borrow() *scratch {
	rows := v.rows
	s, ok := v.scratch.Get().(*scratch)
	if !ok {
		s = &scratch{}
	}
	if cap(s.scores) < rows {
		s.scores = make([]float32, rows+rows/16) // the next view may have some more
	}
	s.scores = s.scores[:rows]
	return s
}

func (v *View) giveBack(s *scratch) {
	clear(s.scores)
	clear(s.postings) // they hold on to segments
	v.scratch.Put(s)
}
