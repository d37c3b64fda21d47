package languages

import (
	"bytes"
	"strings"

	"ambit/vectors/record"
)

// codeLine is a line of code that is not blank. Broken code is cut by its layout, because
// people indent what is inside, and a bracket that is missing does not move a line.
type codeLine struct {
	start, end int  // with its line end
	indent     int  // columns
	closes     bool // it goes on with what lines before it began: "}", "else", ".then("
	remark     bool // a comment, a directive or an attribute: it belongs to the next line
	apart      bool // a blank line is before it
	ends       bool // the next line can begin something new
}

// tabColumns is the distance of tab stops. Only the order of indents counts.
const tabColumns = 8

// lines returns the lines of a text that are not blank. Their indents are those of the file, in
// which the words that are masked in text are still there.
func (r *row) lines(text []byte, file string) []codeLine {
	out := make([]codeLine, 0, bytes.Count(text, []byte{'\n'})+1)
	opening, closing := r.comment, r.closing
	if opening == "//" {
		opening, closing = "/*", "*/"
	}
	apart, ended, inComment := true, true, false
	for at := 0; at < len(text); {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		body := bytes.TrimSpace(text[at:end])
		if len(body) == 0 {
			apart = true
			at = end
			continue
		}
		l := codeLine{start: at, end: end, indent: indentOf(file[at:end]), apart: apart}
		inComment = inComment || closing != "" && bytes.HasPrefix(body, []byte(opening))
		l.remark = inComment || r.isRemark(body)
		inComment = inComment && !bytes.Contains(body, []byte(closing))
		if !l.remark {
			l.closes = closes(body, apart || ended)
			l.ends = endsUnit(r.withoutComment(body))
			ended = l.ends
		}
		apart = false
		out = append(out, l)
		at = end
	}
	if r.comment == "//" {
		raiseLabels(text, out)
	}
	raiseQuoted(text, out)
	raiseFlat(text, out)
	return out
}

// raiseQuoted indents the lines of a text between marks of three quotes deeper than the one
// that opens it. The text of an attribute, such as @doc of Elixir, belongs to it.
func raiseQuoted(text []byte, lines []codeLine) {
	var marks []int // the lines that open or close a text
	for i := range lines {
		if bytes.Count(text[lines[i].start:lines[i].end], []byte(`"""`))%2 == 1 {
			marks = append(marks, i)
		}
	}
	if len(marks)%2 == 1 {
		return // one is missing, so that nobody knows what is inside
	}
	for ; len(marks) > 0; marks = marks[2:] {
		opening := &lines[marks[0]]
		for i := marks[0] + 1; i <= marks[1]; i++ {
			l := &lines[i]
			l.indent, l.remark, l.closes = max(l.indent, opening.indent+1), opening.remark, false
		}
	}
}

func indentOf(line string) int {
	n := 0
	for i := range len(line) {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += tabColumns - n%tabColumns
		default:
			return n
		}
	}
	return n
}

// visibility are the words that Ruby writes alone on a line, often less deep than the
// methods that they are about.
var visibility = wordsOf("private protected public module_function")

// isRemark reports whether a line is a comment, an attribute, a directive of C, or only a
// word in capitals, such as a macro or the end of a text.
func (r *row) isRemark(body []byte) bool {
	for _, mark := range []string{"/*", "*/", "* ", "@", "#[", "[["} {
		if bytes.HasPrefix(body, []byte(mark)) {
			return true
		}
	}
	return len(body) == 1 && body[0] == '*' || isCapitals(body) || visibility[string(body)] || r.comment != "" && bytes.HasPrefix(body, []byte(r.comment)) || r.preprocessed && body[0] == '#'
}

// goesOn are the words that go on with what lines before them began.
var goesOn = wordsOf("end else elif elsif elseif except finally rescue ensure catch when then do done fi esac in of with where and or until begin")

// closes reports whether a line goes on with what the lines before it began. fresh says
// that those can have ended.
func closes(body []byte, fresh bool) bool {
	switch c := body[0]; {
	case strings.IndexByte(")]};{|", c) >= 0, bytes.HasPrefix(body, []byte("</")):
		return true
	case strings.IndexByte(".?:=,&+*/%^<>", c) >= 0:
		return !fresh
	}
	n := 0
	for n < len(body) && isWordByte(body[n]) {
		n++
	}
	word := strings.ToLower(string(body[:n]))
	return word == "end" || word == "else" || goesOn[word] && !fresh
}

// withoutComment cuts the comment behind the code of a line.
func (r *row) withoutComment(body []byte) []byte {
	if r.comment == "" {
		return body
	}
	if i := bytes.LastIndex(body, []byte(r.comment)); i > 0 && isBlank(body[i-1]) {
		return bytes.TrimSpace(body[:i])
	}
	return body
}

// endsUnit reports whether something new can follow a line.
func endsUnit(body []byte) bool {
	return len(body) > 0 && strings.IndexByte(";},", body[len(body)-1]) >= 0
}

// raiseLabels indents `public:`, `case x:` and the targets of goto like the next line: they
// stand between the lines of a body.
func raiseLabels(text []byte, lines []codeLine) {
	for i := len(lines) - 2; i >= 0; i-- {
		l := &lines[i]
		body := bytes.TrimSpace(text[l.start:l.end])
		if body[len(body)-1] == ':' && !l.remark && isWordByte(body[0]) && !bytes.ContainsAny(body, "({") {
			l.indent = max(l.indent, lines[i+1].indent)
		}
	}
}

// raiseFlat indents what stands in braces without an indent of its own, as in
//
//	namespace a {
//	void f();
//	}
//
// A brace that closes such a block is behind a line that is not deeper.
func raiseFlat(text []byte, lines []codeLine) {
	var open []int
	deeper := make([]int, len(lines)) // where the indent grows and shrinks
	before := -1                      // the last line that is no remark
	opens := func(i int) bool {
		return text[lines[i].start+len(bytes.TrimRight(text[lines[i].start:lines[i].end], " \t\r\n"))-1] == '{'
	}
	closing := func(i int) bool {
		return bytes.HasPrefix(bytes.TrimSpace(text[lines[i].start:lines[i].end]), []byte("}"))
	}
	for i := range lines {
		l := &lines[i]
		if l.remark {
			continue
		}
		switch {
		case before < 0:
		case closing(i):
			if n := len(open); n > 0 && l.indent == lines[open[n-1]].indent && lines[before].indent <= l.indent && !opens(before) {
				deeper[open[n-1]+1]++
				deeper[i]--
				open = open[:n-1]
			}
		case opens(before) && l.indent == lines[before].indent:
			open = append(open, before)
		}
		before = i
	}
	more := 0
	for i := range lines {
		more += deeper[i]
		lines[i].indent += more
	}
}

// piece is a run of lines.
type piece []codeLine

func (p piece) span() record.Span { return record.Span{Start: p[0].start, End: p[len(p)-1].end} }

// split cuts a piece at the lines with the indent of its outermost lines at which a unit
// can start: behind the end of another, behind a deeper line or behind a blank one. A fine
// split cuts at all of them.
func (p piece) split(fine bool) []piece {
	indent := p.indent()
	var out []piece
	from, pending := 0, -1
	var before *codeLine // the last line that is no remark
	for i := range p {
		l := &p[i]
		if l.remark {
			if l.indent <= indent && pending < 0 {
				pending = i
			}
			continue
		}
		at := i
		if pending >= 0 {
			at = pending
		}
		if l.indent <= indent && !l.closes && before != nil && (fine || p[at].apart || before.indent > indent || before.closes || before.ends) {
			out = append(out, p[from:at])
			from = at
		}
		pending, before = -1, l
	}
	return append(out, p[from:])
}

// indent returns the least indent of the lines that are no remarks.
func (p piece) indent() int {
	least := -1
	for i := range p {
		if !p[i].remark && (least < 0 || p[i].indent < least) {
			least = p[i].indent
		}
	}
	return least
}

// open returns the lines inside of a unit: those that are deeper than its first and last
// lines, and behind its header. ok is false when there are none, or when more units than
// one have the indent of the first.
func (p piece) open() (head, inner, foot piece, ok bool) {
	indent := p.indent()
	last, deeper := -1, false
	for i := range p {
		switch l := &p[i]; {
		case l.remark:
		case l.indent > indent:
			last, deeper = i, true
		case deeper && !l.closes:
			return nil, nil, nil, false
		}
	}
	first := 0
	for i := 0; i < last; i++ {
		if !p[i].remark && p[i].indent <= indent {
			first = i + 1
		}
	}
	if last < 0 {
		return nil, nil, nil, false
	}
	body := p[first : last+1].indent()
	for first < last && (p[first].indent > body || p[first].closes) {
		first++
	}
	return p[:first], p[first : last+1], p[last+1:], first > 0
}
