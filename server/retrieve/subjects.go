package retrieve

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rareSubjects is how many commits a word needs before its files share what it says.
const rareSubjects = 3

// bySubjects scores the files that were changed by commits whose subjects have words of the title
// of a report: what was once said of a change of a file may be said again. A word of few commits
// says more, and a commit says more of each file the fewer it changed.
func (r *ranking) bySubjects() {
	if !r.question.report {
		return
	}
	subjects, terms := r.ix.History.Subjects(), r.question.terms[:r.question.titled]
	has := make([][]int, len(subjects)) // of each subject: the terms in it
	commits := make([]int, len(terms))  // of each term: the subjects that have it
	for i := range subjects {
		lower := strings.ToLower(subjects[i].Text)
		for j, t := range terms {
			if beginsWord(subjects[i].Text, lower, t) {
				has[i] = append(has[i], j)
				commits[j]++
			}
		}
	}
	best := 0.0
	for i := range subjects {
		sum := 0.0
		for _, j := range has[i] {
			sum += math.Log1p(float64(len(subjects))/float64(commits[j])) / float64(commits[j]+rareSubjects)
		}
		for _, p := range subjects[i].Files {
			if f := r.hits[p]; f != nil && sum > 0 {
				f.history += sum / math.Sqrt(float64(len(subjects[i].Files)))
				best = max(best, f.history)
			}
		}
	}
	if best > 0 {
		for _, f := range r.hits {
			f.history /= best
		}
	}
}

// beginsWord reports whether a term, in lower case, begins a word of a text: also one within a name
// such as parseArgs. lower is the text in lower case.
func beginsWord(text, lower, term string) bool {
	for from := 0; ; {
		i := strings.Index(lower[from:], term)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(lower[:i])
		if i == 0 || !unicode.IsLetter(before) {
			return true
		}
		if len(text) == len(lower) && 'A' <= text[i] && text[i] <= 'Z' && 'a' <= text[i-1] && text[i-1] <= 'z' {
			return true
		}
		from = i + 1
	}
}
