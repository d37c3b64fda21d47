package languages

import "slices"

// maskMacros returns the text of a C or C++ file with blanks in place of what the
// preprocessor would take away and the grammar cannot read, so that one macro does
// not cost the declarations around it. Offsets stay. It blanks
//
//   - macros that stand for attributes and markers: `ABSL_NAMESPACE_BEGIN`,
//     `UV_EXTERN int f();`, `class API Foo {`, `int f() LOCKS_EXCLUDED(mu);`;
//   - of conditional branches that open or close braces all but the first.
//
// It returns content itself when there is nothing to blank.
func maskMacros(content []byte) []byte {
	m := masker{src: content, prev: ';'}
	m.run()
	if m.out == nil {
		return content
	}
	return m.out
}

// masker scans C tokens from left to right.
type masker struct {
	src, out []byte
	i        int
	prev     byte   // the last byte that is not blank, 'a' for a word, 0 for "=" and other operators
	word     []byte // the last word, when prev is 'a'
	enum     bool   // the statement has the word enum in it
	leading  bool   // only storage keywords stand before i on its line
	braces   []bool // the open braces; true where statements or values stand, not declarations
	branches []branch
}

// branch is a conditional of the preprocessor that is open.
type branch struct {
	start, startEnd int // of the line that opens it
	depth           int // open braces before it
	other           int // where the line of its #else or #elif starts, -1 before that
	first           int // braces that its first branch leaves open
}

func (m *masker) run() {
	m.leading = true
	for m.i < len(m.src) {
		switch c := m.src[m.i]; {
		case c == '\n':
			m.leading = true
			m.i++
		case c == ' ' || c == '\t' || c == '\r' || c == '\\':
			m.i++
		case c == '#' && m.leading:
			m.directive()
		case c == '/' && m.i+1 < len(m.src) && (m.src[m.i+1] == '/' || m.src[m.i+1] == '*'):
			m.i = skipComment(m.src, m.i)
		case c == '"' || c == '\'':
			m.i = skipQuoted(m.src, m.i)
			m.prev, m.leading = '"', false
		case isWordByte(c):
			m.wordToken()
		default:
			m.punctuation(c)
		}
	}
}

func (m *masker) punctuation(c byte) {
	switch c {
	case '{':
		statements := m.prev == ')' || m.prev == '=' || m.enum || m.prev == 'a' && afterParameters[string(m.word)] || m.inStatements()
		m.braces = append(m.braces, statements)
		m.enum = false
	case '}':
		if n := len(m.braces); n > 0 {
			m.braces = m.braces[:n-1]
		}
		m.enum = false
	case ';':
		m.enum = false
	}
	m.prev, m.leading = c, false
	m.i++
}

func (m *masker) inStatements() bool { return len(m.braces) > 0 && m.braces[len(m.braces)-1] }

// afterParameters are the words between the parameters of a function and its body.
var afterParameters = wordsOf("const noexcept override final volatile try else do")

// storage are the words that a macro can follow in front of a declaration.
var storage = wordsOf("static inline extern virtual constexpr explicit friend typedef const")

// typeKeywords are the words that a macro can follow in front of the name of a type.
var typeKeywords = wordsOf("class struct union enum")

func (m *masker) wordToken() {
	start := m.i
	for m.i < len(m.src) && isWordByte(m.src[m.i]) {
		m.i++
	}
	w := m.src[start:m.i]
	if m.i < len(m.src) && m.src[m.i] == '"' && w[len(w)-1] == 'R' {
		m.i = skipRaw(m.src, m.i)
		m.prev = '"'
		return
	}
	if isCapitals(w) && !m.inStatements() {
		if end := m.macroEnd(start, m.i); end > 0 {
			m.blank(start, end)
			m.i = end
			return
		}
	}
	m.enum = m.enum || string(w) == "enum"
	m.leading = m.leading && storage[string(w)]
	m.prev, m.word = 'a', w
}

// macroEnd returns where the macro ends that the word src[start:end] is, with its
// arguments; 0 when it is no macro that hides a declaration.
func (m *masker) macroEnd(start, end int) int {
	args := m.arguments(end)
	next := m.blanks(args)
	if m.prev == 'a' && typeKeywords[string(m.word)] { // class API Foo {
		name := m.wordEnd(next)
		if after := m.blanks(name); name > next && after < len(m.src) && (args > end || m.src[after] == '{' || m.src[after] == ':' || m.src[after] == '<' || string(m.word) == "class" && isWordByte(m.src[after])) {
			return args
		}
		return 0
	}
	if m.prev == ')' || m.prev == 'a' && (afterParameters[string(m.word)] || isGuard(m.src[start:end])) { // void f() LOCKS_EXCLUDED(mu);
		if next < len(m.src) && (m.src[next] == ';' || m.src[next] == '{' || isCapitals(m.src[next:m.wordEnd(next)])) {
			return args
		}
		return 0
	}
	if !m.leading || m.prev == 'a' && !storage[string(m.word)] || m.prev != 'a' && m.prev != ';' && m.prev != '}' && m.prev != '{' && m.prev != ':' {
		return 0
	}
	if next < len(m.src) && m.src[next] == '}' && m.prev != '{' && m.prev != ':' && args == end { // ABSL_NAMESPACE_END
		return end
	}
	if next >= len(m.src) || !isWordByte(m.src[next]) {
		return 0
	}
	name := m.wordEnd(next)
	switch after := m.declarator(name); {
	case args > end: // DEPRECATED("x") int f();
		return args
	case after < len(m.src) && isWordByte(m.src[after]): // UV_EXTERN int f();
		return end
	case slices.Contains(m.src[end:next], '\n') && (after >= len(m.src) || m.src[after] != '('): // ABSL_NAMESPACE_BEGIN
		return end
	}
	return 0
}

// maxArguments bounds the arguments of a macro that is blanked, in bytes.
const maxArguments = 2000

// arguments returns where a parenthesized list that starts at i, or behind blanks,
// ends; i itself when there is none.
func (m *masker) arguments(i int) int {
	j := i
	for j < len(m.src) && m.src[j] == ' ' {
		j++
	}
	if j == len(m.src) || m.src[j] != '(' {
		return i
	}
	depth := 0
	for k := j; k < min(len(m.src), j+maxArguments); k++ {
		switch m.src[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k + 1
			}
		case '{', '}', ';':
			return i
		}
	}
	return i
}

// blanks returns the offset of the first byte from i on that is not blank.
func (m *masker) blanks(i int) int {
	for i < len(m.src) && isBlank(m.src[i]) {
		i++
	}
	return i
}

func (m *masker) wordEnd(i int) int {
	for i < len(m.src) && isWordByte(m.src[i]) {
		i++
	}
	return i
}

// declarator skips what can stand between a type that ends at i and the name that
// it declares.
func (m *masker) declarator(i int) int {
	const longest = 200
	depth := 0
	for k := i; k < min(len(m.src), i+longest); k++ {
		switch c := m.src[k]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0 || isBlank(c) || c == '*' || c == '&':
		case c == ':' && k+2 < len(m.src) && m.src[k+1] == ':':
			k = m.wordEnd(k+2) - 1
		default:
			return k
		}
	}
	return i
}

// directive reads a line of the preprocessor, continuation lines included.
func (m *masker) directive() {
	start := m.i
	for m.i < len(m.src) && m.src[m.i] != '\n' {
		if m.src[m.i] == '\\' && m.i+1 < len(m.src) {
			m.i++
		} else if m.src[m.i] == '/' && m.i+1 < len(m.src) && m.src[m.i+1] == '*' {
			m.i = skipComment(m.src, m.i) - 1
		}
		m.i++
	}
	m.i = min(m.i, len(m.src))
	at := m.blanks(start + 1)
	switch string(m.src[at:max(at, min(m.wordEnd(at), m.i))]) {
	case "if", "ifdef", "ifndef":
		m.branches = append(m.branches, branch{start: start, startEnd: m.i, depth: len(m.braces), other: -1})
	case "else", "elif":
		if n := len(m.branches); n > 0 {
			b := &m.branches[n-1]
			if b.other < 0 {
				b.other, b.first = start, len(m.braces)-b.depth
			}
			m.reopen(b.depth)
		}
	case "endif":
		m.endif(start)
	}
}

// endif closes the innermost conditional. When its branches differ in the braces
// that they leave open only the first one is kept.
func (m *masker) endif(start int) {
	n := len(m.branches)
	if n == 0 {
		return
	}
	b := m.branches[n-1]
	m.branches = m.branches[:n-1]
	if b.other < 0 {
		b.other, b.first = start, len(m.braces)-b.depth
	}
	if b.first == 0 {
		return
	}
	m.blank(b.start, b.startEnd)
	m.blank(b.other, start)
	m.blank(start, m.i)
	m.reopen(b.depth + b.first)
}

// reopen makes n braces open.
func (m *masker) reopen(n int) {
	for len(m.braces) < n {
		m.braces = append(m.braces, true)
	}
	m.braces = m.braces[:max(0, n)]
}

func (m *masker) blank(from, to int) {
	if m.out == nil {
		m.out = slices.Clone(m.src)
	}
	for k := from; k < to; k++ {
		if m.out[k] != '\n' && m.out[k] != '\r' {
			m.out[k] = ' '
		}
	}
}

// isCapitals reports whether a word is spelled as macros are.
func isCapitals[T string | []byte](w T) bool {
	letters := 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters >= 3
}

// isGuard reports whether a macro is one of the thread annotations of members.
func isGuard(w []byte) bool {
	const guard = "GUARDED_BY"
	return len(w) >= len(guard) && string(w[len(w)-len(guard):]) == guard
}

// skipComment returns the end of the comment at i.
func skipComment(s []byte, i int) int {
	line := s[i+1] == '/'
	for i += 2; i < len(s); i++ {
		if line && s[i] == '\n' {
			return i
		}
		if !line && s[i] == '/' && s[i-1] == '*' {
			return i + 1
		}
	}
	return len(s)
}

// skipQuoted returns the end of the string or character at i; it ends at a line
// end at the latest.
func skipQuoted(s []byte, i int) int {
	for q := s[i]; i+1 < len(s); {
		i++
		switch s[i] {
		case '\\':
			i++
		case q:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

// skipRaw returns the end of the raw string of which the quote stands at i.
func skipRaw(s []byte, i int) int {
	const maxDelimiter = 16
	for k := i + 1; k < min(len(s), i+1+maxDelimiter+1); k++ {
		if s[k] != '(' {
			continue
		}
		end := ")" + string(s[i+1:k]) + "\""
		for j := k; j+len(end) <= len(s); j++ {
			if s[j] == ')' && string(s[j:j+len(end)]) == end {
				return j + len(end)
			}
		}
		return len(s)
	}
	return skipQuoted(s, i)
}
