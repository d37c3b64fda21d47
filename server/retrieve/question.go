package retrieve

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// question is what the words of a question say.
type question struct {
	raw   string
	terms []string // distinct stems of its content words, lower case, in order
	// names are the words that can be names of symbols as they stand, the surest
	// first: those that look like code, then plain words and neighbours joined.
	names []name
	scope Scope
	// one: the question is a single name.
	one bool
	// wantsTests, wantsExamples: it asks for what is demoted otherwise.
	wantsTests, wantsExamples bool
}

// name is a possible name of a symbol.
type name struct {
	text string
	sure float64 // in (0, 1]
}

// How sure a word of a question is a name.
const (
	sureCode   = 1.0 // looks like code: camelCase, snake_case, a::b, f()
	sureJoined = 0.7 // two or three neighbours joined: "retry policy" → RetryPolicy
	surePlain  = 0.4 // any other content word
)

var wordPattern = regexp.MustCompile(`[\p{L}\p{N}_$@]+`)

// readQuestion takes a question apart.
func readQuestion(raw string) question {
	q := question{raw: raw, scope: classify(raw)}
	words := wordPattern.FindAllString(raw, maxQuestionWords)
	var plain []string
	for _, w := range words {
		lower := strings.ToLower(w)
		switch lower {
		case "test", "tests", "testing", "spec", "mock", "fixture":
			q.wantsTests = true
		case "example", "examples", "sample", "demo", "tutorial":
			q.wantsExamples = true
		}
		if looksLikeCode(w) {
			q.names = append(q.names, name{strings.Trim(w, "@"), sureCode})
		}
		if stopWords[lower] {
			plain = append(plain, "")
			continue
		}
		plain = append(plain, lower)
		for _, part := range split(w) {
			if t := stem(part); !stopWords[part] && !slices.Contains(q.terms, t) {
				q.terms = append(q.terms, t)
			}
		}
	}
	q.one = len(words) == 1
	q.names = append(q.names, joined(plain)...)
	for i, p := range plain {
		if p != "" && !looksLikeCode(words[i]) {
			sure := surePlain
			if q.one {
				sure = sureCode
			}
			q.names = append(q.names, name{words[i], sure}, name{p, sure}, name{title(p), sure})
		}
	}
	return q
}

// maxQuestionWords bounds what is read of a question; a pasted file is not one.
const maxQuestionWords = 64

// looksLikeCode reports whether a word is written as people write names in code.
func looksLikeCode(w string) bool {
	if strings.ContainsAny(w, "_$@") {
		return true
	}
	upper, lower := 0, 0
	for i, r := range w {
		switch {
		case unicode.IsUpper(r) && i > 0:
			upper++
		case unicode.IsLower(r):
			lower++
		}
	}
	return upper > 0 && lower > 0
}

// joined makes names of two and three neighbouring words.
func joined(words []string) []name {
	var out []name
	for n := 3; n >= 2; n-- {
		for i := 0; i+n <= len(words); i++ {
			part := words[i : i+n]
			if slices.Contains(part, "") {
				continue
			}
			pascal := ""
			for _, w := range part {
				pascal += title(w)
			}
			camel := part[0] + pascal[len(part[0]):]
			for _, t := range []string{pascal, camel, strings.Join(part, "_"), strings.Join(part, ""), strings.ToUpper(strings.Join(part, "_"))} {
				out = append(out, name{t, sureJoined})
			}
		}
	}
	return out
}

func title(w string) string {
	if w == "" {
		return ""
	}
	r := []rune(w)
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// split cuts a word at case changes, underscores and digits, lower-cased.
func split(w string) []string {
	var out []string
	rs := []rune(w)
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(rs[start:end])))
		}
		start = end
	}
	for i, r := range rs {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && unicode.IsLower(rs[i-1]),
			i > start && i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(r) && unicode.IsLower(rs[i+1]),
			i > start && unicode.IsDigit(r) != unicode.IsDigit(rs[i-1]):
			flush(i)
		}
	}
	flush(len(rs))
	return out
}

// stem cuts the endings that English words for one thing differ in. It is meant
// for matching names of files with words of questions, where recall matters.
func stem(w string) string {
	if len(w) < 4 {
		return w
	}
	for _, s := range []struct{ from, to string }{
		{"ization", "iz"}, {"ation", "at"}, {"ators", "at"}, {"ator", "at"}, {"tions", "t"}, {"tion", "t"}, {"sions", "s"}, {"sion", "s"}, {"ities", "it"}, {"ity", "it"},
		{"ments", ""}, {"ment", ""}, {"ies", "y"}, {"sses", "ss"}, {"ing", ""}, {"ers", ""}, {"er", ""}, {"ors", ""}, {"or", ""}, {"ed", ""}, {"es", ""}, {"s", ""}, {"e", ""},
	} {
		if r, ok := strings.CutSuffix(w, s.from); ok && len(r) >= 3 && !strings.HasSuffix(r, "s") {
			r += s.to
			if n := len(r); n > 3 && r[n-1] == r[n-2] && r[n-1] != 's' && r[n-1] != 'l' {
				r = r[:n-1] // parsing and running: a doubled consonant before the ending
			}
			return r
		}
	}
	return w
}

// stopWords carry no content in a question about code.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an and are as at be been being between but by can could did do does doing done for from get gets getting had has have how i
		if in into is it its itself let may me might my of on or our out over should so such than that the their them then there these they this those to
		under up us use used uses using via was we were what when where which while who whom why will with would you your all any both each every
		handle handles handled handling work works working implement implements implemented implementation defined define defines find show explain tell me code logic main happens`) {
		m[w] = true
	}
	return m
}()

// classify tells how wide a question is (DESIGN, section 3).
func classify(raw string) Scope {
	lower := " " + strings.ToLower(raw) + " "
	for _, w := range []string{" overview", " architecture", " all ", " every ", " entire ", " whole ", " codebase", " structure ", " design "} {
		if strings.Contains(lower, w) {
			return ScopeComprehensive
		}
	}
	for _, w := range []string{" how ", " why ", " where ", " what ", " when ", " which ", "explain", " flow ", " work"} {
		if strings.Contains(lower, w) {
			return ScopeExploratory
		}
	}
	return ScopeFocused
}
