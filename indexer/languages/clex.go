package languages

import "bytes"

// parametersEnd returns the end of the list of template parameters behind the word at i, i when
// there is none.
func (m *masker) parametersEnd(i int) int {
	depth, parens := 0, 0
	for k := m.blanks(i); k < min(len(m.src), i+maxArguments); k++ {
		switch c := m.src[k]; {
		case c == '(':
			parens++
		case c == ')':
			parens--
		case c == '{' || c == ';':
			return i
		case parens > 0:
		case c == '<':
			depth++
		case c == '>':
			depth--
		}
		if depth == 0 {
			return k
		}
	}
	return i
}

// templateEnd returns the end of the template arguments at i, i when there are none.
func (m *masker) templateEnd(i int) int {
	const longest = 200
	depth := 0
	for k := i; k < min(len(m.src), i+longest); k++ {
		switch c := m.src[k]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0 || c == ';' || c == '{' || c == '(':
			return i
		}
		if depth == 0 {
			return k + 1
		}
	}
	return i
}

// maxArguments bounds the arguments of a macro in bytes.
const maxArguments = 2000

// arguments returns the end of the parenthesized list at i or behind the blanks at i; i
// itself when there is none.
func (m *masker) arguments(i int) int {
	j := i
	for j < len(m.src) && m.src[j] == ' ' {
		j++
	}
	if j == len(m.src) || m.src[j] != '(' {
		return i
	}
	depth := 0
	for k := j; k < min(len(m.src), j+maxArguments); k++ {
		switch m.src[k] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return k + 1
			}
		case '{', '}', ';':
			return i
		}
	}
	return i
}

// comma returns the offset of the first comma between the arguments at i that is in no list
// inside of them, and the offset of the parenthesis that closes them; 0, 0 when there is none.
func (m *masker) comma(i int) (at, end int) {
	end = m.arguments(i) - 1
	depth := 0
	for k := m.blanks(i) + 1; k < end; k++ {
		switch m.src[k] {
		case '(', '<', '[':
			depth++
		case ')', ']':
			depth--
		case '>':
			if m.src[k-1] != '-' {
				depth--
			}
		case ',':
			if depth == 0 {
				return k, end
			}
		}
	}
	return 0, 0
}

// blanks returns the offset of the first byte from i on that is not blank and not in a
// comment.
func (m *masker) blanks(i int) int {
	for i < len(m.src) {
		switch {
		case isBlank(m.src[i]):
			i++
		case m.src[i] == '/' && i+1 < len(m.src) && (m.src[i+1] == '/' || m.src[i+1] == '*'):
			i = skipComment(m.src, i)
		default:
			return i
		}
	}
	return i
}

func (m *masker) wordEnd(i int) int {
	for i < len(m.src) && isWordByte(m.src[i]) {
		i++
	}
	return i
}

// declarator returns the start of the declared name behind a type that ends at i.
func (m *masker) declarator(i int) int {
	const longest = 200
	depth := 0
	for k := i; k < min(len(m.src), i+longest); k++ {
		switch c := m.src[k]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0 || isBlank(c) || c == '*' || c == '&':
		case c == ':' && k+2 < len(m.src) && m.src[k+1] == ':':
			k = m.wordEnd(k+2) - 1
		default:
			return k
		}
	}
	return i
}

// isCapitals reports whether a word looks like the name of a macro.
func isCapitals[T string | []byte](w T) bool {
	letters := 0
	for i := range len(w) {
		switch c := w[i]; {
		case c >= 'A' && c <= 'Z':
			letters++
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return letters >= 3
}

// skipComment returns the end of the comment at i.
func skipComment(s []byte, i int) int {
	text := s[i+2:] // in "/*/" the comment is open
	if s[i+1] == '/' {
		if end := bytes.IndexByte(text, '\n'); end >= 0 {
			return i + 2 + end
		}
		return len(s)
	}
	if end := bytes.Index(text, []byte("*/")); end >= 0 {
		return i + 2 + end + 2
	}
	return len(s)
}

// skipQuoted returns the end of the string or character at i, which is at most the end of
// the line.
func skipQuoted(s []byte, i int) int {
	for q := s[i]; i+1 < len(s); {
		i++
		switch s[i] {
		case '\\':
			i++
		case q:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

// skipSharp returns the end of the string of C# whose quote is at i: a plain one, a verbatim
// one behind "@", in which two quotes stand for one, or a raw one between three quotes or
// more.
func skipSharp(s []byte, i int) int {
	quotes := i
	for quotes < len(s) && s[quotes] == '"' {
		quotes++
	}
	if n := quotes - i; n >= 3 {
		if end := bytes.Index(s[quotes:], s[i:quotes]); end >= 0 {
			return quotes + end + n
		}
		return len(s)
	}
	if i == 0 || s[i-1] != '@' && !(s[i-1] == '$' && i > 1 && s[i-2] == '@') {
		return skipQuoted(s, i)
	}
	for i++; i < len(s); i++ {
		if s[i] == '"' {
			if i+1 == len(s) || s[i+1] != '"' {
				return i + 1
			}
			i++
		}
	}
	return len(s)
}

// skipRaw returns the end of the raw string whose quote is at i.
func skipRaw(s []byte, i int) int {
	const maxDelimiter = 16
	for k := i + 1; k < min(len(s), i+1+maxDelimiter+1); k++ {
		if s[k] != '(' {
			continue
		}
		end := ")" + string(s[i+1:k]) + "\""
		for j := k; j+len(end) <= len(s); j++ {
			if s[j] == ')' && string(s[j:j+len(end)]) == end {
				return j + len(end)
			}
		}
		return len(s)
	}
	return skipQuoted(s, i)
}
