package lexical

import (
	"cmp"
	"container/heap"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// The parameters of BM25, those of its authors and of most engines.
const (
	k1 = 1.5  // how soon further occurrences stop to count
	kb = 0.75 // b: how much a row's length counts
)

// maxQueryTerms bounds a query, which may be a whole pasted file: what follows that
// many distinct terms is not read.
const maxQueryTerms = 128

// Search returns the at most k best rows for query, best first, rows of one score by
// their key. A row without any term of the query is no hit; no hit is not an error.
// It returns the error of ctx.
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
func (ix *Index) Search(ctx context.Context, query string, k int) ([]record.Hit, error) {
	v := ix.view.Load()
	terms := parseQuery(query)
	if k <= 0 || v.n == 0 || len(terms) == 0 {
		return nil, ctx.Err()
	}
	scores := ix.borrowScores(v.rows)
	defer ix.returnScores(scores)
	for _, t := range terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m := v.match(t)
		base := 0
		for i := range v.parts {
			n := len(v.parts[i].keys)
			v.parts[i].addScores((*scores)[base:base+n], m.lists[i], m.factor, v.norm())
			base += n
		}
	}
	return v.best(*scores, min(k, v.n)), nil
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

func (v *view) norm() norm {
	average := max(float64(v.total), 1) / float64(v.n)
	return norm{k1 * (1 - kb), float32(k1 * kb / average)}
}

// score returns the share of a posting, of a term with factor n·idf·(k1+1), in the
// score of a row of the given length. The conversions keep the compiler from fusing
// the products, so that the result is one on every machine.
func (m norm) score(factor, tf float32, length uint16) float32 {
	return float32(factor*tf) / (tf + (m.base + float32(m.slope*float32(length))))
}

// match is a term of the query met with a view.
type match struct {
	lists  []list // one a part
	df     int    // live rows
	idf    float64
	factor float32 // n·idf·(k1+1)
}

func (v *view) match(t queryTerm) match {
	m := match{lists: make([]list, len(v.parts))}
	for i := range v.parts {
		m.lists[i] = v.parts[i].find([]byte(t.term))
		m.df += v.parts[i].countLive(m.lists[i])
	}
	m.idf = idf(m.df, v.n)
	m.factor = float32(float64(t.n) * m.idf * (k1 + 1))
	return m
}

// countLive returns how many live rows a list has. It reads the list only where rows
// are dead.
func (p *part) countLive(l list) int {
	codes, _ := l.split()
	if p.nDead == 0 {
		return len(codes)
	}
	n := 0
	for row := range l.each {
		if int(row) < len(p.keys) && !p.isDead(int(row)) {
			n++
		}
	}
	return n
}

// levelScores are levels as they enter the score.
var levelScores = func() (t [32]float32) {
	for i, n := range levels {
		t[i] = float32(n)
	}
	return t
}()

// addScores adds the share of a term to the scores of the rows of its list, the dead
// included. It is [list.each] written out: a call a posting would double the time.
func (p *part) addScores(scores []float32, l list, factor float32, m norm) {
	codes, distances := l.split()
	lengths := p.lengths[:len(scores)]
	row, i := uint64(0), 0
	for _, c := range codes {
		if i >= len(distances) {
			return
		}
		d := uint64(distances[i])
		if i++; d >= 0x80 {
			var k int
			if d, k = binary.Uvarint(distances[i-1:]); k <= 0 {
				return
			}
			i += k - 1
		}
		if row += d; row >= uint64(len(scores)) {
			return
		}
		scores[row] += m.score(factor, levelScores[c&^byte(inFields)], lengths[row])
	}
}

// best returns the k best live rows with a score.
func (v *view) best(scores []float32, k int) []record.Hit {
	top := make(worstFirst, 0, min(k, 1024))
	floor := float32(0)
	for i := range v.parts {
		p := &v.parts[i]
		for row, score := range scores[:len(p.keys)] {
			if score < floor || score == 0 || p.isDead(row) {
				continue
			}
			h := record.Hit{Key: p.keys[row], Score: float64(score)}
			if len(top) < k {
				heap.Push(&top, h)
			} else if better(h, top[0]) < 0 {
				top[0] = h
				heap.Fix(&top, 0)
			}
			if len(top) == k {
				floor = float32(top[0].Score)
			}
		}
		scores = scores[len(p.keys):]
	}
	slices.SortFunc(top, better)
	return top
}

// better orders hits: the higher score first, then the lower key.
func better(a, b record.Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	return cmp.Compare(a.Key, b.Key)
}

// worstFirst is a heap of hits with the worst on top.
type worstFirst []record.Hit

func (w worstFirst) Len() int           { return len(w) }
func (w worstFirst) Less(i, j int) bool { return better(w[i], w[j]) > 0 }
func (w worstFirst) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *worstFirst) Push(h any)        { *w = append(*w, h.(record.Hit)) }
func (w *worstFirst) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}

// borrowScores returns n zeros.
func (ix *Index) borrowScores(n int) *[]float32 {
	s, _ := ix.scores.Get().(*[]float32)
	if s == nil || cap(*s) < n {
		s = new([]float32)
		*s = make([]float32, n)
	}
	*s = (*s)[:n]
	return s
}

func (ix *Index) returnScores(s *[]float32) {
	clear(*s)
	ix.scores.Put(s)
}

// TermScore is the share of one term of a query in the score of a row.
type TermScore struct {
	Term  string  // as the query spells it, in lower case
	Field string  // "name", "path" or "heading", joined by "+"; "text" when none of them names it
	TF    int     // weighted occurrences in the row, in [1, 255], exact up to 16
	DF    int     // rows that hold the term
	IDF   float64 // > 0
	Score float64 // the shares add up to the score of the hit
}

// Why explains the score of a row: the terms of query that it holds, the largest
// share first. It returns nil for a row that the index does not hold.
func (ix *Index) Why(query string, key record.Key) []TermScore {
	v := ix.view.Load()
	for i := range v.parts {
		p := &v.parts[i]
		row, ok := slices.BinarySearch(p.keys, key)
		if !ok || p.isDead(row) {
			continue
		}
		var why []TermScore
		for _, t := range parseQuery(query) {
			m := v.match(t)
			if c, ok := m.lists[i].at(uint32(row)); ok {
				score := v.norm().score(m.factor, float32(c.tf()), p.lengths[row])
				why = append(why, TermScore{t.word, c.fields(), int(c.tf()), m.df, m.idf, float64(score)})
			}
		}
		slices.SortStableFunc(why, func(a, b TermScore) int { return cmp.Compare(b.Score, a.Score) })
		return why
	}
	return nil
}

// at returns the code of a row of the list.
func (l list) at(row uint32) (code, bool) {
	for r, c := range l.each {
		if r >= row {
			return c, r == row
		}
	}
	return 0, false
}

// fields names the fields of a code.
func (c code) fields() string {
	var names []string
	for i, name := range []string{"name", "path", "heading"} {
		if c&(inName<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "text"
	}
	return strings.Join(names, "+")
}
