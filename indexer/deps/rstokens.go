package deps

// rsToken is a token of a text in Rust: a word, a literal, a delimiter or another sign. Comments are
// none.
type rsToken struct {
	start, end int
	kind       rsKind
	match      int // of a delimiter the index of the other one, -1 when there is none
}

// rsKind says what a token is: rsWord, rsLiteral or the sign itself.
type rsKind byte

const (
	rsWord    rsKind = 'a'
	rsLiteral rsKind = '0'
)

// rsTokens returns the tokens of a text in Rust. Lifetimes are words with their quote.
func rsTokens(text []byte) []rsToken {
	var out []rsToken
	var open []int
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' || c == '\t' || c == '\n' || c == '\r' {
			i++
			continue
		}
		if n := rsComment(text[i:]); n > 0 {
			i += n
			continue
		}
		t := rsToken{start: i, kind: rsKind(c), match: -1}
		if n := rsString(text[i:]); n > 0 {
			t.kind, t.end = rsLiteral, i+n
		} else if n := rsWordLength(text[i:]); n > 0 {
			t.kind, t.end = rsWord, i+n
			if c >= '0' && c <= '9' {
				t.kind = rsLiteral
			}
		} else {
			t.end = i + 1
		}
		switch c {
		case '(', '[', '{':
			open = append(open, len(out))
		case ')', ']', '}':
			if n := len(open); n > 0 && text[out[open[n-1]].start] == rsOpener(c) {
				t.match = open[n-1]
				out[t.match].match = len(out)
				open = open[:n-1]
			}
		}
		out = append(out, t)
		i = t.end
	}
	return out
}

// rsOpener returns the delimiter that one closes.
func rsOpener(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// rsComment returns the length of the comment that a text starts with, 0 for none.
func rsComment(text []byte) int {
	if len(text) < 2 || text[0] != '/' || text[1] != '/' && text[1] != '*' {
		return 0
	}
	if text[1] == '/' {
		for i, c := range text {
			if c == '\n' {
				return i
			}
		}
		return len(text)
	}
	depth := 0
	for i := 0; i+1 < len(text); i++ {
		switch {
		case text[i] == '/' && text[i+1] == '*':
			depth++
			i++
		case text[i] == '*' && text[i+1] == '/':
			depth--
			i++
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// rsString returns the length of the literal in quotes that a text starts with, 0 for none.
func rsString(text []byte) int {
	at := 0
	for at < len(text) && at < 2 && (text[at] == 'b' || text[at] == 'c' || text[at] == 'r') {
		at++
	}
	raw := at > 0 && text[at-1] == 'r'
	hashes := 0
	for raw && at+hashes < len(text) && text[at+hashes] == '#' {
		hashes++
	}
	if at+hashes >= len(text) {
		return 0
	}
	quote := text[at+hashes]
	switch {
	case quote == '\'' && !raw:
		// A lifetime has no second quote behind its first letter.
		if at+2 >= len(text) || text[at+1] != '\\' && text[at+1] < 0x80 && text[at+2] != '\'' {
			return 0
		}
	case quote != '"':
		return 0
	}
	for i := at + hashes + 1; i < len(text); i++ {
		switch {
		case !raw && text[i] == '\\':
			i++
		case text[i] == quote:
			n := 0
			for n < hashes && i+1+n < len(text) && text[i+1+n] == '#' {
				n++
			}
			if n == hashes {
				return i + 1 + hashes
			}
		}
	}
	return len(text)
}

// rsWordLength returns the length of the word, the number or the lifetime that a text starts with,
// 0 for none.
func rsWordLength(text []byte) int {
	n := 0
	if text[0] == '\'' {
		n++
	}
	for n < len(text) {
		c := text[n]
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			break
		}
		n++
	}
	return n
}
