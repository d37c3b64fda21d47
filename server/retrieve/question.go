package retrieve

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/indexer/lazy"
	"ambit/server/api"
	"ambit/vectors/record"
	"ambit/vectors/script"
)

// question is a question in words, parsed.
type question struct {
	raw    string // at most maxReportBytes of it
	report bool   // it has several passages, as an issue has
	text   string // what is compared with the vectors
	title  string // the first line, of a report
	query  []record.Word
	words  []string           // of the title, at most maxQuestionWords
	terms  []string           // distinct stems of its content words, lower case, in order
	titled int                // how many of the terms are of the title: the first ones
	weight map[string]float64 // of the terms, at most 1
	// names are possible names of symbols, the surest first: words that look like code,
	// then neighboring words joined and plain words.
	names []name
	// members are the last two parts of qualified names: Cart.Total, a::B::f.
	members                   []member
	paths                     []quotedPath
	scope                     api.Scope
	one                       bool // the question is a single name
	wantsTests, wantsExamples bool // they are demoted otherwise
	wantsDocuments            bool
	breadth                   breadth
	platforms                 []string // operating systems that it names
}

// name is a possible name of a symbol.
type name struct {
	text string
	sure float64 // in (0, 1]
}

// How sure a word of a question is a name.
const (
	sureCode   = 1.0 // looks like code: camelCase, snake_case, a::b, f()
	sureSigil  = 0.8 // with the sign of a private name added: foo → _foo
	sureJoined = 0.7 // two or three neighboring words joined: "retry policy" → RetryPolicy
	surePlain  = 0.4 // any other content word
)

// member is the name of a member, qualified by a type or module.
type member struct {
	of, name string
	sure     float64
}

// The words of a question, and names that are joined as in code.
var (
	wordPattern      = lazy.Regexp(`[\p{L}\p{M}\p{N}_$@]+`)
	qualifiedPattern = lazy.Regexp(`[\p{L}\p{M}\p{N}_$@]+(?:(?:\.|::|#|->)[\p{L}\p{M}\p{N}_$@]+)+`)
)

// Bounds of a question, so that a pasted file costs little.
const (
	maxQuestionWords = 64
	maxWordRunes     = 64 // longer words are no names
)

// readQuestion parses a question.
func readQuestion(raw string) question {
	if len(raw) > maxReportBytes {
		raw = strings.ToValidUTF8(raw[:maxReportBytes], "")
	}
	passages := readReport(raw)
	if len(passages) == 0 {
		passages = []passage{{passageTitle, raw}}
	}
	q := question{raw: raw, title: passages[0].text, weight: map[string]float64{}}
	for _, p := range passages[1:] {
		q.report = q.report || p.kind != passageSpan
	}
	if !q.report {
		q.title = raw
	}
	q.text, q.scope, q.words = q.title, classify(q.title), wordPattern().FindAllString(q.title, maxQuestionWords)
	q.one, q.platforms = len(q.words) == 1, platformsOf(raw)
	q.readTitle()
	q.titled = len(q.terms)
	for _, p := range passages {
		q.paths = append(q.paths, quotedPaths(p)...)
	}
	if q.report {
		q.readPassages(passages)
	} else {
		for _, w := range q.contentWords() {
			q.query = append(q.query, record.Word{Text: w, Weight: 1})
		}
	}
	return q
}

// readTitle reads the words of a question of one line, or of the title of a report.
func (q *question) readTitle() {
	plain := make([]string, len(q.words)) // lower case, "" for stop words and code
	for i, w := range q.words {
		lower := strings.ToLower(w)
		switch lower {
		case "test", "tests", "testing", "spec", "mock", "fixture":
			q.wantsTests = true
		case "example", "examples", "sample", "demo", "tutorial":
			q.wantsExamples = true
		case "doc", "docs", "documentation", "readme", "changelog", "typo", "guide", "docstring":
			q.wantsDocuments = true
		}
		if looksLikeCode(w) {
			q.name(sureCode, strings.Trim(w, "@"))
			q.name(sureSigil, "$"+w, "_"+w)
		}
		if stopWords[lower] {
			continue
		}
		if !looksLikeCode(w) {
			plain[i] = lower
		}
		q.term(w, 1)
	}
	q.readBreadth()
	q.qualified(q.title, sureCode)
	q.join(plain)
	for i, p := range plain {
		if p != "" {
			sure := surePlain
			if q.one {
				sure = sureCode
			}
			q.name(sure, q.words[i], p, title(p))
			if q.one {
				q.name(sureSigil, "$"+p, "_"+p, "$"+title(p), "_"+title(p))
			}
		}
	}
}

// term adds the parts of a word to the terms.
func (q *question) term(w string, weight float64) {
	for _, part := range split(w) {
		if stopWords[part] {
			continue
		}
		t := stem(part)
		if q.weight[t] == 0 {
			q.terms = append(q.terms, t)
		}
		q.weight[t] = max(q.weight[t], weight)
	}
}

// onPlatform reports whether the question names an operating system.
func (q *question) onPlatform(system string) bool { return slices.Contains(q.platforms, system) }

// surest returns the terms of full weight: all of a question of one line; of a report those
// of its title and those that it repeats.
func (q *question) surest() []string {
	return slices.DeleteFunc(slices.Clone(q.terms), func(t string) bool { return q.weight[t] < 1 })
}

// qualified adds the members that a text names.
func (q *question) qualified(text string, sure float64) {
	for _, m := range qualifiedPattern().FindAllString(text, maxQuestionWords) {
		parts := wordPattern().FindAllString(m, -1)
		add := member{parts[len(parts)-2], parts[len(parts)-1], sure}
		if !slices.ContainsFunc(q.members, func(m member) bool { return m.of == add.of && m.name == add.name }) {
			q.members = append(q.members, add)
		}
	}
}

// contentWords returns the words of the title that are not stop words, as written; all
// of them when there are no others.
func (q *question) contentWords() []string {
	kept := slices.DeleteFunc(slices.Clone(q.words), func(w string) bool { return stopWords[strings.ToLower(w)] })
	if len(kept) == 0 {
		return q.words
	}
	return kept
}

// titleWords returns the content words of the title, each of weight 1.
func (q *question) titleWords() []record.Word {
	var out []record.Word
	for _, w := range q.contentWords() {
		out = append(out, record.Word{Text: w, Weight: 1})
	}
	return out
}

// name adds possible names of symbols, each once.
func (q *question) name(sure float64, texts ...string) {
	for _, t := range texts {
		if t != "" && len(t) <= maxWordRunes*3 && !slices.ContainsFunc(q.names, func(n name) bool { return n.text == t }) {
			q.names = append(q.names, name{t, sure})
		}
	}
}

// looksLikeCode reports whether a word is written like a name in code.
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

// join adds names of three and two neighboring words.
func (q *question) join(words []string) {
	for n := 3; n >= 2; n-- {
		for i := range max(0, len(words)-n+1) {
			part := words[i : i+n]
			if slices.Contains(part, "") {
				continue
			}
			rest := ""
			for _, w := range part[1:] {
				rest += title(w)
			}
			snake := strings.Join(part, "_")
			q.name(sureJoined, title(part[0])+rest, part[0]+rest, snake, strings.Join(part, ""), strings.ToUpper(snake))
		}
	}
}

// title returns a word with its first letter in upper case.
func title(w string) string {
	r, size := utf8.DecodeRuneInString(w)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(r)) + w[size:]
}

// split cuts a word at case changes, underscores and digits, lower-cased. Letters of a script
// without blanks between words are cut into pairs, as in the index of words.
func split(w string) []string {
	var out []string
	eachPart(w, func(part string) { out = append(out, strings.ToLower(part)) })
	return out
}

// eachPart calls fn with what split returns, as it is written.
func eachPart(w string, fn func(part string)) {
	start := 0
	flush := func(end int) {
		if end > start {
			fn(w[start:end])
		}
		start = end
	}
	before := rune(0)
	for i := 0; i < len(w); {
		r, size := utf8.DecodeRuneInString(w[i:])
		after, _ := utf8.DecodeRuneInString(w[i+size:])
		switch {
		case script.Letter(r):
			flush(i)
			size = script.Bigrams([]byte(w[i:]), len(w), func(pair []byte) { fn(string(pair)) })
			start = i + size
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + size
		case i > start && unicode.IsUpper(r) && unicode.IsLower(before),
			i > start && unicode.IsUpper(before) && unicode.IsUpper(r) && unicode.IsLower(after),
			i > start && unicode.IsDigit(r) != unicode.IsDigit(before):
			flush(i)
		}
		before, i = r, i+size
	}
	flush(len(w))
}

// leastStem is the least number of leading bytes of a word that stem keeps.
const leastStem = 3

// stem cuts the endings of English words: the plural, then the ending of a noun or of a
// form of a verb. It matches file names with words of questions, where recall matters more
// than in the index of words.
func stem(w string) string {
	w = cutEnding(w, [][2]string{{"ies", "y"}, {"sses", "ss"}, {"ss", "ss"}, {"us", "us"}, {"is", "is"}, {"s", ""}})
	w = cutEnding(w, [][2]string{{"ization", "iz"}, {"ation", "at"}, {"ator", "at"}, {"tion", "t"}, {"sion", "s"}, {"ity", "it"},
		{"ment", ""}, {"ing", ""}, {"er", ""}, {"or", ""}, {"ed", ""}, {"e", ""}})
	if n := len(w); n > leastStem && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' {
		w = w[:n-1] // running: a doubled consonant before the ending
	}
	return w
}

// cutEnding replaces the first ending that leaves leastStem bytes before it.
func cutEnding(w string, endings [][2]string) string {
	for _, e := range endings {
		if r, ok := strings.CutSuffix(w, e[0]); ok && len(r) >= leastStem {
			return r + e[1]
		}
	}
	return w
}

// stopWords carry no content in a question about code.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a about an and are as at be been being between but by can could did do does doing done for from get gets getting had has have how i
		if in into is it its itself let may me might my of on or our out over should so such than that the their them then there these they this those to
		under up us use used uses using via was we were what when where which while who whom why will with would you your all any both each every
		handle handles handled handling work works working implement implements implemented implementation defined define defines find show explain tell me code logic main happens`) {
		m[w] = true
	}
	return m
}()

// classify returns the scope of a question: the widest that one of its words asks for. A
// question that begins with where or which is about a place.
func classify(raw string) api.Scope {
	scope := api.Focused
	first := true
	for w := range strings.FieldsFuncSeq(strings.ToLower(raw), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch w {
		case "where", "which", "when", "who":
			if first {
				return api.Exploratory
			}
			scope = api.Exploratory
		case "overview", "architecture", "all", "every", "entire", "whole", "codebase", "structure", "design":
			return api.Comprehensive
		case "how", "why", "what", "explain", "explains", "flow", "flows", "work", "works":
			scope = api.Exploratory
		}
		first = false
	}
	return scope
}
