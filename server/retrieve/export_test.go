package retrieve

import (
	"fmt"

	"ambit/vectors/record"
)

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
func Demotion(p string) float64 { return factsOf(record.Path(p), &weights).demotion }

// Stems returns the words of a file's name and of its directories.
func Stems(p string) (name, dirs []string) {
	f := factsOf(record.Path(p), &weights)
	return f.stem, f.dirs
}

// NameIn reports whether lookForFiles looks at the words of a path for a question that has some stems.
func NameIn(path string, stems ...string) bool { return beginningsOf(stems).nameIn(path) }

// Weights is the table of weights.
var Weights = &weights

// Passages returns the passages of a report, each after its kind.
func Passages(raw string) []string {
	kinds := [nPassageKinds]string{"title", "prose", "span", "code", "trace", "diff"}
	var out []string
	for _, p := range readReport(raw) {
		out = append(out, kinds[p.kind]+": "+p.text)
	}
	return out
}

// Quoted returns the paths that a question quotes, each with its line.
func Quoted(raw string) []string {
	var out []string
	for _, p := range readQuestion(raw).paths {
		out = append(out, fmt.Sprintf("%s:%d", p.path, p.line))
	}
	return out
}

// First returns the n first of a list in an order, as best finds them.
func First[T any](list []T, n int, order func(a, b T) int) []T {
	b := best[T]{n: n, order: order}
	for _, x := range list {
		b.add(x)
	}
	return b.list()
}
