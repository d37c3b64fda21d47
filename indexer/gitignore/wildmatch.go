package gitignore

import "strings"

// outcome is the result of one wildmatch call. The two aborts end searches that
// cannot succeed any more, which keeps a pattern with many "*" polynomial.
type outcome uint8

const (
	noMatch outcome = iota
	match
	abortAll        // the text ended before the pattern did
	abortToStarStar // a "*" met a "/"; only a "**" further out can still match
)

// maxSteps bounds one match. A pattern of many "**/" against a deep path backs
// up exponentially in git; here the match stops and fails. Patterns found in
// real ignore files take fewer than 200 steps.
const maxSteps = 1 << 16

// wildmatch is the state of one match.
//
// Source: wildmatch.c of git 2.39, whose results it reproduces, malformed
// brackets included.
type wildmatch struct {
	slashes bool // "/" is matched by "**" only (WM_PATHNAME)
	fold    bool // ASCII letters match in either case (WM_CASEFOLD)
	steps   int
}

// matchWild reports whether pattern matches the whole of text.
func matchWild(pattern, text string, slashes, fold bool) bool {
	w := wildmatch{slashes: slashes, fold: fold}
	return w.match(pattern, text) == match
}

// at returns s[i], or 0 behind the end, as a C string does.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func (w *wildmatch) lower(c byte) byte {
	if w.fold && 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func (w *wildmatch) match(p, text string) outcome {
	if w.steps++; w.steps > maxSteps {
		return abortAll
	}
	i, t := 0, 0 // into p and text
	for ; i < len(p); i, t = i+1, t+1 {
		c, tc := w.lower(p[i]), w.lower(at(text, t))
		if tc == 0 && c != '*' {
			return abortAll
		}
		switch c {
		case '?':
			if w.slashes && tc == '/' {
				return noMatch
			}
		case '*':
			return w.star(p, i, text[t:])
		case '[':
			end, ok := w.bracket(p, i, tc)
			if end == 0 {
				return abortAll
			}
			if !ok || w.slashes && tc == '/' {
				return noMatch
			}
			i = end
		case '\\':
			// git compares the escaped character as it is, in either mode.
			if i++; tc != at(p, i) {
				return noMatch
			}
		default:
			if tc != c {
				return noMatch
			}
		}
	}
	if t < len(text) {
		return noMatch
	}
	return match
}

// star matches p from its "*" at i on against text.
func (w *wildmatch) star(p string, i int, text string) outcome {
	first, crosses := i, !w.slashes // crosses: the star may match "/"
	for at(p, i) == '*' {
		i++
	}
	if w.slashes && i-first > 1 && (first == 0 || p[first-1] == '/') &&
		(i == len(p) || p[i] == '/' || p[i] == '\\' && at(p, i+1) == '/') {
		if at(p, i) == '/' && w.match(p[i+1:], text) == match {
			return match // "**/" stands for nothing
		}
		crosses = true
	}
	t := 0
	switch {
	case i == len(p):
		if !crosses && strings.IndexByte(text, '/') >= 0 {
			return noMatch
		}
		return match
	case !crosses && p[i] == '/':
		// One "*" before a "/" takes the rest of the segment.
		slash := strings.IndexByte(text, '/')
		if slash < 0 {
			return noMatch
		}
		return w.match(p[i+1:], text[slash+1:])
	}
	for ; t < len(text); t++ {
		if !special(p[i]) {
			// Go on to the next place of the literal after the star.
			for t < len(text) && w.lower(text[t]) != w.lower(p[i]) && (crosses || text[t] != '/') {
				t++
			}
			if t == len(text) || w.lower(text[t]) != w.lower(p[i]) {
				return noMatch
			}
		}
		if got := w.match(p[i:], text[t:]); got != noMatch {
			if !crosses || got != abortToStarStar {
				return got
			}
		} else if !crosses && text[t] == '/' {
			return abortToStarStar
		}
	}
	return abortAll
}

// bracket matches c against the set that starts at p[i] and returns where its "]"
// stands; 0 says that the set is malformed.
func (w *wildmatch) bracket(p string, i int, c byte) (end int, ok bool) {
	i++
	negated := at(p, i) == '!' || at(p, i) == '^'
	if negated {
		i++
	}
	var prev byte // the lower end of a range, 0 when there can be none
	for first := true; first || at(p, i) != ']'; first, i = false, i+1 {
		pc := at(p, i)
		switch {
		case pc == 0:
			return 0, false
		case pc == '\\':
			if i++; at(p, i) == 0 {
				return 0, false
			}
			pc = p[i]
			ok = ok || c == pc
		case pc == '-' && prev != 0 && at(p, i+1) != 0 && at(p, i+1) != ']':
			if i++; p[i] == '\\' {
				if i++; at(p, i) == 0 {
					return 0, false
				}
			}
			ok = ok || prev <= c && c <= p[i] || w.fold && isLower(c) && prev <= c-'a'+'A' && c-'a'+'A' <= p[i]
			pc = 0
		case pc == '[' && at(p, i+1) == ':':
			close := i + 2
			for at(p, close) != ']' {
				if at(p, close) == 0 {
					return 0, false
				}
				close++
			}
			if close-1 < i+2 || p[close-1] != ':' {
				ok = ok || c == '[' // no ":]": a plain "["
				break
			}
			in, known := w.class(p[i+2:close-1], c)
			if !known {
				return 0, false
			}
			ok, i, pc = ok || in, close, 0
		default:
			ok = ok || c == pc
		}
		prev = pc
	}
	return i, ok != negated
}

// class reports whether c belongs to a POSIX class of ASCII.
func (w *wildmatch) class(name string, c byte) (in, known bool) {
	upper, digit := 'A' <= c && c <= 'Z', '0' <= c && c <= '9'
	alpha, graph := upper || isLower(c), '!' <= c && c <= '~'
	switch name {
	case "alnum":
		in = alpha || digit
	case "alpha":
		in = alpha
	case "blank":
		in = c == ' ' || c == '\t'
	case "cntrl":
		in = c < ' ' || c == 0x7f
	case "digit":
		in = digit
	case "graph":
		in = graph
	case "lower":
		in = isLower(c)
	case "print":
		in = graph || c == ' '
	case "punct":
		in = graph && !alpha && !digit
	case "space":
		in = c == ' ' || '\t' <= c && c <= '\r'
	case "upper":
		in = upper || w.fold && isLower(c)
	case "xdigit":
		in = digit || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
	default:
		return false, false
	}
	return in, true
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// special reports whether c has a meaning in a pattern.
func special(c byte) bool { return c == '*' || c == '?' || c == '[' || c == '\\' }
