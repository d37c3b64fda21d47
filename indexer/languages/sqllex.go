package languages

import (
	"bytes"
	"strings"

	"ambit/indexer/lazy"
)

// sqlKind is the kind of a token of SQL.
type sqlKind uint8

const (
	sqlWord      sqlKind = iota // a keyword, a name, a number, or a name with a placeholder: ${schema}
	sqlQuoted                   // a name in quotes or brackets
	sqlString                   // a string
	sqlMark                     // one other byte
	sqlEnd                      // the semicolon that ends a statement
	sqlSeparator                // another end of a statement that DELIMITER sets
	sqlBatch                    // a line "GO" or "/"
	sqlOpen                     // $tag$ in front of a body
	sqlClose                    // $tag$ behind a body
)

// sqlToken is a token of SQL. Comments are no tokens.
type sqlToken struct {
	start, end int
	kind       sqlKind
	first      bool // of its line
	skip       int  // of sqlOpen: the index of its sqlClose
}

// sqlLexer cuts a text of any dialect of SQL into tokens.
type sqlLexer struct {
	text      []byte
	tokens    []sqlToken
	comments  []sqlToken
	delimiter []byte // set by DELIMITER, nil for the semicolon
	escapes   bool   // a backslash in a string escapes, as in MySQL
	newLine   bool   // no token of the line has been read
	left      int    // bytes that may be searched for the ends of strings and bodies
}

// searchPasses bounds what is searched for ends that may not be there, in sizes of the text.
const searchPasses = 8

// sqlCopy finds the statement behind which pg_dump writes lines of data up to the line `\.`.
var (
	sqlCopy      = lazy.Regexp(`(?i)^copy\s[^;]*\sfrom\s+stdin\b[^;]*$`)
	sqlDelimiter = lazy.Regexp(`(?i)^delimiter[ \t]+(\S+)`)
	sqlBatchLine = lazy.Regexp(`(?i)^(?:go(?:[ \t]+\d+)?|/)[ \t]*;?\r?(?:\n|$)`)
	sqlRemark    = lazy.Regexp(`(?i)^(?:prompt|rem(?:ark)?)[ \t\r\n]`)
	sqlDollar    = lazy.Regexp(`^\$(?:[A-Za-z_\x80-\xff][\w\x80-\xff]*)?\$`)
	sqlTemplate  = lazy.Regexp(`^(?:\$\{[^}\n]*\}|\{\{[^}\n]*\}\}|<%[^%\n]*%>|\$\([^)\n]*\)|\$[A-Za-z_]\w*|:"\w+"|:'\w+')`)
)

// lexSQL returns the tokens and the comments of a text.
func lexSQL(text []byte) (tokens, comments []sqlToken) {
	l := sqlLexer{text: text, escapes: bytes.IndexByte(text, '`') >= 0, newLine: true, left: searchPasses * len(text)}
	l.tokens = make([]sqlToken, 0, len(text)/6)
	l.lex(0, len(text))
	return l.tokens, l.comments
}

// lex reads the tokens of a part of the text.
func (l *sqlLexer) lex(i, end int) {
	statement := len(l.tokens) // the first token of the statement
	for i < end {
		c := l.text[i]
		rest := l.text[i:end]
		switch {
		case c == '\n':
			l.newLine = true
			i++
			continue
		case isBlank(c):
			i++
			continue
		}
		if n := l.comment(rest, i); n > 0 {
			i += n
			continue
		}
		n, kind := 1, sqlMark
		switch {
		case l.newLine && (c == '\\' || sqlRemark().Match(rest)): // a command of psql, a remark of SQL*Plus
			i += lineLength(rest)
			continue
		case l.newLine && (c == '/' || c|0x20 == 'g') && sqlBatchLine().Match(rest):
			n, kind = len(bytes.TrimRight(sqlBatchLine().Find(rest), "\r\n")), sqlBatch
		case l.newLine && c|0x20 == 'd' && sqlDelimiter().Match(rest):
			l.delimiter = sqlDelimiter().FindSubmatch(rest)[1]
			if string(l.delimiter) == ";" {
				l.delimiter = nil
			}
			n, kind = lineLength(rest), sqlSeparator
		case l.delimiter != nil && bytes.HasPrefix(rest, l.delimiter):
			n, kind = len(l.delimiter), sqlSeparator
		case c == ';' && l.delimiter == nil:
			kind = sqlEnd
			if data := l.data(statement, i, end); data > 0 {
				l.add(sqlEnd, i, i+1)
				i += data
				statement = len(l.tokens)
				continue
			}
		case c == '\'':
			n, kind = l.stringLength(rest, i), sqlString
		case c == '"' || c == '`':
			if m := quotedLength(rest, c); m > 0 {
				n, kind = m, sqlQuoted
			}
		case c == '[' && (i == 0 || !isNameByte(l.text[i-1]) && l.text[i-1] != ']'):
			if m := quotedLength(rest, ']'); m > 2 && isWordByte(rest[1]) && (rest[1] < '0' || rest[1] > '9') {
				n, kind = m, sqlQuoted
			}
		case c == ':' && len(rest) > 1 && rest[1] == ':':
			n = 2
		case c == '$' && sqlDollar().Match(rest):
			i = l.body(i, end)
			continue
		default:
			if m := l.wordLength(rest); m > 0 {
				n, kind = m, sqlWord
			}
		}
		l.add(kind, i, i+n)
		if kind == sqlEnd || kind == sqlSeparator || kind == sqlBatch {
			statement = len(l.tokens)
		}
		i += n
	}
}

func (l *sqlLexer) add(kind sqlKind, start, end int) {
	l.tokens = append(l.tokens, sqlToken{start: start, end: end, kind: kind, first: l.newLine})
	l.newLine = false
}

// comment returns the length of the comment at the start of rest, 0 for none. What MySQL
// alone reads, /*!50001 … */, is no comment: its marks are left out.
func (l *sqlLexer) comment(rest []byte, at int) int {
	n := 0
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		n = lineLength(rest)
	case rest[0] == '#' && l.newLine && (len(rest) == 1 || rest[1] == ' ' || rest[1] == '#' || rest[1] == '!' || rest[1] == '\n'):
		n = lineLength(rest)
	case bytes.HasPrefix(rest, []byte("/*!")):
		for n = 3; n < len(rest) && rest[n] >= '0' && rest[n] <= '9'; n++ {
		}
		return n
	case bytes.HasPrefix(rest, []byte("*/")):
		return 2
	case bytes.HasPrefix(rest, []byte("/*")):
		n = len(rest)
		if i := bytes.Index(rest[2:], []byte("*/")); i >= 0 {
			n = i + 4
		}
	default:
		return 0
	}
	l.comments = append(l.comments, sqlToken{start: at, end: at + n, first: l.newLine})
	return n
}

// data returns the length of a semicolon with the lines of data that follow the statement it
// ends, 0 when none do.
func (l *sqlLexer) data(statement, at, end int) int {
	if statement >= len(l.tokens) || at-l.tokens[statement].start > maxPatternLine*4 || !sqlCopy().Match(l.text[l.tokens[statement].start:at]) {
		return 0
	}
	if i := bytes.Index(l.text[at:end], []byte("\n\\.")); i >= 0 {
		return i + len("\n\\.")
	}
	return 0
}

// stringLength returns the length of a string; 1 when it does not end.
func (l *sqlLexer) stringLength(b []byte, at int) int {
	escapes := l.escapes || at > 0 && l.text[at-1]|0x20 == 'e' && (at == 1 || !isNameByte(l.text[at-2]))
	for i := 1; i < len(b); i++ {
		switch {
		case b[i] == '\\' && escapes:
			i++
		case b[i] == '\'' && i+1 < len(b) && b[i+1] == '\'':
			i++
		case b[i] == '\'':
			return i + 1
		case i > l.left:
			return 1
		}
	}
	l.left -= len(b)
	return 1
}

// quotedLength returns the length of a name that ends with a quotation mark on its line.
func quotedLength(b []byte, mark byte) int {
	for i := 1; i < len(b) && b[i] != '\n' && i < maxPatternLine; i++ {
		if b[i] == mark {
			return i + 1
		}
	}
	return 0
}

// wordLength returns the length of a word with the placeholders in it.
func (l *sqlLexer) wordLength(b []byte) int {
	n := 0
	for n < len(b) {
		switch c := b[n]; {
		case isWordByte(c) || c == '@' || c == '#' || c >= 0x80 || c == '$' && n > 0:
			n++
		case c == '$' || c == '{' || c == '<' || c == ':':
			m := len(sqlTemplate().Find(b[n:min(len(b), n+maxPatternLine)]))
			if m == 0 && c == ':' && n == 0 && len(b) > 1 && (isWordByte(b[1]) && (b[1] < '0' || b[1] > '9')) {
				m = 1
			}
			if m == 0 {
				return n
			}
			n += m
		default:
			return n
		}
	}
	return n
}

// body reads a body between two equal marks and returns the offset behind it. Without a
// second mark the first is a mark like others.
func (l *sqlLexer) body(i, end int) int {
	tag := sqlDollar().Find(l.text[i:end])
	inside := i + len(tag)
	n := bytes.Index(l.text[inside:end], tag)
	if n < 0 || n > l.left {
		l.left -= end - inside
		l.add(sqlMark, i, i+1)
		return inside
	}
	l.left -= n
	open := len(l.tokens)
	l.add(sqlOpen, i, inside)
	l.lex(inside, inside+n)
	l.tokens[open].skip = len(l.tokens)
	l.add(sqlClose, inside+n, inside+n+len(tag))
	return inside + n + len(tag)
}

// sqlName returns a written name without quotes, and without the placeholder in front.
func sqlNameOf(text []byte, t sqlToken) (name string, start, end int) {
	start, end = t.start, t.end
	if t.kind == sqlQuoted {
		start, end = start+1, end-1
	}
	for start < end {
		m := len(sqlTemplate().Find(text[start:end]))
		if m == 0 {
			break
		}
		start += m
	}
	if start == end {
		return "", t.start, t.end
	}
	return strings.TrimSpace(string(text[start:end])), start, end
}
