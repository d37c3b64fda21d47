package languages

import (
	"bytes"
	"slices"

	"ambit/indexer/lazy"
)

// maskTypes returns the text of a TypeScript file in which the grammar can read the types
// that it does not know: `interface A<in out T>` loses the words of the variance, and a
// call signature on a line of its own gets a semicolon before it:
//
//	const map: {
//	  <A>(f: A): B
//	  <A>(self: A, f: A): C
//	}
//
// All offsets stay. It returns content itself when it changes nothing.
func maskTypes(content []byte) []byte {
	out := content
	set := func(at int, c byte) {
		if &out[0] == &content[0] {
			out = slices.Clone(content)
		}
		out[at] = c
	}
	for _, m := range variance().FindAllSubmatchIndex(content, -1) {
		for i := m[2]; i < m[3]; i++ {
			if !isBlank(content[i]) {
				set(i, ' ')
			}
		}
	}
	for _, m := range signatureLine().FindAllSubmatchIndex(content, -1) {
		if at := m[2]; isSignature(content, at) && endsType(content, m[0]) {
			set(at-1, ';')
		}
	}
	return out
}

var (
	variance      = lazy.Regexp(`[<,](?:\s|//[^\n]*\n|/\*(?:[^*]|\*[^/])*\*/)*((?:in[ \t]+out|in|out)[ \t])[ \t]*[A-Za-z_$]`)
	signatureLine = lazy.Regexp(`\n[ \t]*([<(])`)
)

// maxSignatureBytes bounds the type parameters and the parameters of a call signature.
const maxSignatureBytes = 4000

// isSignature reports whether a call signature with the type of its result starts at i:
// `<A>(a: A): `.
func isSignature(src []byte, i int) bool {
	src = src[:min(len(src), i+maxSignatureBytes)]
	if src[i] == '<' {
		if i = skipBlanks(src, groupOf(src, i, '<', '>')); i >= len(src) || src[i] != '(' {
			return false
		}
	}
	i = skipBlanks(src, groupOf(src, i, '(', ')'))
	return i < len(src) && src[i] == ':'
}

// groupOf returns the end of the group whose bracket is at i. The ">" of an arrow closes
// nothing.
func groupOf(src []byte, i int, opening, closing byte) int {
	depth := 0
	for ; i < len(src); i++ {
		switch {
		case src[i] == opening:
			depth++
		case src[i] == closing && (closing != '>' || src[i-1] != '='):
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return i
}

func skipBlanks(src []byte, i int) int {
	for i < len(src) && isBlank(src[i]) {
		i++
	}
	return i
}

// notTypes are the words that a type does not end with.
var notTypes = wordsOf("extends keyof typeof new return is in of default await async yield infer readonly asserts function case throw else")

// endsType reports whether the text before offset end can end a type, comments aside.
func endsType(src []byte, end int) bool {
	for {
		end = len(bytes.TrimRight(src[:end], " \t\r\n"))
		if end >= 2 && src[end-1] == '/' && src[end-2] == '*' {
			if end = bytes.LastIndex(src[:end], []byte("/*")); end < 0 {
				return false
			}
			continue
		}
		line := bytes.LastIndexByte(src[:end], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(src[line:end], " \t"), []byte("//")) {
			break
		}
		end = line
	}
	if end == 0 {
		return false
	}
	switch c := src[end-1]; {
	case c == '>':
		return end < 2 || src[end-2] != '='
	case c == ']' || c == ')' || c == '}' || c == '"' || c == '\'' || c == '`':
		return true
	case !isWordByte(c):
		return false
	}
	start := end
	for start > 0 && isWordByte(src[start-1]) {
		start--
	}
	return !notTypes[string(src[start:end])]
}
