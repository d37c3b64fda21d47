package redact

import "bytes"

// span is a part of the text.
type span struct{ start, end int }

// mask masks the value, if it is a secret.
func (v value) mask(m *masker, a *assigned) {
	i := m.skip(v.start)
	if v.until == blockOfLines {
		m.maskPieces(m.block(v.start), a)
		return
	}
	if pieces, inCall := m.literals(i); pieces != nil {
		a.quoted, a.inCall = true, inCall
		m.maskPieces(pieces, a)
		return
	}
	if v.until != literalOnly {
		m.maskPieces([]span{m.unquoted(i, v.until)}, a)
	}
}

// maskPieces masks the parts of one value, which is what they hold together.
func (m *masker) maskPieces(pieces []span, a *assigned) {
	for _, p := range pieces {
		a.value = append(a.value, m.in[p.start:p.end]...)
	}
	if len(a.value) > maxName {
		m.named = pieces[len(pieces)-1].end
	}
	if len(a.value) == 0 || bytes.Contains(a.value, []byte("****")) || !a.isSecret() {
		return
	}
	for _, p := range pieces {
		m.mask(p.start, p.end, ruleAssigned)
	}
}

// unquoted returns the value without quotes at i.
func (m *masker) unquoted(i int, until stop) span {
	in, end := m.in, i
	for end < len(in) && end-i <= maxValue {
		c := in[end]
		if c == '\n' || c == '\r' || until == atTag && c == '<' || until == atLineEnd && c == '#' && end > i && in[end-1] <= ' ' {
			break
		}
		if until == atDelimiter && (c <= ' ' || bytes.IndexByte([]byte(";&,)\"'`<>"), c) >= 0) {
			break
		}
		end++
	}
	for end > i && (in[end-1] <= ' ' || until == atLineEnd && in[end-1] == ',') {
		end--
	}
	if until == atLineEnd { // "PASSWORD=…" as an element of a list
		for end > i && (in[end-1] == '"' || in[end-1] == '\'') {
			end--
		}
	}
	return span{i, end}
}

// block returns the lines of a block scalar of YAML below the line of i.
func (m *masker) block(i int) (lines []span) {
	nl := bytes.IndexByte(m.in[i:], '\n')
	for i += nl + 1; nl >= 0 && len(lines) < 16; i += nl + 1 {
		nl = bytes.IndexByte(m.in[i:], '\n')
		end := i + nl
		if nl < 0 {
			end = len(m.in)
		}
		line := m.in[i:end]
		text := bytes.TrimSpace(line)
		if len(text) == 0 || len(line) == len(bytes.TrimLeft(line, " ")) || bytes.ContainsAny(text, " :") {
			break
		}
		from := i + bytes.Index(line, text)
		lines = append(lines, span{from, from + len(text)})
	}
	return lines
}

// literals returns the string literal at i, and those that are joined to it. In code a
// literal may also be the argument of a call, such as []byte("…"), or the alternative in
// an expression, such as ENV["TOKEN"] || "…".
func (m *masker) literals(i int) (pieces []span, inCall bool) {
	in := m.in
	stop := min(len(in), i+maxValue)
	depth := 0
	for ; i < stop; i++ {
		c := in[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			lit, next, ok := m.quoted(i)
			if !ok {
				return pieces, inCall
			}
			if pieces == nil && depth > 0 && isName(in[lit.start:lit.end]) { // getenv("TOKEN", "…")
				i = next - 1
				continue
			}
			return m.joined([]span{lit}, next), depth > 0
		case m.config && c != ' ' && c != '\n' && c != '\r' && c != '[':
			return nil, false
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			if depth--; depth < 0 {
				return nil, false
			}
		case c == '\n' && depth == 0 && i > 0, c == ';', c == '{', c == '}', c == '#', c == ',' && depth == 0, c == '<', c == '=':
			return nil, false
		case c == '&' || c == '?' || c == '|': // operators of code
		case class[c]&isWord == 0 && c != ' ' && c != '\t' && c != '.' && c != ':' && c != ',' && c != '\n' && c != '\r' && c != '@' && c != '\\':
			return nil, false
		}
	}
	return nil, false
}

// isName reports whether a literal names a variable.
func isName(v []byte) bool { return len(v) > 0 && isWordOnly(v) && isConstant(v) && !hasDigit(v) }

// quoted returns the inside of the literal whose quote is at i, and the place behind it.
// A quote behind a backslash, as in JSON that holds code, ends at such a quote.
func (m *masker) quoted(i int) (lit span, next int, ok bool) {
	in, quote := m.in, m.in[i]
	escaped := at(in, i-1) == '\\'
	start := i + 1
	if !escaped && at(in, i+1) == quote && at(in, i+2) == quote { // """…"""
		start = i + 3
	}
	for j := start; j < len(in) && j-start <= maxValue; j++ {
		switch c := in[j]; {
		case c == '\n':
			return span{}, 0, false
		case c == quote && !escaped:
			return span{start, j}, j + (start - i), true
		case c == '\\' && escaped && at(in, j+1) == quote:
			return span{start, j}, j + 2, true
		case c == '\\' && !escaped:
			j++
		}
	}
	return span{}, 0, false
}

// joined appends the literals that an operator or a line break joins to the ones before
// next: "abc" + "def", "abc" . "def", "abc" "def".
func (m *masker) joined(pieces []span, next int) []span {
	for len(pieces) < 16 {
		i, operators := next, 0
		for i < len(m.in) && i-next < maxBlanks && (m.in[i] <= ' ' || bytes.IndexByte([]byte("+.\\&"), m.in[i]) >= 0) {
			if m.in[i] > ' ' {
				operators++
			}
			i++
		}
		if c := at(m.in, i); operators == 0 && i == next || operators > 3 || c != '"' && c != '\'' {
			break
		}
		lit, after, ok := m.quoted(i)
		if c := at(m.in, m.skip(after)); !ok || operators == 0 && (c == ':' || c == '=') {
			break // the name of the next member
		}
		pieces, next = append(pieces, lit), after
	}
	return pieces
}
