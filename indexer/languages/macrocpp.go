package languages

import "bytes"

// C++ code has macros that stand for keywords, and calls of macros with what is no value.

// cppMacro reads a macro of C++ whose name is src[start:end]. It returns true when it has changed it.
func (m *masker) cppMacro(start, end int) bool {
	if m.c || m.prev == 'a' || !m.startsDeclaration() {
		return false
	}
	args := m.arguments(end)
	next := m.blanks(args)
	if next >= len(m.src) {
		return false
	}
	word := string(m.src[next:m.wordEnd(next)])
	switch c := m.src[next]; {
	case args == end && c == ':' && !m.inStatements() && next+1 < len(m.src) && m.src[next+1] == '\n': // PRIVATE_UNLESS_TESTED:
		end = next + 1
	case args == end && m.inStatements() && word == "static": // CONST_INIT static A a;
	case args == end && m.inStatements() && !m.enum && !m.inValues() && c == '{' && next > end: // TRY {
	case args > end && m.inStatements() && m.prev == '}' && c == '{' && m.src[args-2] == '&': // CATCH(E&) {
		end = args
	case args > end && !m.inStatements() && c == '{':
		m.matcher(start, end, args)
		return false
	default:
		return false
	}
	m.blank(start, end)
	m.i = end
	return true
}

// matcher writes a function in place of a matcher of GoogleTest: `HasSize( n    ) {` for
// `MATCHER_P(HasSize, n, "") {`. The name of the macro is src[start:end], its arguments end at args.
func (m *masker) matcher(start, end, args int) {
	if !bytes.HasPrefix(m.src[start:end], []byte("MATCHER")) {
		return
	}
	var commas []int
	depth := 0
	for k := end; k < args; k++ {
		switch c := m.src[k]; {
		case c == '"' || c == '\'':
			k = skipQuoted(m.src, k) - 1
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 1:
			commas = append(commas, k)
		}
	}
	if len(commas) == 0 {
		return
	}
	m.blank(start, m.blanks(end)+1)
	m.blank(commas[len(commas)-1], args-1)
	m.out[commas[0]] = '('
}

// operatorCall writes a name for an operator that is called by its name: `a->Operator  (b)` for
// `a->operator[](b)`. The word operator is src[start:end].
func (m *masker) operatorCall(start, end int) {
	const longest = 3
	if m.c || !m.inStatements() || m.prev != '.' && m.prev != '!' && m.prev != '>' && (m.prev != 'a' || string(m.word) != "return") {
		return
	}
	first := m.blanks(end)
	sign := first
	for sign < len(m.src) && !isBlank(m.src[sign]) && !isWordByte(m.src[sign]) && m.src[sign] != '(' {
		sign++
	}
	if open := m.blanks(sign); sign == first || sign > first+longest || open >= len(m.src) || m.src[open] != '(' {
		return
	}
	m.set(start, 'O')
	m.blank(first, sign)
	m.i = sign
}
