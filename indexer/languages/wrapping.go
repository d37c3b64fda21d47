package languages

import "bytes"

// Some macros wrap a part of a declaration, and their argument is what the grammar should read.

// notWrapping are the words with arguments before a name that are no such macros.
var notWrapping = wordsOf("alignas _Alignas decltype typeof typeof_unqual explicit requires noexcept operator sizeof asm if while for switch return defined")

// startsDeclaration reports whether a word at i starts a declaration: it is the first of its line, or
// only storage keywords precede it there.
func (m *masker) startsDeclaration() bool {
	if m.prev == 'a' {
		return m.leading && storage[string(m.word)]
	}
	return m.leading && isBoundary(m.prev) && m.prev != ','
}

// typeMacro blanks a macro around the type of a function or a variable, `API(char *) f(void);`, and
// its parentheses. Of two arguments before a variable, `LIST_HEAD(jobs, job) all;`, the second one is
// the type. The macro is the word from start to m.i. It reports whether it did.
func (m *masker) typeMacro(start int) bool {
	if m.inStatements() || !m.startsDeclaration() {
		return false
	}
	args := m.arguments(m.i)
	if args == m.i {
		return false
	}
	w, typ := m.src[start:m.i], m.blanks(m.i)+1
	if notWrapping[string(w)] || bytes.HasPrefix(w, []byte("__")) {
		return false
	}
	name := m.blanks(args)
	end := m.blanks(m.wordEnd(name))
	if m.wordEnd(name) == name || end == len(m.src) || bytes.IndexByte([]byte("(;=["), m.src[end]) < 0 || notWrapping[string(m.src[name:m.wordEnd(name)])] {
		return false
	}
	if first, _, two := bytes.Cut(m.src[typ:args-1], []byte(",")); two && m.src[end] != '(' && (len(first) == 0 || isTypeText(first)) {
		typ += len(first) + len(",")
	}
	if !isTypeText(m.src[typ : args-1]) {
		return false
	}
	if m.src[end] == '(' && isCapitals(m.src[name:m.wordEnd(name)]) { // A(int a) LOCKS(a) : a_(a) {}
		return false
	}
	m.blank(start, typ)
	m.blank(args-1, args)
	m.i, m.leading, m.prev, m.word = args, false, 'a', nil
	m.names++
	return true
}

// listMacro blanks a macro around all parts of a function, `FUNCTION(void, f, (int a), ATTRIBUTE) {`,
// with the commas between them. The macro is the word from start to m.i. It reports whether it did.
func (m *masker) listMacro(start int) bool {
	if m.inStatements() || !m.startsDeclaration() {
		return false
	}
	args := m.arguments(m.i)
	if args == m.i {
		return false
	}
	if next := m.blanks(args); next == len(m.src) || m.src[next] != '{' && m.src[next] != ';' {
		return false
	}
	from := [3]int{-1, -1, m.blanks(m.i) + 1} // the starts of the last three arguments
	depth := 0
	for k := from[2]; k < args-1; k++ {
		switch c := m.src[k]; {
		case c == '"' || c == '\'':
			return false
		case c == '(' || c == '<' || c == '[':
			if c == '(' && depth == 0 && from[0] >= 0 {
				switch at := m.blanks(from[2]); {
				case at == k:
					return m.unlist(start, from, k, args)
				case m.blanks(m.wordEnd(at)) == k && m.doubled(m.wordEnd(at)) > 0: // FUNCTION(void, f, OF((int a)))
					return m.unlist(start, from, k+1, args)
				}
			}
			depth++
		case c == ')' || c == '>' || c == ']':
			depth--
		case c == ',' && depth == 0:
			from = [3]int{from[1], from[2], k + 1}
		}
	}
	return false
}

// unlist is listMacro for a macro whose arguments type, name and parameters start at the offsets
// from. The list of the parameters starts at list and the arguments end at args. It reports whether
// it has changed the macro.
func (m *masker) unlist(start int, from [3]int, list, args int) bool {
	typ, name := m.src[from[0]:from[1]-1], bytes.TrimSpace(m.src[from[1]:from[2]-1])
	if !isTypeText(typ) || !isTypeText(bytes.TrimLeft(name, "* ")) {
		return false
	}
	m.blank(start, from[0])
	m.blank(from[1]-1, from[1])
	m.blank(from[2]-1, list)
	m.blank(m.arguments(list), args)
	for i := m.blanks(from[1]); m.wordEnd(i) > i && isCapitals(m.src[i:m.wordEnd(i)]) && m.blanks(m.wordEnd(i)) < from[2]-1; i = m.blanks(m.wordEnd(i)) {
		m.blank(i, m.wordEnd(i)) // FUNCTION(void, WINAPI f, (int a))
	}
	m.i, m.leading, m.prev, m.word, m.names = args, false, ')', nil, 0
	return true
}

// isTypeText reports whether a text can be the name of a type: words, pointers and template
// arguments.
func isTypeText(text []byte) bool {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] >= '0' && text[0] <= '9' {
		return false
	}
	depth := 0
	for _, c := range text {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case isWordByte(c) || isBlank(c) || c == '*' || c == '&' || c == ':' || c == ',' && depth > 0:
		default:
			return false
		}
	}
	return isWordByte(text[0])
}

// parametersMacro blanks a macro around the parameters of a function, `int f OF((int a));`, and one
// pair of their parentheses. The macro is the word from start to m.i. It reports whether it did.
func (m *masker) parametersMacro(start int) bool {
	w := m.src[start:m.i]
	if m.inStatements() || !isCapitals(w) && w[0] != '_' && string(w) != "OF" && string(w) != "P" || bytes.Contains(w, []byte("attribute")) {
		return false
	}
	if (m.prev != 'a' || m.names < 2) && !m.behindPointer(start) {
		return false
	}
	args := m.doubled(m.i)
	if args == 0 {
		return false
	}
	if next := m.blanks(args); next == len(m.src) || m.src[next] != ';' && m.src[next] != ',' && !isWordByte(m.src[next]) {
		return false
	}
	open := m.blanks(m.i)
	m.blank(start, open+1)
	m.blank(args-1, args)
	m.i = open + 1
	return true
}

// doubled returns the end of a list in two pairs of parentheses at i, 0 when there is none.
func (m *masker) doubled(i int) int {
	args := m.arguments(i)
	if args == i {
		return 0
	}
	open := m.blanks(i)
	if inner := m.arguments(open + 1); inner == open+1 || m.blanks(inner) != args-1 {
		return 0
	}
	return args
}

// behindPointer reports whether the name of a pointer to a function ends before i: `(*name)`.
func (m *masker) behindPointer(i int) bool {
	text, ok := bytes.CutSuffix(bytes.TrimRight(m.src[:i], " \t\n"), []byte(")"))
	if m.prev != ')' || !ok {
		return false
	}
	name := len(text)
	for name > 0 && isWordByte(text[name-1]) {
		name--
	}
	return name < len(text) && bytes.HasSuffix(bytes.TrimRight(text[:name], " "), []byte("*"))
}

// storageMacro blanks a word of C before the type of a declaration: in `local int x = 1;` the word
// local must be a macro. The word ends at m.i. It reports whether it did.
func (m *masker) storageMacro(start int) bool {
	w := m.src[start:m.i]
	if !m.c || !m.leading || m.inStatements() || !isBoundary(m.prev) || m.prev == ',' || m.prev == ':' || isTypeWord(w) || isCapitals(w) {
		return false
	}
	typ := m.blanks(m.i)
	for qualifiers[string(m.src[typ:m.wordEnd(typ)])] { // local const int x[2];
		typ = m.blanks(m.wordEnd(typ))
	}
	end := m.wordEnd(typ)
	if t := m.src[typ:end]; typ == m.i || end == typ || storage[string(t)] || qualifiers[string(t)] || isCapitals(t) || isReserved(t) {
		return false
	}
	name := m.declarator(end)
	after := m.blanks(m.wordEnd(name))
	if name == end || m.wordEnd(name) == name || after == len(m.src) {
		return false
	}
	if n := m.src[name:m.wordEnd(name)]; isReserved(n) || m.src[name] >= '0' && m.src[name] <= '9' {
		return false
	}
	m.blank(start, m.i)
	return true
}

// cppWords are the words of C++ that no macro before a declaration has as its name, in addition to
// those of isTypeWord.
var cppWords = wordsOf("auto asm case catch class concept consteval constinit default delete do else enum export final for goto import module mutable namespace new override private protected public requires return static_assert struct template this thread_local throw try typename union using while co_await co_return co_yield")

// attributeMacro blanks a word of C++ before the type of a function, or before the qualified name of
// a constructor: in `inlined A B::f() {` the word inlined must be a macro. The word ends at m.i. It
// reports whether it did.
func (m *masker) attributeMacro(start int) bool {
	w := m.src[start:m.i]
	if m.c || m.inStatements() || !m.startsDeclaration() && !(m.leading && m.prev == '>') || isTypeWord(w) || cppWords[string(w)] || isCapitals(w) {
		return false
	}
	next := m.blanks(m.i)
	if next == m.i || !m.functionAfterType(next) && !(bytes.HasPrefix(m.src[m.wordEnd(next):], []byte("::")) && m.constructor(next)) {
		return false
	}
	m.blank(start, m.i)
	return true
}

// functionAfterType reports whether a type and the name of a function with its parameters start at i.
// Other words can precede the type.
func (m *masker) functionAfterType(i int) bool {
	const most = 8 // words
	typed := false
	for range most {
		if i >= len(m.src) {
			return false
		}
		end := m.wordEnd(i)
		w := m.src[i:end]
		switch {
		case end == i || isCapitals(w) || isReserved(w): // A b GUARDED_BY(c);
			return false
		case typed && (m.operatorAt(i) || m.beforeCall(i)):
			return true
		case storage[string(w)] || noNames[string(w)]:
			i = m.blanks(end)
			continue
		case cppWords[string(w)] && string(w) != "auto" || notWrapping[string(w)]:
			return false
		}
		typed = true
		name := m.declarator(end)
		if name == end {
			return false
		}
		i = name
	}
	return false
}

// operatorAt reports whether the name of an operator, which can be qualified, starts at i.
func (m *masker) operatorAt(i int) bool {
	end := m.wordEnd(i)
	for bytes.HasPrefix(m.src[end:], []byte("::")) {
		i = end + len("::")
		end = m.wordEnd(i)
	}
	return string(m.src[i:end]) == "operator"
}

// isTypeWord reports whether a word can begin a declaration by itself.
func isTypeWord(w []byte) bool {
	return storage[string(w)] || noNames[string(w)] || cBuiltins[string(w)] || notWrapping[string(w)] || w[0] == '_' || w[0] >= '0' && w[0] <= '9'
}

// qualifierMacro blanks a macro between a type and the name or the pointer behind it:
// `Byte FAR *p`, `typedef Byte FAR b;`. The macro is the word from start to m.i. It reports whether
// it did.
func (m *masker) qualifierMacro(start int) bool {
	if m.prev != 'a' || m.leading || beforeNames[string(m.word)] || storage[string(m.word)] || qualifiers[string(m.word)] || typeKeywords[string(m.word)] || isCapitals(m.word) {
		return false
	}
	next := m.blanks(m.i)
	if next == len(m.src) {
		return false
	}
	switch {
	case m.src[next] == '*' && next > m.i:
		after := m.blanks(next + 1)
		if after == len(m.src) || m.inStatements() && m.src[after] != ')' {
			return false
		}
	case isWordByte(m.src[next]) && !m.inStatements() && m.names > 0:
		if after := m.blanks(m.wordEnd(next)); after == len(m.src) || bytes.IndexByte([]byte(";=,)["), m.src[after]) < 0 {
			return false
		}
	default:
		return false
	}
	m.blank(start, m.i)
	return true
}

// parameterMacro blanks a macro before the type of a parameter: `int f(UNUSED int a)`. The macro is
// the word from start to m.i. It reports whether it did.
func (m *masker) parameterMacro(start int) bool {
	if m.prev != '(' && m.prev != ',' || m.inStatements() {
		return false
	}
	typ := m.blanks(m.i)
	typEnd := m.wordEnd(typ)
	if qualifiers[string(m.src[typ:typEnd])] || isCapitals(m.src[typ:typEnd]) {
		return false
	}
	name := m.declarator(typEnd)
	end := m.blanks(m.wordEnd(name))
	if typ == m.i || typ == typEnd || name == typEnd || m.wordEnd(name) == name || end == len(m.src) || m.src[end] != ',' && m.src[end] != ')' {
		return false
	}
	m.blank(start, m.i)
	return true
}
