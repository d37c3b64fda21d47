package languages

import (
	"bytes"
)

// A word that begins with two underscores and a small letter belongs to the compiler or to the
// library. In C most of those that are no names of types stand for attributes: `void __iomem *p`,
// `static int __init f(void)`, `int x __read_mostly = 1;`.

// notAttributes are words that the grammar reads, and that say more than an attribute.
var notAttributes = wordsOf("__asm __auto_type __typeof __declspec __attribute __extension __func __label __real __imag")

// isReserved reports whether a word can be such an attribute. Of the words that end as they begin, which the
// grammar reads or the compiler defines, only those of the C library are: __attribute_pure__.
func isReserved(w []byte) bool {
	n := len(w)
	if name, ok := bytes.CutPrefix(w, []byte("__attribute_")); ok && len(name) > 1 {
		return true
	}
	return n > 3 && w[0] == '_' && w[1] == '_' && 'a' <= w[2] && w[2] <= 'z' && w[n-1] != '_' && (w[n-1] < '0' || w[n-1] > '9') &&
		!bytes.HasSuffix(w, []byte("_t")) && !bytes.HasPrefix(w, []byte("__builtin")) && !notAttributes[string(w)]
}

// beforeNames are the words behind which a word names a type, a value or a label.
var beforeNames = wordsOf("struct union enum class typename return case goto else do sizeof typeof throw new delete operator using namespace co_return co_await co_yield not and or")

// reservedEnd returns the end of the attribute src[start:end] with its arguments, or 0 when
// the word is something else.
func (m *masker) reservedEnd(start, end int) int {
	if !isReserved(m.src[start:end]) || m.prev == 'a' && beforeNames[string(m.word)] {
		return 0
	}
	args := m.arguments(end)
	next := m.blanks(args)
	if next >= len(m.src) {
		return 0
	}
	c := m.src[next]
	switch {
	case m.prev == ')': // int f(void) __must_hold(x) {
		if !m.inStatements() && (c == ';' || c == '{' || isReserved(m.src[next:m.wordEnd(next)])) {
			return args
		}
	case m.prev == ']' || m.prev == 'a' && m.names > 1: // int x[] __initdata = {
		if args == end && (c == '=' || c == ';' || c == ',' || c == '[') {
			return end
		}
	}
	if !isWordByte(c) && (c != '*' || args > end) {
		return 0
	}
	switch {
	case m.prev == 'a' && !storage[string(m.word)] && args == end: // void __iomem *p; int __init f(void)
		return end
	case m.prev == '(' && m.inStatements() && args == end: // (__force int)x
		if after := m.blanks(m.wordEnd(next)); isWordByte(c) && after < len(m.src) && (m.src[after] == ')' || m.src[after] == '*') {
			return end
		}
	case m.prev == 'a' || isBoundary(m.prev) && m.prev != ',' && m.leading: // static __always_inline int f(void)
		if m.inStatements() && args > end {
			return 0
		}
		if name := m.declarator(m.wordEnd(next)); isWordByte(c) && name < len(m.src) && isWordByte(m.src[name]) {
			return args
		}
	}
	return 0
}

// noNames are the words of a declaration that do not count in masker.names: the type or the
// name is another word.
var noNames = wordsOf("static inline extern virtual constexpr explicit friend typedef register const volatile struct union enum class unsigned signed long short")

// isTypeArgument reports whether the word struct, union or enum at start stands before an
// argument of a macro: `container_of(p, struct device, kobj)`. Without it the argument is an
// expression that the grammar reads.
func (m *masker) isTypeArgument() bool {
	name := m.blanks(m.i)
	end := m.wordEnd(name)
	after := m.blanks(end)
	for m.c && after < len(m.src) && m.src[after] == '*' {
		after = m.blanks(after + 1)
	}
	return end > name && after < len(m.src) && (m.src[after] == ',' || m.src[after] == ')' && m.prev == ',')
}
