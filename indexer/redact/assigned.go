package redact

import "bytes"

const (
	maxName   = 64
	maxBlanks = 32
	maxLine   = 160 // bytes before a name on its line
	maxGap    = 200 // bytes from a name to its value on other lines
)

// assignment masks what is assigned to the name around in[start:end), if the name says
// that it is a secret.
func (m *masker) assignment(start, end int) {
	if start < m.named {
		return // a part of the name that was looked at
	}
	for start > 0 && end-start <= maxName && isNameByte(m.in[start-1]) {
		start--
	}
	for end < len(m.in) && end-start <= maxName && isNameByte(m.in[end]) {
		end++
	}
	m.named = end
	if end-start > maxName {
		return
	}
	name := m.in[start:end]
	var buf [2 * maxName]byte
	words := split(name, buf[:0])
	says := strengthOf(words)
	if says == notSecret {
		return
	}
	a := assigned{name: name, words: words, says: says, config: m.config}
	if v, ok := m.valueAfter(start, end, &a); ok {
		v.mask(m, &a)
	}
}

func isNameByte(c byte) bool { return class[c]&isWord != 0 || c == '-' }

// value is where an assigned value begins.
type value struct {
	start int
	until stop
}

// stop says where a value without quotes ends.
type stop int

const (
	atDelimiter  stop = iota // at a blank or a delimiter
	atLineEnd                // at the end of the line, or at a comment
	atTag                    // at "<"
	literalOnly              // a value without quotes is none
	blockOfLines             // in the lines below, which are indented
)

// valueAfter finds the value that is assigned to the name in[start:end).
func (m *masker) valueAfter(start, end int, a *assigned) (v value, ok bool) {
	in := m.in
	i, quoted := end, false
	for i < len(in) && i < end+4 && (in[i] == '"' || in[i] == '\'' || in[i] == '`' || in[i] == ']' || in[i] == '\\') {
		quoted = quoted || in[i] == '"' || in[i] == '\''
		i++
	}
	op := m.skip(i)
	switch c := at(in, op); {
	case c == '=' && at(in, op+1) != '=' && at(in, op+1) != '~':
		if p := at(in, op-1); p == '!' || p == '<' || p == '>' {
			return v, false
		}
		i = op + 1
		if at(in, i) == '>' { // Ruby, PHP
			i++
		}
		return m.bare(span{start, end}, op, i, a), true
	case (c == ':' || c == '?' || c == '+' || c == '|') && at(in, op+1) == '=', c == '|' && at(in, op+1) == '|' && at(in, op+2) == '=':
		return value{bytes.IndexByte(in[op:], '=') + op + 1, literalOnly}, true
	case c == ':' && at(in, op+1) != ':':
		if typed := m.afterType(op + 1); typed > 0 {
			return value{typed, literalOnly}, true
		}
		if m.yaml && endsOfLine(in, op+1) {
			return value{op + 1, blockOfLines}, true
		}
		return m.bare(span{start, end}, op, op+1, a), true
	case c == '>' && (at(in, start-1) == '<' || at(in, start-1) == ':' || quoted):
		return value{op + 1, atTag}, at(in, op+1) != '='
	case c == ',' && quoted:
		if i = m.otherMember(op+1, "value"); i > 0 { // "name": "DB_PASSWORD", "value": "…"
			return value{i, literalOnly}, true
		}
		return value{op + 1, literalOnly}, true
	case c == '{' && quoted: // HCL: variable "db_password" { default = "…" }
		i = m.otherMember(op+1, "default")
		return value{i, literalOnly}, i > 0
	case (c == '\n' || c == '\r' || c == 'v' || c == 'V') && (m.config || c|0x20 == 'v'): // name: DB_PASSWORD, and value: … below it
		i = m.otherMember(op, "value")
		return value{i, atLineEnd}, i > 0
	case op > i && (c == '\'' || c == '"') && (a.says == passName || isConstant(a.name)): // SQL: PASSWORD '…', C: #define KEY "…"
		return value{op, literalOnly}, true
	case c == '<' && bytes.HasPrefix(in[op:], []byte("</key>")): // a property list
		i = bytes.Index(in[op:min(len(in), op+maxBlanks)], []byte("<string>"))
		return value{op + i + len("<string>"), atTag}, i > 0
	case op > i && (endsWith(in[:start], "--") || m.startsEnv(start) || a.says == passName && (bytes.Contains(m.before(start, maxLine), []byte("login ")) || m.config && m.startsLine(start))):
		a.config = true
		return value{op, atDelimiter}, true
	}
	return v, false
}

// bare returns the value of a name at i, behind the operator at op. What is not quoted there is a
// literal in configuration, in a shell, and in the query of a URL or a connection string;
// in code it is an expression.
func (m *masker) bare(name span, op, i int, a *assigned) value {
	inString := m.in[op] == '=' && op == name.end && name.start > 0 && bytes.IndexByte([]byte("?&;\"'-"), m.in[name.start-1]) >= 0
	a.config = a.config || inString
	switch {
	case m.expr && !inString:
		return value{i, literalOnly}
	case m.config && !inString && (m.in[op] == ':' || m.startsLine(name.start)):
		return value{i, atLineEnd}
	}
	return value{i, atDelimiter}
}

// afterType returns the place behind the "=" of password: string = "…", 0 for none.
func (m *masker) afterType(i int) int {
	for n := 0; i < len(m.in) && n < maxBlanks; i, n = i+1, n+1 {
		switch c := m.in[i]; {
		case c == '=' && at(m.in, i+1) != '=' && at(m.in, i+1) != '>':
			return i + 1
		case class[c]&isWord == 0 && bytes.IndexByte([]byte(" &<>[]?|.'"), c) < 0:
			return 0
		}
	}
	return 0
}

// otherMember returns where the value of a member with this name begins, within maxGap of
// i and with only punctuation and blanks before it, 0 for none.
func (m *masker) otherMember(i int, name string) int {
	stop := min(len(m.in), i+maxGap)
	for ; i < stop; i++ {
		switch c := m.in[i]; {
		case foldPrefix(m.in[i:], name) && class[at(m.in, i-1)]&isBase62 == 0:
			i += len(name)
			for at(m.in, i) == '"' || at(m.in, i) == '\'' {
				i++
			}
			if i = m.skip(i); at(m.in, i) == ':' || at(m.in, i) == '=' {
				return i + 1
			}
			return 0
		case name == "value" && class[c]&isBase62 != 0, c == '}':
			return 0 // another member
		}
	}
	return 0
}

// skip returns the place of the first byte from i on that is no blank.
func (m *masker) skip(i int) int {
	for n := 0; n < maxBlanks && (at(m.in, i) == ' ' || at(m.in, i) == '\t'); n++ {
		i++
	}
	return i
}

// before returns what stands before i on its line, at most n bytes.
func (m *masker) before(i, n int) []byte {
	line := m.in[max(0, i-n):i]
	return line[bytes.LastIndexByte(line, '\n')+1:]
}

// startsEnv reports whether only "ENV" of a Dockerfile stands before i on its line.
func (m *masker) startsEnv(i int) bool {
	return string(bytes.TrimLeft(m.before(i, maxBlanks), " \t")) == "ENV "
}

// startsLine reports whether only blanks, "export" and a path of names stand before i on
// its line.
func (m *masker) startsLine(i int) bool {
	line := bytes.TrimPrefix(bytes.TrimLeft(m.before(i, maxLine), " \t-\"'"), []byte("export "))
	for _, c := range line {
		if class[c]&isWord == 0 && c != '.' && c != '-' && c != '/' && c != ':' {
			return false
		}
	}
	return true
}

// endsOfLine reports whether only a block indicator of YAML stands behind i on its line.
func endsOfLine(in []byte, i int) bool {
	line := in[i:min(len(in), i+maxBlanks)]
	nl := bytes.IndexByte(line, '\n')
	return nl > 0 && len(bytes.Trim(line[:nl], " \t\r|>-+")) == 0 && bytes.ContainsAny(line[:nl], "|>")
}
