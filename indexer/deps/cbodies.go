package deps

import "bytes"

// cBodies blanks the bodies of functions in a text of C or C++, of which nothing is asked: they take
// most of the time of the parser, which reads many of those of templates with errors. A body whose end
// is not certain stays.
type cBodies struct {
	text []byte
	head cHead
}

// cHead is what stands before a brace, since the last declaration or the last brace.
type cHead struct {
	isCall bool // with a parenthesis
	isType bool // with a word for a type or a name space outside of angles and parentheses
	depth  int  // of parentheses
	angles int
}

// withoutBodies returns a text of the same length and lines without the bodies of functions.
func withoutBodies(text []byte) []byte {
	b := cBodies{text: bytes.Clone(text)}
	for i := 0; i < len(b.text); {
		i = b.step(i)
	}
	return b.text
}

// step reads what stands at a place outside of bodies, and returns where it ends.
func (b *cBodies) step(i int) int {
	if end := cSkipped(b.text, i); end > i {
		return end
	}
	switch c := b.text[i]; {
	case c == '#' && isLineStart(b.text, i):
		return cDirectiveEnd(b.text, i)
	case isWordByte(c):
		word := leadingWord(b.text[i:])
		if b.head.depth == 0 && b.head.angles == 0 && cTypeWords[string(word)] {
			b.head.isType = true
		}
		return i + len(word)
	case c == '(':
		b.head.isCall = true
		b.head.depth++
	case c == ')':
		b.head.depth--
	case c == '<' && b.head.depth == 0:
		b.head.angles++
	case c == '>' && b.head.depth == 0 && b.head.angles > 0:
		b.head.angles--
	case c == ';' && b.head.depth == 0 || c == '}':
		b.head = cHead{}
	case c == '{':
		isBody := b.head.isCall && !b.head.isType
		b.head = cHead{}
		if !isBody {
			break
		}
		if end := cBodyEnd(b.text, i+1); end > 0 {
			blank(b.text[i+1 : end])
			return end
		}
	}
	return i + 1
}

var cTypeWords = map[string]bool{"class": true, "struct": true, "union": true, "enum": true, "namespace": true, "concept": true}

// cBodyEnd returns where the brace is that ends a body, 0 when that is not certain: a branch of the
// preprocessor starts outside of the body, or there is none.
func cBodyEnd(text []byte, i int) int {
	var before []int // the depth at each open #if
	for depth := 1; i < len(text); {
		if end := cSkipped(text, i); end > i {
			i = end
			continue
		}
		switch c := text[i]; {
		case c == '#' && isLineStart(text, i):
			directive := bytes.TrimLeft(text[i+1:], " \t")
			switch string(leadingWord(directive)) {
			case "if", "ifdef", "ifndef":
				before = append(before, depth)
			case "else", "elif":
				if len(before) == 0 {
					return 0
				}
				depth = before[len(before)-1]
			case "endif":
				if len(before) == 0 {
					return 0
				}
				before = before[:len(before)-1]
			case "define", "include":
				return 0
			}
			i = cDirectiveEnd(text, i)
			continue
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				if len(before) > 0 {
					return 0
				}
				return i
			}
		}
		i++
	}
	return 0
}

// cSkipped returns the end of the comment, string or character at a place, the place itself for none.
func cSkipped(text []byte, i int) int {
	rest := text[i:]
	ends := func(n int, mark string) int {
		if end := bytes.Index(rest[n:], []byte(mark)); end >= 0 {
			return i + n + end + len(mark)
		}
		return len(text)
	}
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		return ends(2, "\n")
	case bytes.HasPrefix(rest, []byte("/*")):
		return ends(2, "*/")
	case bytes.HasPrefix(rest, []byte(`R"`)) && (i == 0 || !isWordByte(text[i-1])):
		if open := bytes.IndexByte(rest, '('); open >= 0 {
			return ends(open, ")"+string(rest[2:open])+`"`)
		}
	case rest[0] == '"' || rest[0] == '\'' && (i == 0 || !isWordByte(text[i-1])): // 1'000 has no character
		for j := 1; j < len(rest) && rest[j] != '\n'; j++ {
			if rest[j] == '\\' {
				j++
			} else if rest[j] == rest[0] {
				return i + j + 1
			}
		}
	}
	return i
}

// cDirectiveEnd returns the end of a line of the preprocessor and of those that go on with it.
func cDirectiveEnd(text []byte, i int) int {
	for {
		end := bytes.IndexByte(text[i:], '\n')
		if end < 0 {
			return len(text)
		}
		if i += end + 1; !bytes.HasSuffix(bytes.TrimSuffix(text[:i-1], []byte("\r")), []byte(`\`)) {
			return i
		}
	}
}

// blank makes blanks of all bytes but the ends of lines.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

func isWordByte(c byte) bool { return len(leadingWord([]byte{c})) > 0 }

// isLineStart reports whether only blanks stand before a place in its line.
func isLineStart(text []byte, i int) bool {
	for i--; i >= 0 && (text[i] == ' ' || text[i] == '\t'); i-- {
	}
	return i < 0 || text[i] == '\n'
}
