package languages

import (
	"bytes"
	"slices"
)

// This file finds the macros before, in and behind declarations.

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
	if !m.startsDeclaration() && !(m.leading && m.prev == '>') {
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

// typeAttribute reports whether the word w, which ends at m.i, stands between a keyword and the name
// of the type that is declared: `class Api A {`.
func (m *masker) typeAttribute(w []byte) bool {
	if !typeKeywords[string(m.word)] || typeKeywords[string(w)] {
		return false
	}
	name := m.blanks(m.i)
	end := m.wordEnd(name)
	after := m.blanks(end)
	return name > m.i && end > name && !afterParameters[string(m.src[name:end])] && !isCapitals(m.src[name:end]) && after < len(m.src) && (m.src[after] == '{' || m.initializers(after))
}

// wordBehindArguments reports whether arguments start at i and a word follows them.
func (m *masker) wordBehindArguments(i int) bool {
	args := m.arguments(i)
	next := m.blanks(args)
	return args > i && next < len(m.src) && (isWordByte(m.src[next]) || bytes.HasPrefix(m.src[next:], []byte("#e")))
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
// tells it from a function whose type is a macro. So does the name of its class, when it is
// qualified: `A::A()`, `A::~A()`, `A::operator B()`.
func (m *masker) constructor(i int) bool {
	name := m.wordEnd(i)
	for bytes.HasPrefix(m.src[name:], []byte("::")) {
		class := m.src[i:name]
		i = name + len("::")
		if i < len(m.src) && m.src[i] == '~' {
			return true
		}
		if name = m.wordEnd(i); bytes.Equal(class, m.src[i:name]) || string(m.src[i:name]) == "operator" && isConversion(m.src[m.blanks(name):]) {
			return true
		}
	}
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

// isConversion reports whether the text behind the word operator is that of a type.
func isConversion(text []byte) bool { return len(text) > 0 && isWordByte(text[0]) }

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
