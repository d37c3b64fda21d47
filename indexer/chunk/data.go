package chunk

import "ambit/indexer/languages"

// dataTokens is the size up to which a file of data is cut as code is. In a larger file every
// limit grows with the size, so that it has about as many chunks as one of this size: a table
// of a million numbers needs no thousand chunks, each with its vector.
const dataTokens = 20_000

// coarseness returns the factor of the limits of a file. It is 1 for code. A file of data that
// is no larger than a unit is one chunk.
func coarseness(o *languages.Outline) int {
	if !languages.IsData(o.Language) {
		return 1
	}
	tokens := toTokens(cost(o.Content))
	if tokens <= maxUnit {
		return 1 + tokens/small
	}
	return 1 + tokens/dataTokens
}

// coarse returns a measure that is the n-th part of the cost of code.
func coarse(n int) func([]byte) int {
	if n == 1 {
		return cost
	}
	return func(b []byte) int { return cost(b) / n }
}
