package retrieve

import "math"

// The relevance of a candidate is relative to the best candidate of its answer, and orders them.
// Its probability means the same in every answer: of the sources that an answer gives 0.8, four of
// five are right. "What a relevance means" in docs/benchmarks.md has the measurement behind the
// figures of this file.

// curve is a function that rises along straight lines between its points, of which the first is at
// 0 and the last at 1.
type curve [][2]float64

// at returns the value of the curve for x in [0, 1].
func (c curve) at(x float64) float64 {
	for i := 1; i < len(c); i++ {
		if a, b := c[i-1], c[i]; x < b[0] {
			return a[1] + (b[1]-a[1])*max(0, x-a[0])/(b[0]-a[0])
		}
	}
	return c[len(c)-1][1]
}

// cursorCurve maps a relevance to the probability that the unit in question uses the candidate, or
// that the candidate uses it.
var cursorCurve = curve{{0, 0}, {0.2, 0.03}, {0.35, 0.1}, {0.45, 0.6}, {0.6, 0.65}, {0.8, 0.8}, {0.95, 0.94}, {1, 1}}

// matchCurve maps the relevance of a candidate for a question in words to the probability that it
// answers the question, relative to that of the best candidate.
var matchCurve = curve{{0, 0}, {0.05, 0.02}, {0.15, 0.14}, {0.25, 0.33}, {0.35, 0.43}, {0.45, 0.62}, {0.55, 0.7}, {0.65, 0.81}, {0.75, 0.88}, {0.85, 0.97}, {1, 1}}

// overviewCurve is for what shows a whole project, for which nothing is measured.
var overviewCurve = curve{{0, 0}, {1, 1}}

// maxEvidence is the score from which the best file of a question says no more by a higher one.
const maxEvidence = 6

// answered returns the probability that the best file answers the question: it is high when the
// file has a high score, when its meaning is near to the question's, and when it stands out. It
// comes of a logistic regression on questions to their own trees, of which every fifth has no
// answer, see Platt, "Probabilistic Outputs for Support Vector Machines" (1999).
func (r *ranking) answered() float64 {
	if len(r.files) == 0 || r.files[0].score <= 0 {
		return 0
	}
	best, second := r.files[0].score, 0.0
	if len(r.files) > 1 {
		second = r.files[1].score
	}
	return 1 / (1 + math.Exp(1.75-0.48*min(best, maxEvidence)-7.34*r.bestVector+3.64*second/best))
}
