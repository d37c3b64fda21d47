package retrieve

import "ambit/vectors/record"

// Parts of readQuestion.
var (
	Split    = split
	Stem     = stem
	Classify = classify
)

// Terms returns the stems of the content words of a question.
func Terms(raw string) []string { return readQuestion(raw).terms }

// Names returns the possible names in a question, the surest first.
func Names(raw string) []string {
	var out []string
	for _, n := range readQuestion(raw).names {
		out = append(out, n.text)
	}
	return out
}

// Demotion returns the factor of a file for its path.
func Demotion(p string) float64 { return factsOf(record.Path(p)).demotion }

// Stems returns the words of a file's name and of its directories.
func Stems(p string) (name, dirs []string) {
	f := factsOf(record.Path(p))
	return f.stem, f.dirs
}

// Weights is the table of weights.
var Weights = &weights
