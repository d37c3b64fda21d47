package retrieve

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// passageWeights are the weights of a word for the kinds of passages that it stands in.
var passageWeights = [nPassageKinds]float64{passageTitle: 1, passageProse: 0.4, passageSpan: 0.6, passageCode: 0.2, passageTrace: 0.15, passageDiff: 0.3}

// How sure a name of code in a passage of a kind is a name of the answer.
var passageNames = [nPassageKinds]float64{passageTitle: sureCode, passageProse: 0.7, passageSpan: 0.8, passageCode: 0.4, passageTrace: 0.5, passageDiff: 0.6}

// Declarations in the code of a reporter, whose names the workspace does not have.
var declared = lazy.Regexp(`\b(?:def|class|function|func|fn|struct|interface|enum|trait|const|let|var|type|module)\s+(?:\([^)]*\)\s*)?([\p{L}_$][\p{L}\p{N}_$]*)|(?m:^\s*([\p{L}_$][\p{L}\p{N}_$]*)\s*:?=[^=])`)

// The bounds of what is read of a report.
const (
	maxEmbedded     = 4000 // bytes that are compared with the vectors
	readAtOnce      = 3000 // bytes after which a word counts half
	maxPassageWords = 2000 // of one passage
	maxNames        = 200
	maxFocusTerms   = 32 // terms that tell the lines of a match
)

// occurrences is how often a word stands in the passages of each kind. An
// occurrence counts less the more stands before it.
type occurrences [nPassageKinds]float64

// readPassages reads the words and the names of a report. The names that the code of the
// reporter declares are theirs, so they name nothing in the workspace.
func (q *question) readPassages(passages []passage) {
	own := map[string]bool{}
	for _, p := range passages {
		if p.kind == passageCode {
			for _, m := range declared().FindAllStringSubmatch(p.text, maxPassageWords) {
				own[m[1]+m[2]] = true
			}
		}
	}
	q.text = textOf(passages)
	words, counts := countWords(passages)
	for _, w := range words {
		weight, sure := 0.0, 0.0
		for k, n := range counts[w] {
			if n > 0 {
				weight += passageWeights[k] * min(n, 1+math.Log2(max(n, 1))/2)
				sure = max(sure, passageNames[k])
			}
		}
		q.query = append(q.query, record.Word{Text: w, Weight: weight})
		q.term(w, min(1, weight))
		if looksLikeCode(w) && !own[w] {
			q.name(sure, strings.Trim(w, "@"))
		}
	}
	for _, p := range passages[1:] {
		if p.kind != passageSpan {
			continue
		}
		q.qualified(p.text, passageNames[p.kind])
		for _, w := range wordPattern().FindAllString(p.text, maxQuestionWords) {
			if !stopWords[strings.ToLower(w)] && !own[w] {
				q.name(surePlain, w)
			}
		}
	}
	slices.SortStableFunc(q.query, func(a, b record.Word) int { return cmp.Compare(b.Weight, a.Weight) })
	slices.SortStableFunc(q.names, func(a, b name) int { return cmp.Compare(b.sure, a.sure) })
	q.names = q.names[:min(len(q.names), maxNames)]
	slices.SortStableFunc(q.terms, func(a, b string) int { return cmp.Compare(q.weight[b], q.weight[a]) })
	q.terms = q.terms[:min(len(q.terms), maxFocusTerms)]
}

// textOf returns what the reporter says in words.
func textOf(passages []passage) string {
	var text []byte
	for _, p := range passages {
		if p.kind <= passageSpan {
			text = append(append(text, p.text...), '\n')
		}
	}
	return strings.ToValidUTF8(string(text[:min(len(text), maxEmbedded)]), "")
}

// countWords returns the content words of passages in order, and where they stand.
func countWords(passages []passage) (words []string, counts map[string]*occurrences) {
	counts = map[string]*occurrences{}
	before := 0
	for _, p := range passages {
		counted := 1 / (1 + float64(before)/readAtOnce)
		before += len(p.text)
		for _, w := range wordPattern().FindAllString(p.text, maxPassageWords) {
			if utf8.RuneCountInString(w) > maxWordRunes || stopWords[strings.ToLower(w)] {
				continue
			}
			if counts[w] == nil {
				counts[w] = new(occurrences)
				words = append(words, w)
			}
			counts[w][p.kind] += counted
		}
	}
	return words, counts
}
