package languages

import "bytes"

// C code calls macros where the grammar reads no call, and uses what compilers add to the language.
// What is here puts an operator, a semicolon or a comma into a blank beside such a call, or blanks
// a word before it, so that the grammar reads a call of a function.

// endLoop puts a semicolon behind a macro with arguments before a statement, which the grammar
// then reads as two statements: `list_for_each(p, list) {`. The name of the macro ends at i.
func (m *masker) endLoop(w []byte, i int) {
	if !m.c || !m.inStatements() || m.inValues() || !m.startsStatement() || notLoops[string(w)] {
		return
	}
	end := m.arguments(i)
	if end == i || end >= len(m.src) || !isBlank(m.src[end]) {
		return
	}
	next := m.blanks(end)
	if next >= len(m.src) {
		return
	}
	word := m.src[next:m.wordEnd(next)]
	switch {
	case m.src[next] == '{', startStatements[string(word)]:
	case len(word) == 0, string(word) == "else", w[0] == '_', bytes.IndexByte(m.src[end:next], '\n') < 0:
		return // else it can be a declaration whose type is a macro
	}
	m.set(end, ';')
}

// notLoops are the words of C that can stand before parentheses and what a loop can stand before.
var notLoops = wordsOf("if for while switch return sizeof case typeof asm else do goto default")

// startStatements are the words that start a statement and nothing else.
var startStatements = wordsOf("if for while switch return do goto break continue")

// startsStatement reports whether the word at i can be the first of a statement.
func (m *masker) startsStatement() bool {
	return isBoundary(m.prev) && m.prev != ',' || m.leading && (m.prev == ')' || m.prev == 'a' && string(m.word) == "else")
}

// endValue puts a comma behind a macro with arguments that is alone on a line of a list of values:
// `SET_SYSTEM_SLEEP_PM_OPS(suspend, resume)`. The arguments end at end, before a line break.
func (m *masker) endValue(end int) {
	if next := m.blanks(end); next < len(m.src) && (isWordByte(m.src[next]) || bytes.IndexByte([]byte(".[{#"), m.src[next]) >= 0) {
		m.set(end, ',')
	}
}

// freeCall blanks a storage word before a call of a macro with two arguments or more:
// `static UNIVERSAL_DEV_PM_OPS(ops, suspend, resume, NULL);`. With one, the grammar reads a
// declaration whose name is the argument. The storage word is src[start:end], the first of its line
// or behind others.
func (m *masker) freeCall(start, end int) {
	if !m.c || !isBoundary(m.prev) {
		return
	}
	name := m.blanks(end)
	nameEnd := m.wordEnd(name)
	args := m.arguments(nameEnd)
	if args == nameEnd || !isCapitals(m.src[name:nameEnd]) {
		return
	}
	if next := m.blanks(args); next < len(m.src) && m.src[next] == ';' && bytes.IndexByte(m.src[nameEnd:args], ',') > 0 {
		m.blank(start, end)
	}
}

// endEntry puts a semicolon in place of the comma behind a macro with arguments between declarations:
// a file of such lines is included where there is a list. The arguments end at end.
func (m *masker) endEntry(end int) {
	if m.c && len(m.braces) == 0 && m.leading && isBoundary(m.prev) && end < len(m.src) && m.src[end] == ',' {
		m.set(end, ';')
	}
}

// spread writes "-" for the "..." between two values: `case 1 ... 9:`.
func (m *masker) spread() bool {
	if !m.c || !m.inStatements() || m.prev != 'a' && m.prev != '"' || !bytes.HasPrefix(m.src[m.i:], []byte("...")) {
		return false
	}
	if next := m.blanks(m.i + len("...")); next >= len(m.src) || !isWordByte(m.src[next]) && m.src[next] != '\'' {
		return false
	}
	m.blank(m.i, m.i+len("..."))
	m.out[m.i+1] = '-'
	m.prev = '-'
	m.i += len("...")
	return true
}

// typeWords are the words of which a type of several words is made.
var typeWords = wordsOf("unsigned signed long short int char")

// typeArgument blanks all but the last word of a type that is an argument of a macro:
// `min_t(unsigned int, a, b)`. Its first word ends at i. The grammar reads one word as a value.
func (m *masker) typeArgument(start, i int) bool {
	if !m.c {
		return false
	}
	last, next := start, m.blanks(i)
	for end := m.wordEnd(next); typeWords[string(m.src[next:end])]; end = m.wordEnd(next) {
		last, next = next, m.blanks(end)
	}
	if last == start || next >= len(m.src) || m.src[next] != ',' && (m.src[next] != ')' || m.prev != ',') {
		return false
	}
	m.blank(start, last)
	m.i = last
	return true
}

// joinText puts a "+" into the blanks between a text and a macro with arguments that stands for
// another, and behind its arguments before a third: `"at most " __stringify(MAX) " bytes"`; and
// between two macros before a text: `KERN_INFO NAME ": "`. The name of the macro is src[start:end].
func (m *masker) joinText(start, end int) {
	behindMacro := m.prev == 'a' && m.inStatements() && isCapitals(m.word)
	if !m.c || m.prev != '"' && !behindMacro || !isBlank(m.src[start-1]) {
		return
	}
	args := m.arguments(end)
	next := m.blanks(args)
	quote := next < len(m.src) && m.src[next] == '"'
	switch {
	case m.prev == '"' && args > end && string(m.word) != "extern":
		m.set(start-1, '+')
		if quote && next > args {
			m.set(next-1, '+')
		}
	case behindMacro && quote && isCapitals(m.src[start:end]):
		m.set(start-1, '+')
	}
}

// nestedFields reads fields that are calls of one macro inside of each other: `FIELD(u8 a : 1,
// FIELD(u8 b : 7, ;))`. It blanks the calls and puts semicolons in place of their commas. The first
// name is src[start:i]. It returns the end of the fields, 0 for something else.
func (m *masker) nestedFields(start, i int) int {
	if !m.c || start < m.noFields || !m.leading || !isBoundary(m.prev) || len(m.braces) == 0 || m.inStatements() {
		return 0
	}
	call := string(m.src[start:i]) + "("
	var commas []int
	at, limit := start, min(len(m.src), start+2*maxArguments)
	for bytes.HasPrefix(m.src[at:limit], []byte(call)) {
		n := bytes.IndexAny(m.src[at+len(call):limit], ",;(){}")
		if n < 0 || m.src[at+len(call)+n] != ',' {
			break
		}
		commas = append(commas, at+len(call)+n)
		at = m.blanks(at + len(call) + n + 1)
	}
	m.noFields = at
	if len(commas) == 0 || at >= len(m.src) || m.src[at] != ';' {
		return 0
	}
	end := at + 1
	for range commas {
		if end = m.blanks(end) + 1; end > len(m.src) || m.src[end-1] != ')' {
			return 0
		}
	}
	for _, comma := range commas {
		m.blank(start, start+len(call))
		m.set(comma, ';')
		start = m.blanks(comma + 1)
	}
	m.blank(at, end)
	return end
}

// pointerArgument blanks the stars behind a type that is an argument of a macro:
// `voidcast(list *, p)`. The grammar reads the word before them as a value.
func (m *masker) pointerArgument() bool {
	end := m.i
	for end < len(m.src) && (m.src[end] == '*' || isBlank(m.src[end])) {
		end++
	}
	if !m.c || !m.inStatements() || m.prev != 'a' || end == len(m.src) || m.src[end] != ',' {
		return false
	}
	m.blank(m.i, end)
	m.i = end
	return true
}

// operatorArgument writes 0 for an operator that is an argument of a macro: `cmp(a, ==, b)`.
func (m *masker) operatorArgument() bool {
	if m.plain || m.prev != ',' && m.prev != '(' {
		return false
	}
	const longest = len("<<=")
	end := m.i
	for end < min(len(m.src), m.i+longest) && bytes.IndexByte([]byte("+-*/%&|^<>=!~"), m.src[end]) >= 0 {
		end++
	}
	next := m.blanks(end)
	if end == m.i || next == len(m.src) || m.src[next] != ',' && (m.src[next] != ')' || m.prev == '(') { // int (*)(void)
		return false
	}
	m.blank(m.i, end)
	m.out[m.i] = '0'
	m.prev, m.i = '"', end
	return true
}
