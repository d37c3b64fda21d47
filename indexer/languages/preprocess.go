package languages

import (
	"bytes"
	"sync"
)

// maskMacros returns the text of a C or C++ file with blanks in place of macros and
// directives that the grammar cannot read, so that one macro does not break the
// declarations around it. It keeps all offsets. It blanks
//
//   - macros that stand for attributes and markers: `ABSL_NAMESPACE_BEGIN`,
//     `UV_EXTERN int f();`, `class API Foo {`, `int f() LOCKS_EXCLUDED(mu);`,
//     `T* absl_nonnull p`;
//   - macros around the type of a function or a variable, `API(char *) f(void);`, and around the
//     parameters, `int f OF((int a));`, or both, `FUNCTION(int, f, (int a));`, but not their arguments;
//   - words that are reserved for the compiler and stand for attributes, see isReserved;
//   - the word struct before a type that is an argument of a call, typename likewise, extern before
//     the instance of a template, and what is behind a comma in decltype;
//   - the lines of conditionals, and all branches but the first if a branch does not begin
//     and end between statements or if their braces differ;
//   - the text behind `#if 0`.
//
// It puts a semicolon behind a macro that is a statement, a comma behind one that is an element of a
// list of values, and a parameter with a default value in place of a condition among template
// parameters. It returns content itself when it changes nothing.
func maskMacros(content []byte) []byte { return (&masker{src: content, prev: ';'}).masked() }

// maskC is maskMacros for C. It also reads what C code does with macros and compilers beyond the
// standard, see macrocalls.go.
func maskC(content []byte) []byte { return (&masker{src: content, prev: ';', c: true}).masked() }

// spareMasks has memory of masked texts, as *[]byte.
var spareMasks sync.Pool

func borrowMask() []byte {
	if b, ok := spareMasks.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return nil
}

// giveBackMask gives the memory of the masked text of content to the masks of other files.
func giveBackMask(masked, content []byte) {
	if len(content) > 0 && &masked[0] != &content[0] {
		spareMasks.Put(&masked)
	}
}

func (m *masker) masked() []byte {
	m.run()
	if m.out == nil {
		return m.src
	}
	return m.out
}

// braced is what is in braces.
type braced uint8

const (
	declarations braced = iota
	statements          // or enumerators
	values
)

// masker scans C tokens from left to right.
type masker struct {
	plain    bool // the language is C#, which has no macros
	c        bool // the language is C
	src, out []byte
	i        int
	prev     byte     // the last byte that is not blank; 'a' stands for a word, '"' for a literal
	word     []byte   // the last word, when prev is 'a'
	names    int      // words of the declaration so far that can be its type or its name
	enum     bool     // the statement contains the word enum
	class    bool     // the statement contains the word class, struct or union
	leading  bool     // only storage keywords precede i on its line
	braces   []braced // what is in the open braces
	branches []branch
	deeper   int // open conditionals beyond maxBranches
	listEnd  int // the end of the last list of template parameters
	noTrace  int // no trace event starts before
	noFields int // no nested fields start before
}

func (m *masker) run() {
	m.leading = true
	for m.i < len(m.src) {
		switch c := m.src[m.i]; {
		case isBlank(c) || c == '\\':
			m.leading = m.leading || c == '\n'
			if m.out != nil && !isBlank(m.out[m.i]) && c != '\\' {
				m.prev = m.out[m.i]
			}
			m.i++
		case c == '#' && m.leading:
			m.directive()
		case c == '/' && m.i+1 < len(m.src) && (m.src[m.i+1] == '/' || m.src[m.i+1] == '*'):
			m.i = skipComment(m.src, m.i)
		case c == '"' && m.plain:
			m.i = skipSharp(m.src, m.i)
			m.prev, m.leading = '"', false
		case c == '"' || c == '\'':
			m.i = skipQuoted(m.src, m.i)
			m.prev, m.leading = '"', false
		case isWordByte(c):
			m.wordToken()
		case c == '.' && m.spread():
		case c == '*' && m.pointerArgument():
		case m.operatorArgument():
		default:
			m.punctuation(c)
		}
	}
}

func (m *masker) punctuation(c byte) {
	if m.out != nil && m.out[m.i] == ';' {
		c = ';'
	}
	switch c {
	case '{':
		function := m.prev == ')' || m.prev == 'a' && afterParameters[string(m.word)] && !(m.class && string(m.word) == "final")
		switch {
		case m.prev == '=' || m.inValues() && m.prev != ')':
			m.braces = append(m.braces, values)
		case function || m.enum || m.inStatements():
			m.braces = append(m.braces, statements)
		default:
			m.braces = append(m.braces, declarations)
		}
		m.enum, m.class = false, false
	case '}':
		if n := len(m.braces); n > 0 {
			m.braces = m.braces[:n-1]
		}
		m.enum, m.class = false, false
	case ';':
		m.enum, m.class = false, false
	}
	if c != '*' {
		m.names = 0
	}
	m.prev, m.leading = c, false
	m.i++
}

// inStatements reports whether i is between statements, enumerators or values.
func (m *masker) inStatements() bool {
	return len(m.braces) > 0 && m.braces[len(m.braces)-1] != declarations
}

func (m *masker) inValues() bool { return len(m.braces) > 0 && m.braces[len(m.braces)-1] == values }

// afterParameters are the words that can stand before the body of a function.
var afterParameters = wordsOf("const noexcept override final volatile try else do")

// storage are the words that can precede a macro in front of a declaration.
var storage = wordsOf("static inline extern virtual constexpr explicit friend typedef const")

// typeKeywords are the words that can precede a macro in front of the name of a type.
var typeKeywords = wordsOf("class struct union enum")

func (m *masker) wordToken() {
	start := m.i
	m.i = m.wordEnd(m.i)
	w := m.src[start:m.i]
	if m.plain {
		m.leading, m.prev, m.word = false, 'a', w
		return
	}
	if m.i < len(m.src) && m.src[m.i] == '"' && w[len(w)-1] == 'R' {
		m.i = skipRaw(m.src, m.i)
		m.prev = '"'
		return
	}
	m.leading = m.leading || m.prev == '>' && m.blanks(m.listEnd+1) == start // template <class T> API T f();
	if isCapitals(w) && m.i < m.listEnd && (m.prev == ',' || m.prev == '<') && m.parameter(start, m.i) {
		m.prev, m.word, m.leading = 'a', w, false
		return
	}
	m.joinText(start, m.i)
	if m.prev == 'a' && m.typeAttribute(w) {
		m.blank(start, m.i)
		return
	}
	if m.typeMacro(start) || m.listMacro(start) || m.parametersMacro(start) || m.storageMacro(start) || m.attributeMacro(start) {
		return
	}
	if isCapitals(w) && m.macro(start) {
		return
	}
	if end := m.reservedEnd(start, m.i); end > 0 {
		m.blank(start, end)
		m.i = end
		return
	}
	if m.prev == '*' && m.pointerAttribute(w) { // T* nonnull p
		m.blank(start, m.i)
		return
	}
	argument := m.inStatements() && (m.prev == ',' || m.prev == '(')
	if argument && typeKeywords[string(w)] && m.isTypeArgument() {
		m.blank(start, m.i)
		return
	}
	if argument && typeWords[string(w)] && m.typeArgument(start, m.i) {
		return
	}
	stored := m.leading && storage[string(w)]
	if stored {
		m.freeCall(start, m.i)
	}
	if m.keyword(start) {
		return
	}
	m.endLoop(w, m.i)
	if !noNames[string(w)] {
		m.names++
	}
	m.leading, m.prev, m.word = stored, 'a', w
}

// macro reads a word of capitals, from start to m.i, as a macro. It returns true when it has changed
// or passed it.
func (m *masker) macro(start int) bool {
	if m.cppMacro(start, m.i) {
		return true
	}
	if end := m.tracepoint(m.i); end > 0 {
		m.prev, m.leading, m.i = ')', false, end
		return true
	}
	if end := m.nestedFields(start, m.i); end > 0 {
		m.prev, m.leading, m.i = ';', false, end
		return true
	}
	if m.qualifierMacro(start) || m.parameterMacro(start) {
		return true
	}
	end := 0
	if m.inStatements() {
		m.endStatement(m.i)
		if m.leading && isBoundary(m.prev) && m.prev != ',' && m.declares(m.i) { // MAYBE_UNUSED int x = 1;
			end = m.i
		}
	} else {
		end = m.macroEnd(start, m.i)
	}
	if end == 0 && (m.prev == 'a' || m.prev == ']') && isAttribute(m.src[start:m.i]) {
		end = m.arguments(m.i)
	}
	if end == 0 {
		return false
	}
	m.blank(start, end)
	m.i = end
	return true
}

// pointerAttribute reports whether the word w, which ends at m.i, stands between a "*" and a name.
func (m *masker) pointerAttribute(w []byte) bool {
	next := m.blanks(m.i)
	name := m.src[next:m.wordEnd(next)]
	return !qualifiers[string(w)] && next > m.i && len(name) > 0 && !qualifiers[string(name)] && !isAttribute(name)
}

// keyword notes what a keyword, from start to m.i, says of the text behind it. It returns true when
// it has blanked the keyword.
func (m *masker) keyword(start int) bool {
	switch string(m.src[start:m.i]) {
	case "enum":
		m.enum = true
	case "class", "struct", "union":
		m.class = true
	case "template":
		m.listEnd = m.parametersEnd(m.i)
	case "noexcept": // noexcept(noexcept(f()))
		m.blank(m.i, m.arguments(m.i))
	case "decltype": // decltype(j.get(), void())
		if comma, end := m.comma(m.i); comma > 0 {
			m.blank(comma, end)
		}
	case "extern": // extern template class A<int>;
		if next := m.blanks(m.i); string(m.src[next:m.wordEnd(next)]) == "template" {
			m.blank(start, m.i)
			return true
		}
	case "typename": // f(typename T::Tag())
		if m.inStatements() && (m.prev == '(' || m.prev == ',' || m.prev == '=') {
			m.blank(start, m.i)
			return true
		}
	case "operator":
		m.operatorCall(start, m.i)
	case "__restrict", "__restrict__":
		if m.prev == '&' {
			m.blank(start, m.i)
			return true
		}
	case "friend":
		if m.prev == '>' { // template<class T> friend class A;
			m.blank(start, m.i)
			return true
		}
	}
	return false
}

// parameter writes a parameter with a default value in place of a macro with arguments in a list of
// template parameters: `int  =(cond)` for `ENABLE(cond)`. The name of the macro is src[start:end].
func (m *masker) parameter(start, end int) bool {
	const least = len("int=")
	args := m.arguments(end)
	if next := m.blanks(args); end-start < least || args <= end+len("()") || next >= len(m.src) || m.src[next] != ',' && m.src[next] != '>' {
		return false
	}
	m.blank(start, end)
	copy(m.out[start:], "int")
	m.out[end-1] = '='
	return true
}

// qualifiers are the words that can stand between a "*" and another word.
var qualifiers = wordsOf("const volatile restrict __restrict __restrict__ and or xor bitand bitor not_eq and_eq or_eq if else new delete this sizeof operator override final noexcept")

// declares reports whether a type of one word and a name follow at i.
func (m *masker) declares(i int) bool {
	typ := m.blanks(i)
	typEnd := m.wordEnd(typ)
	name := m.blanks(typEnd)
	nameEnd := m.wordEnd(name)
	if typ == i || qualifiers[string(m.src[typ:typEnd])] || name == typEnd || nameEnd == name {
		return false
	}
	end := m.blanks(nameEnd)
	return end < len(m.src) && (m.src[end] == '=' || m.src[end] == ';' || isWordByte(m.src[end]))
}

// isAttribute reports whether a macro is an attribute of the name before it, or of the
// declaration behind it.
func isAttribute(w []byte) bool {
	for _, part := range []string{"GUARDED_BY", "ATTRIBUTE", "UNUSED", "LIFETIME_BOUND", "NOEXCEPT"} {
		if bytes.Contains(w, []byte(part)) {
			return true
		}
	}
	return false
}

// endStatement puts a semicolon behind a macro that is alone on a line between statements; one
// without arguments needs a statement behind it. The name of the macro ends at i.
func (m *masker) endStatement(i int) {
	end := m.arguments(i)
	if !m.leading || !isBoundary(m.prev) || end >= len(m.src) || m.src[end] != '\n' {
		return
	}
	switch next := m.blanks(end); {
	case end == i:
		if m.prev != ',' && !m.inValues() && next < len(m.src) && isWordByte(m.src[next]) && !m.declares(i) {
			m.set(end, ';')
		}
	case m.c && m.inValues():
		m.endValue(end)
	case next < len(m.src) && (m.src[next] == '}' || isWordByte(m.src[next])):
		m.set(end, ';')
	}
}

// isBoundary reports whether c can end a statement, a declaration or an element.
func isBoundary(c byte) bool { return c == ';' || c == '{' || c == '}' || c == ',' || c == ':' }

func (m *masker) set(at int, c byte) {
	m.blank(at, at)
	m.out[at] = c
}

func (m *masker) blank(from, to int) {
	if m.out == nil {
		m.out = append(borrowMask(), m.src...)
	}
	blank(m.out[from:max(from, to)])
}
