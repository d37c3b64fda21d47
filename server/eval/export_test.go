package eval

import (
	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Cut cuts a file by each strategy.
func Cut(path record.Path, content []byte) map[string][]record.Chunk {
	o, out := languages.Parse(path, content), map[string][]record.Chunk{}
	for _, c := range cutters(chunk.Options{}) {
		out[c.name] = c.cut(&o)
	}
	return out
}

// Ranks returns the figures of questions whose expected things have these ranks.
func Ranks(questions ...[]int) api.Ranks {
	var r rankSamples
	for _, ranks := range questions {
		r.add(ranks)
	}
	return r.figures(1)
}

// FigureOf returns the mean of values with its interval.
func FigureOf(values ...float64) api.Figure { return sample(values).figure(1) }

// MessageQuestion is messageQuestion.
var MessageQuestion = messageQuestion

// ExpectedFunctions returns the functions that lines of a file belong to.
func ExpectedFunctions(path record.Path, content string, first, last int, insertion bool) []string {
	var g gold
	g.add(path, []byte(content), []lineRange{{first, last, insertion}})
	return g.files[0].names
}

// FunctionRank returns the rank of the first function of a file, expected by its first line,
// among pieces of the file.
func FunctionRank(path record.Path, content string, pieces ...record.Lines) int {
	var g gold
	g.add(path, []byte(content), []lineRange{{1, 1, false}})
	var found []piece
	for _, l := range pieces {
		found = append(found, piece{path, []record.Lines{l}})
	}
	return g.functionRanks(found)[0]
}
