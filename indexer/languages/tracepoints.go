package languages

import "bytes"

// A trace event of Linux or LTTng is one call of a macro, whose arguments are parameters, fields
// without separators and statements:
//
//	TRACE_EVENT(name,
//		TP_PROTO(struct a *b, u8 c),
//		TP_STRUCT__entry(__field(u8, c) __string(d, b->d)),
//		TP_fast_assign(__entry->c = c;),
//		TP_printk("%d", __entry->c)
//	);
//
// No grammar reads these. tracepoint makes a list of expressions of them: between two operands it
// puts a comma, in the place of a semicolon or a brace too, and it blanks the words that only a
// declaration or a statement has. The names stay, and are uses.

// maxTracepoint bounds the arguments of a trace event in bytes.
const maxTracepoint = 16 << 10

// tracepoint reads the arguments at i of a macro, if they are those of a trace event. It returns
// their end, 0 for other arguments.
func (m *masker) tracepoint(i int) int {
	if !m.c || len(m.braces) > 0 || i < m.noTrace || !m.leading || !isBoundary(m.prev) || i >= len(m.src) || m.src[i] != '(' {
		return 0
	}
	end, closed := m.parenthesized(i, min(len(m.src), i+maxTracepoint))
	if !closed || !bytes.Contains(m.src[i:end], []byte("TP_ARGS(")) {
		m.noTrace = end
		return 0
	}
	e := expressions{m: m, i: i, end: end, operator: -1, comma: -1}
	e.read()
	return end
}

// parenthesized returns the end of what the parenthesis at i opens, and false when it is not closed
// before limit.
func (m *masker) parenthesized(i, limit int) (end int, closed bool) {
	depth := 0
	for i < limit {
		switch c := m.src[i]; {
		case c == '"' || c == '\'':
			i = skipQuoted(m.src, i)
			continue
		case c == '/' && i+1 < limit && (m.src[i+1] == '/' || m.src[i+1] == '*'):
			i = skipComment(m.src, i)
			continue
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
		i++
	}
	return limit, false
}

// noOperands are the words that are blanked in a list of expressions.
var noOperands = wordsOf("struct union enum const volatile unsigned signed static inline register if else for while do switch case default return break continue goto sizeof typeof")

// expressions makes a list of expressions of some text.
type expressions struct {
	m        *masker
	i, end   int
	operand  bool  // the last token that is no operator ends an operand
	text     bool  // that operand is a text
	operator int   // the first operator behind that token, -1 for none
	comma    int   // the comma that is that token, -1 for none
	choices  int   // "?" without their ":"
	opened   []int // the open parentheses, -1 for those of a call
}

func (e *expressions) read() {
	src := e.m.src
	for e.i < e.end {
		switch c := src[e.i]; {
		case isBlank(c) || c == '\\':
			e.i++
		case c == '/' && (src[e.i+1] == '/' || src[e.i+1] == '*'):
			e.i = skipComment(src, e.i)
		case c == '#':
			line := min(e.end-1, directiveEnd(src, e.i))
			e.m.blank(e.i, line)
			e.i = max(line, e.i+1)
		case c == '"' || c == '\'':
			e.starts(e.text)
			e.i = skipQuoted(src, e.i)
			e.ended(true)
		case isWordByte(c):
			e.word()
		default:
			e.punctuation(c)
		}
	}
}

func (e *expressions) word() {
	start := e.i
	e.i = e.m.wordEnd(start)
	w := e.m.src[start:e.i]
	if noOperands[string(w)] {
		e.m.blank(start, e.i)
		return
	}
	e.i = start
	e.starts(false)
	if cBuiltins[string(w)] && w[0] >= 'a' && w[0] <= 'z' {
		e.m.set(start, w[0]-'a'+'A') // the word is the name of a type for the grammar, and no operand
	}
	e.i = start + len(w)
	e.ended(false)
}

// starts puts a comma before an operand that follows another, unless both are texts.
func (e *expressions) starts(joined bool) {
	if e.operand && e.operator < 0 && !joined && isBlank(e.m.src[e.i-1]) {
		e.m.set(e.i-1, ',')
	}
	e.comma, e.operator = -1, -1
}

func (e *expressions) ended(text bool) { e.operand, e.text, e.operator = true, text, -1 }

func (e *expressions) punctuation(c byte) {
	at := e.i
	e.i++
	switch {
	case c == '(' || c == '[':
		e.open(at)
	case c == ')' || c == ']':
		e.close(at)
	case c == ',' || c == ';' || c == '{' || c == '}' || c == ':' && e.choices == 0:
		e.separate(at)
	case c == '*' && e.operand && e.operator < 0 && (isWordByte(e.m.src[e.i]) || e.m.src[e.i] == '*'): // u8 *a
		e.separate(at)
	case c == '.' && !e.operand && e.operator < 0: // .a = b
		e.m.blank(at, e.i)
	default:
		if c == '?' {
			e.choices++
		} else if c == ':' {
			e.choices--
		}
		if e.operator < 0 {
			e.operator = at
		}
	}
}

func (e *expressions) open(at int) {
	if e.operand && e.operator < 0 {
		at = -1
	}
	e.opened = append(e.opened, at)
	e.operand, e.operator, e.comma = false, -1, -1
}

// close ends a list. The comma at its end goes, and a cast is two operands: ` u8,a` for `(u8)a`.
func (e *expressions) close(at int) {
	e.dangling(at)
	if e.comma >= 0 {
		e.m.blank(e.comma, e.comma+1)
	}
	e.comma = -1
	open := -1
	if n := len(e.opened); n > 0 {
		open, e.opened = e.opened[n-1], e.opened[:n-1]
	}
	if open >= 0 && e.operand && e.i < e.end && (isWordByte(e.m.src[e.i]) || e.m.src[e.i] == '"') {
		e.m.blank(open, open+1)
		e.separate(at)
		return
	}
	e.ended(false)
}

// separate puts a comma at a byte behind an operand, and a blank there elsewhere.
func (e *expressions) separate(at int) {
	e.dangling(at)
	if !e.operand {
		e.m.blank(at, at+1)
		return
	}
	e.m.set(at, ',')
	e.operand, e.comma = false, at
}

// dangling blanks the operators before a byte, which no operand follows.
func (e *expressions) dangling(at int) {
	if e.operator >= 0 {
		e.m.blank(e.operator, at)
	}
	e.operator = -1
}
