package languages

import "bytes"

// maskSwift returns the text of a Swift file in which the grammar can read what it does not
// know. It keeps all offsets. It
//
//   - blanks the lines of conditionals and of diagnostics: `#if os(Linux)`, `#warning("…")`;
//   - blanks words that say nothing of names: `try`, `await`, `unsafe`, and the modifiers
//     `isolated` and `sending` of a type;
//   - blanks the arguments of attributes of the compiler: `@_specialize(where T == Int)`;
//   - writes a number for `()` as a value, for a macro without arguments (`#isolation`) and
//     for a regular expression;
//   - writes `||` for `??`, which the grammar takes for a part of the type before it, and a
//     line end for a semicolon;
//   - writes `|` for an arithmetic operator and blanks a negation, which the grammar takes for
//     parts of the function that is called: `a + f(x)`.
//
// It returns content itself when it changes nothing.
func maskSwift(content []byte) []byte {
	m := swiftMasker{src: content}
	m.run()
	if m.out == nil {
		return content
	}
	return m.out
}

// swiftMasker scans the tokens of Swift from left to right.
type swiftMasker struct {
	src, out []byte
	i        int
	prev     byte   // the last byte that is not blank
	word     []byte // the word that ends with prev, nil for none
}

func (m *swiftMasker) run() {
	for m.i < len(m.src) {
		switch c := m.src[m.i]; {
		case isBlank(c):
			m.i++
		case c == '/' && m.next(1) == '/', c == '/' && m.next(1) == '*':
			m.i = skipComment(m.src, m.i)
		case c == '"':
			m.i = skipSwiftString(m.src, m.i)
			m.prev, m.word = '"', nil
		case c == '#':
			m.hash()
		case isWordByte(c) || c == '`':
			m.wordToken()
		default:
			m.punctuation(c)
		}
	}
}

// next returns the byte n bytes behind the current one, 0 behind the end.
func (m *swiftMasker) next(n int) byte {
	if m.i+n < len(m.src) {
		return m.src[m.i+n]
	}
	return 0
}

// blank blanks a span of the text.
func (m *swiftMasker) blank(start, end int) { blank(m.own()[start:end]) }

// own returns the text that the masker changes.
func (m *swiftMasker) own() []byte {
	if m.out == nil {
		m.out = bytes.Clone(m.src)
	}
	return m.out
}

// number writes a number in place of a span.
func (m *swiftMasker) number(start, end int) {
	out := m.own()
	for i := start; i < end && out[i] != '\n'; i++ {
		out[i] = '0'
	}
	if i := bytes.IndexByte(out[start:end], '\n'); i >= 0 {
		m.blank(start+i, end)
	}
	m.i, m.prev, m.word = end, '0', nil
}

// hash reads what begins with "#": a raw string, a directive or a macro.
func (m *swiftMasker) hash() {
	start := m.i
	n := start
	for n < len(m.src) && m.src[n] == '#' {
		n++
	}
	switch {
	case n < len(m.src) && m.src[n] == '"':
		m.i = skipRawString(m.src, n, n-start)
		m.prev, m.word = '"', nil
		return
	case n < len(m.src) && m.src[n] == '/': // #/expression/#
		if end := bytes.Index(m.src[n:], append([]byte("/"), m.src[start:n]...)); end > 0 {
			m.number(start, n+end+1+n-start)
			return
		}
	}
	end := n
	for end < len(m.src) && isWordByte(m.src[end]) {
		end++
	}
	name := string(m.src[n:end])
	switch {
	case swiftDirectives[name]:
		end = directiveEnd(m.src, start)
		m.blank(start, end)
		m.i = end
	case name != "" && end < len(m.src) && m.src[end] != '(' && m.src[end] != '<' && !swiftLiterals[name] && nextByte(m.src, end) != '{':
		m.number(start, end)
	default:
		m.i, m.prev, m.word = max(end, start+1), 'a', nil
	}
}

var (
	swiftDirectives = wordsOf("if elseif else endif warning error sourceLocation")
	swiftLiterals   = wordsOf("file fileID filePath line column function dsohandle")
	// passingWords are blanked before an expression, passingModifiers before a type.
	passingWords     = wordsOf("try await unsafe")
	passingModifiers = wordsOf("isolated sending")
	// ownership are modifiers that can stand before those.
	ownership = wordsOf("inout consuming borrowing escaping Sendable")
	// notOperands are words that do not end an operand: a value follows.
	notOperands = wordsOf("return in case throw else default where")
)

// nextByte returns the first byte from at on that is not blank, 0 for none.
func nextByte(src []byte, at int) byte {
	if at = skipBlanks(src, at); at < len(src) {
		return src[at]
	}
	return 0
}

// wordToken reads a word.
func (m *swiftMasker) wordToken() {
	start, end := m.i, m.i
	for end < len(m.src) && (isWordByte(m.src[end]) || m.src[end] == '`') {
		end++
	}
	word := m.src[start:end]
	m.i = end
	after := m.next(0)
	switch {
	case passingWords[string(word)] && m.prev != '.' && m.passes(end):
		if string(word) == "try" && (after == '?' || after == '!') {
			end++
		}
		m.blank(start, end)
		m.i = end
		return
	case passingModifiers[string(word)] && isBlank(after) && (m.prev == ':' || m.prev == '>' || ownership[string(m.word)]) && startsType(nextByte(m.src, end)):
		m.blank(start, end)
		return
	case string(word) == "where" && bytes.Contains(m.src[bytes.LastIndexByte(m.src[:start], '\n')+1:start], []byte("typealias ")):
		end = directiveEnd(m.src, start)
		m.blank(start, end)
		m.i = end
		return
	case m.prev == '@' && word[0] == '_' && after == '(':
		end = groupOf(m.src, end, '(', ')')
		m.blank(m.i, end)
		m.i = end
	}
	m.prev, m.word = 'a', word
}

// passes reports whether an expression follows a word that ends at end: it is not a name.
func (m *swiftMasker) passes(end int) bool {
	if end < len(m.src) && (m.src[end] == '?' || m.src[end] == '!') {
		end++
	}
	if end >= len(m.src) || !isBlank(m.src[end]) {
		return false
	}
	c := nextByte(m.src, end)
	return startsType(c) || c == '.' || c == '"' || c == '&' || c == '#' || c == '{' || c == '\\' || c == '-' || c == '!'
}

func startsType(c byte) bool { return isWordByte(c) || c == '(' || c == '[' || c == '@' || c == '`' }

func (m *swiftMasker) punctuation(c byte) {
	start := m.i
	switch {
	case c == '(' && m.next(1) == ')' && m.isUnit():
		m.own()[start], m.out[start+1] = '0', '0'
		m.i, m.prev, m.word = start+2, '0', nil
		return
	case c == '?' && m.next(1) == '?' && start > 0 && isBlank(m.src[start-1]) && isBlank(m.next(2)):
		m.own()[start], m.out[start+1] = '|', '|'
		m.i++
	case isArithmetic(c) && start > 0 && isBlank(m.src[start-1]) && m.next(1) == ' ' && string(m.word) != "func" && string(m.word) != "operator":
		m.own()[start] = '|'
		if onlyBlanksBefore(m.src, start) { // "||" goes on with the line before
			m.out[start+1] = '|'
		}
	case c == '!' && startsType(m.next(1)) && (start == 0 || isBlank(m.src[start-1]) || m.src[start-1] == '('):
		m.blank(start, start+1)
		m.i++
		return
	case c == ';':
		m.own()[start] = '\n'
	case c == '/' && m.isRegexp():
		if end := regexpEnd(m.src, start); end > 0 {
			m.number(start, end)
			return
		}
	}
	m.i++
	m.prev, m.word = c, nil
}

func isArithmetic(c byte) bool { return c == '+' || c == '-' || c == '*' || c == '/' || c == '%' }

// isUnit reports whether "()" at the current offset is a value: it follows an operator, a
// bracket, a word that a value follows, or the line end behind a label.
func (m *swiftMasker) isUnit() bool {
	after := m.src[skipBlanks(m.src, m.i+2):]
	for _, goesOn := range []string{"->", "throws", "async", "in ", "in\n"} {
		if bytes.HasPrefix(after, []byte(goesOn)) {
			return false
		}
	}
	start := bytes.LastIndexByte(m.src[:m.i], '\n') + 1
	line := bytes.TrimLeft(m.src[start:m.i], " \t")
	switch m.prev {
	case '(', ',', '{', '|', '[', '&':
		return true
	case '?':
		return isBlank(m.src[m.i-1])
	case '=':
		return !bytes.Contains(line, []byte("typealias ")) && !bytes.Contains(line, []byte("where "))
	case ':':
		argument := len(after) > 0 && (after[0] == ')' || after[0] == ',') && !bytes.Contains(line, []byte("func "))
		return argument || len(line) == 0 || bytes.HasPrefix(line, []byte("case ")) || bytes.HasPrefix(line, []byte("default"))
	}
	return len(line) == 0 || notOperands[string(m.word)]
}

// onlyBlanksBefore reports whether an offset is the start of the text of its line.
func onlyBlanksBefore(src []byte, at int) bool {
	for at--; at >= 0 && src[at] != '\n'; at-- {
		if !isBlank(src[at]) {
			return false
		}
	}
	return true
}

// isRegexp reports whether "/" at the current offset begins a regular expression.
func (m *swiftMasker) isRegexp() bool {
	if c := m.next(1); isBlank(c) || c == 0 {
		return false
	}
	switch m.prev {
	case '(', ',', '=', ':', '[', '{', 0:
		return true
	}
	return notOperands[string(m.word)] || onlyBlanksBefore(m.src, m.i)
}

// regexpEnd returns the end of the regular expression at i, 0 if its line has no end of it.
func regexpEnd(src []byte, i int) int {
	for i++; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case '/':
			return i + 1
		}
	}
	return 0
}

// maxNestedStrings bounds the strings in interpolations of strings.
const maxNestedStrings = 8

// skipSwiftString returns the end of the string at i.
func skipSwiftString(src []byte, i int) int { return swiftStringEnd(src, i, 0) }

func swiftStringEnd(src []byte, i, depth int) int {
	if bytes.HasPrefix(src[i:], []byte(`"""`)) {
		for i += 3; i < len(src); i++ {
			if src[i] == '\\' {
				i++
			} else if bytes.HasPrefix(src[i:], []byte(`"""`)) {
				return i + 3
			}
		}
		return len(src)
	}
	for i++; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '"':
			return i + 1
		case '\\':
			if i++; i < len(src) && src[i] == '(' && depth < maxNestedStrings {
				i = interpolationEnd(src, i, depth+1) - 1
			}
		}
	}
	return min(i, len(src))
}

// interpolationEnd returns the end of an interpolation, whose parenthesis is at i.
func interpolationEnd(src []byte, i, depth int) int {
	for open := 0; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i + 1
			}
		case '"':
			i = swiftStringEnd(src, i, depth) - 1
		}
	}
	return min(i, len(src))
}

// skipRawString returns the end of the string at i, which has a number of "#" around it.
func skipRawString(src []byte, i, hashes int) int {
	end := append([]byte{'"'}, bytes.Repeat([]byte{'#'}, hashes)...)
	from := i + 1
	if bytes.HasPrefix(src[i:], []byte(`"""`)) {
		end, from = append([]byte(`""`), end...), i+3
	}
	if n := bytes.Index(src[min(from, len(src)):], end); n >= 0 {
		return from + n + len(end)
	}
	return len(src)
}
