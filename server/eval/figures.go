package eval

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"ambit/server/api"
)

// resamples is the number of resamples of the bootstrap. With 1,000, the ends of a 95 %
// interval are means of 25 resamples from the end, stable to about .01.
const resamples = 1000

// sample has a value for each question that counts.
type sample []float64

// add appends a value unless it is NaN, which means that the question does not count.
func (s *sample) add(v float64) {
	if !math.IsNaN(v) {
		*s = append(*s, v)
	}
}

// figure returns the mean with the interval of the percentile bootstrap. Equal samples and
// seeds give equal intervals.
//
// Source: Efron, "Bootstrap Methods: Another Look at the Jackknife" (1979).
func (s sample) figure(seed uint64) api.Figure {
	f := api.Figure{N: len(s)}
	if len(s) == 0 {
		return f
	}
	random := rand.New(rand.NewPCG(seed, uint64(len(s))))
	means := make([]float64, resamples)
	for i := range means {
		sum := 0.0
		for range s {
			sum += s[random.IntN(len(s))]
		}
		means[i] = sum / float64(len(s))
	}
	slices.SortFunc(means, cmp.Compare[float64])
	const tail = resamples * 25 / 1000
	f.Mean, f.Low, f.High = round(mean(s)), round(means[tail]), round(means[resamples-1-tail])
	return f
}

func mean(s []float64) float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(max(len(s), 1))
}

// round keeps four decimals: more are noise, and JSON would show 17.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// rankSamples collects the figures of [api.Ranks].
type rankSamples struct{ acc1, acc5, acc10, rec10, mrr, ndcg sample }

// add adds a question. Ranks has the rank of each expected thing from 1, 0 for one that was
// not found. A question without any does not count.
func (r *rankSamples) add(ranks []int) {
	if len(ranks) == 0 {
		return
	}
	first, gain, ideal := 0.0, 0.0, 0.0
	within := func(k int) float64 {
		n := 0
		for _, rank := range ranks {
			if rank > 0 && rank <= k {
				n++
			}
		}
		return float64(n) / float64(len(ranks))
	}
	for i, rank := range ranks {
		if rank > 0 {
			first = max(first, 1/float64(rank))
		}
		if rank > 0 && rank <= 10 {
			gain += 1 / math.Log2(float64(rank)+1)
		}
		if i < 10 {
			ideal += 1 / math.Log2(float64(i)+2)
		}
	}
	r.acc1.add(math.Floor(within(1)))
	r.acc5.add(math.Floor(within(5)))
	r.acc10.add(math.Floor(within(10)))
	r.rec10.add(within(10))
	r.mrr.add(first)
	r.ndcg.add(gain / ideal)
}

// minus returns the differences of two methods, question by question.
func (r *rankSamples) minus(o *rankSamples) *rankSamples {
	return &rankSamples{
		acc1: r.acc1.minus(o.acc1), acc5: r.acc5.minus(o.acc5), acc10: r.acc10.minus(o.acc10), rec10: r.rec10.minus(o.rec10),
		mrr: r.mrr.minus(o.mrr), ndcg: r.ndcg.minus(o.ndcg),
	}
}

func (s sample) minus(o sample) sample {
	d := make(sample, len(s))
	for i := range s {
		d[i] = s[i] - o[i]
	}
	return d
}

// figures returns the means.
func (r *rankSamples) figures(seed uint64) api.Ranks {
	return api.Ranks{
		Acc1: r.acc1.figure(seed), Acc5: r.acc5.figure(seed), Acc10: r.acc10.figure(seed), Rec10: r.rec10.figure(seed),
		MRR: r.mrr.figure(seed), NDCG10: r.ndcg.figure(seed),
	}
}

// readSamples collects the figures of [api.Reading].
type readSamples struct{ files, recall, precision, tokens, perTokens sample }

// add adds what one question shows.
func (r *readSamples) add(g *gold, s *shown) {
	files := 0
	for _, f := range g.files {
		if len(s.lines[f.path]) > 0 {
			files++
		}
	}
	r.files.add(float64(files) / float64(len(g.files)))
	r.tokens.add(float64(s.tokens))
	hit := s.hits(g)
	if g.nLines == 0 {
		return
	}
	r.recall.add(float64(hit) / float64(g.nLines))
	r.precision.add(float64(hit) / float64(max(s.nLines, 1)))
	r.perTokens.add(1000 * float64(hit) / float64(max(s.tokens, 1)))
}

// figures returns the means.
func (r *readSamples) figures(seed uint64) api.Reading {
	return api.Reading{
		Files: r.files.figure(seed), Recall: r.recall.figure(seed), Precision: r.precision.figure(seed),
		Tokens: r.tokens.figure(seed), PerTokens: r.perTokens.figure(seed),
	}
}
