package languages

import (
	"bytes"
	"slices"
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
	if isCapitals(w) && m.i < m.listEnd && (m.prev == ',' || m.prev == '<') && m.parameter(start, m.i) {
		m.prev, m.word, m.leading = 'a', w, false
		return
	}
	m.joinText(start, m.i)
	if m.typeMacro(start) || m.listMacro(start) || m.parametersMacro(start) || m.storageMacro(start) {
		return
	}
	if isCapitals(w) {
		if m.cppMacro(start, m.i) {
			return
		}
		if end := m.tracepoint(m.i); end > 0 {
			m.prev, m.leading, m.i = ')', false, end
			return
		}
		if end := m.nestedFields(start, m.i); end > 0 {
			m.prev, m.leading, m.i = ';', false, end
			return
		}
		if m.qualifierMacro(start) {
			return
		}
		end := 0
		if m.inStatements() {
			m.endStatement(m.i)
			if m.leading && isBoundary(m.prev) && isAttribute(w) && m.declares(m.i) { // MAYBE_UNUSED int x = 1;
				end = m.i
			}
		} else {
			end = m.macroEnd(start, m.i)
		}
		if end == 0 && (m.prev == 'a' || m.prev == ']') && isAttribute(w) {
			end = m.arguments(m.i)
		}
		if end > 0 {
			m.blank(start, end)
			m.i = end
			return
		}
	}
	if end := m.reservedEnd(start, m.i); end > 0 {
		m.blank(start, end)
		m.i = end
		return
	}
	if m.prev == '*' && !qualifiers[string(w)] {
		if next := m.blanks(m.i); next > m.i && next < len(m.src) && isWordByte(m.src[next]) && !qualifiers[string(m.src[next:m.wordEnd(next)])] && !isAttribute(m.src[next:m.wordEnd(next)]) {
			m.blank(start, m.i) // T* nonnull p
			return
		}
	}
	if typeKeywords[string(w)] && m.isTypeArgument() {
		m.blank(start, m.i)
		return
	}
	if typeWords[string(w)] && m.typeArgument(start, m.i) {
		return
	}
	if storage[string(w)] {
		m.freeCall(start, m.i)
	}
	switch string(w) {
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
			return
		}
	case "typename": // f(typename T::Tag())
		if m.inStatements() && (m.prev == '(' || m.prev == ',' || m.prev == '=') {
			m.blank(start, m.i)
			return
		}
	case "operator":
		m.operatorCall(start, m.i)
	case "__restrict", "__restrict__":
		if m.prev == '&' {
			m.blank(start, m.i)
			return
		}
	case "friend":
		if m.prev == '>' { // template<class T> friend class A;
			m.blank(start, m.i)
			return
		}
	}
	m.endLoop(w, m.i)
	if !noNames[string(w)] {
		m.names++
	}
	m.leading = m.leading && storage[string(w)]
	m.prev, m.word = 'a', w
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
	name := m.blanks(m.wordEnd(typ))
	end := m.blanks(m.wordEnd(name))
	return typ > i && name > m.wordEnd(typ) && end < len(m.src) && (m.src[end] == '=' || m.src[end] == ';' || isWordByte(m.src[end]))
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

// endStatement puts a semicolon behind a macro with arguments that is alone on a line
// between statements. The name of the macro ends at i.
func (m *masker) endStatement(i int) {
	end := m.arguments(i)
	if end == i || !m.leading || !isBoundary(m.prev) || end >= len(m.src) || m.src[end] != '\n' {
		return
	}
	if m.c && m.inValues() {
		m.endValue(end)
	} else if next := m.blanks(end); next < len(m.src) && (m.src[next] == '}' || isWordByte(m.src[next])) {
		m.set(end, ';')
	}
}

// isBoundary reports whether c can end a statement, a declaration or an element.
func isBoundary(c byte) bool { return c == ';' || c == '{' || c == '}' || c == ',' || c == ':' }

// macroEnd returns the end of the macro src[start:end] and its arguments, or 0 when the
// word is not a macro that hides a declaration.
func (m *masker) macroEnd(start, end int) int {
	args := m.arguments(end)
	next := m.blanks(args)
	if m.prev == 'a' && typeKeywords[string(m.word)] { // class API Foo {
		if args == end && bytes.HasPrefix(m.src[next:], []byte("[[")) {
			return end
		}
		name := m.wordEnd(next)
		if after := m.blanks(name); name > next && after < len(m.src) && (args > end || m.src[after] == '{' || m.src[after] == ':' || m.src[after] == '<' || string(m.word) == "class" && isWordByte(m.src[after])) {
			return args
		}
		return 0
	}
	if m.prev == 'a' && m.behindType(args, end, next) { // enum kind UNDERLYING(char) {
		return args
	}
	if m.prev == ')' || m.prev == 'a' && afterParameters[string(m.word)] && !m.leading { // void f() LOCKS_EXCLUDED(mu);
		if next < len(m.src) && (m.src[next] == ';' || m.src[next] == '{' || m.initializers(next) || isCapitals(m.src[next:m.wordEnd(next)])) {
			return args
		}
		return 0
	}
	if next >= len(m.src) {
		if args == end && m.leading && m.prev == '}' { // the end of a namespace at that of the file
			return end
		}
		return 0
	}
	if args == end && (m.prev == '(' && m.pointerName(next) || m.prev == 'a' && !storage[string(m.word)] && m.beforeCall(next)) { // int WSAAPI f(…); int (WINAPI *f)(…)
		return end
	}
	if !m.leading || m.prev == 'a' && !storage[string(m.word)] || m.prev != 'a' && m.prev != '>' && (!isBoundary(m.prev) || m.prev == ',') {
		return 0
	}
	if args > end {
		m.endEntry(args)
	}
	if args > end && (m.src[next] == '{' || m.src[next] == ';') {
		m.unwrap(start, end, args)
		return 0
	}
	if c := m.src[next]; args == end && (c == '}' && m.prev != '{' && m.prev != ':' || c == '#') || bytes.HasPrefix(m.src[next:], []byte("#e")) {
		return args // ABSL_NAMESPACE_END; DIAGNOSTICS_OFF(x) before #endif
	}
	if m.src[next] == '[' && args > end { // DEPRECATED() [[nodiscard]]
		return args
	}
	if args == end && (m.src[next] == '~' || m.constructor(next)) { // CONSTEXPR ~A(); CONSTEXPR A() : x_() {}
		return end
	}
	if !isWordByte(m.src[next]) {
		return 0
	}
	name := m.wordEnd(next)
	switch after := m.declarator(name); {
	case args > end: // DEPRECATED("x") int f();
		return args
	case after < len(m.src) && isWordByte(m.src[after]): // UV_EXTERN int f();
		return end
	case isCapitals(m.src[next:name]) && m.wordBehindArguments(name): // NODISCARD DEPRECATED("x") int f();
		return end
	case slices.Contains(m.src[end:next], '\n') && (after >= len(m.src) || m.src[after] != '('): // ABSL_NAMESPACE_BEGIN
		return end
	}
	return 0
}

// wordBehindArguments reports whether arguments start at i and a word follows them.
func (m *masker) wordBehindArguments(i int) bool {
	args := m.arguments(i)
	next := m.blanks(args)
	return args > i && next < len(m.src) && isWordByte(m.src[next])
}

// behindType reports whether a macro stands between the name of a type and its body or bases. The
// macro with its arguments ends at args, its name at end, and the next token starts at next. A
// function of a type, too, has a name with arguments; its body has a semicolon.
func (m *masker) behindType(args, end, next int) bool {
	switch {
	case next >= len(m.src):
		return false
	case args == end:
		return (m.class || m.enum) && (m.src[next] == '{' || m.src[next] == ':' && !bytes.HasPrefix(m.src[next:], []byte("::")))
	case !m.enum || m.src[next] != '{':
		return false
	}
	body := m.src[next:min(len(m.src), next+maxArguments)]
	end = bytes.IndexByte(body, '}')
	return end > 0 && bytes.IndexByte(body[:end], ';') < 0
}

// beforeCall reports whether a name, which can be qualified, and its parameters start at i.
func (m *masker) beforeCall(i int) bool {
	for i < len(m.src) && isWordByte(m.src[i]) {
		i = m.wordEnd(i)
		if at := m.templateEnd(i); at > i && bytes.HasPrefix(m.src[at:], []byte("::")) {
			i = at
		}
		if bytes.HasPrefix(m.src[i:], []byte("(")) || m.doubled(m.wordEnd(m.blanks(i))) > 0 {
			return true
		}
		if !bytes.HasPrefix(m.src[i:], []byte("::")) {
			return false
		}
		i += len("::")
	}
	return false
}

// constructor reports whether a constructor with a list of initial values starts at i: the list
// tells it from a function whose type is a macro.
func (m *masker) constructor(i int) bool {
	name := m.wordEnd(i)
	args := m.arguments(name)
	if name == i || args == name {
		return false
	}
	next := m.blanks(args)
	if end := m.wordEnd(next); string(m.src[next:end]) == "noexcept" {
		next = m.blanks(m.arguments(end))
	}
	return m.initializers(next)
}

// initializers reports whether the list of initial values of a constructor starts at i.
func (m *masker) initializers(i int) bool {
	return i+1 < len(m.src) && m.src[i] == ':' && m.src[i+1] != ':'
}

// pointerName reports whether a function pointer starts at i: `*name)(`.
func (m *masker) pointerName(i int) bool {
	if m.src[i] != '*' {
		return false
	}
	name := m.blanks(i + 1)
	end := m.blanks(m.wordEnd(name))
	return end > name && end+1 < len(m.src) && m.src[end] == ')' && m.src[m.blanks(end+1)%len(m.src)] == '('
}

// unwrap blanks the macro and its parentheses around a declaration:
// `EXPORT(int f(void));`. If the argument is a builtin type, it blanks the arguments.
func (m *masker) unwrap(start, end, args int) {
	open := m.blanks(end)
	first := m.blanks(open + 1)
	name := m.wordEnd(first)
	for name > first && (storage[string(m.src[first:name])] || typeKeywords[string(m.src[first:name])]) { // UNUSED(static struct a f(void)) {
		first = m.blanks(name)
		name = m.wordEnd(first)
	}
	switch inner := m.declarator(name); {
	case name == first:
	case inner > name && m.beforeCall(inner):
		m.blank(start, open+1)
		m.blank(args-1, args)
	case cBuiltins[string(m.src[first:name])] && m.src[m.blanks(args)] == ';':
		m.blank(end, args)
		m.i = args
	}
}

func (m *masker) set(at int, c byte) {
	m.blank(at, at)
	m.out[at] = c
}

func (m *masker) blank(from, to int) {
	if m.out == nil {
		m.out = slices.Clone(m.src)
	}
	blank(m.out[from:max(from, to)])
}
