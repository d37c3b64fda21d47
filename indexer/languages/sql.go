package languages

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// parseSQL reads a file of SQL of any dialect: what its statements create, up to the end of
// each, the columns of tables, the members of packages, and what the statements use.
//
// The grammars of SQL that there are know no language of stored procedures and few dialects;
// docs/languages.md has the numbers.
func parseSQL(r *patternRow, path record.Path, content []byte) Outline {
	s := sqlScan{text: content}
	s.tokens, s.comments = lexSQL(content)
	s.batches = slices.ContainsFunc(s.tokens, func(t sqlToken) bool { return t.kind == sqlBatch })
	s.statements(0, len(s.tokens), -1)
	o := Outline{Path: path, Content: content, Language: r.name, Decls: s.decls, Breaks: s.breaks}
	for _, c := range s.comments {
		if c.first {
			o.Comments = append(o.Comments, record.Span{Start: c.start, End: c.end})
		}
	}
	o.Refs = s.references()
	return o
}

// sqlScan holds the state of one call of parseSQL.
type sqlScan struct {
	text     []byte
	tokens   []sqlToken
	comments []sqlToken
	comment  int  // the first comment that no declaration has passed
	batches  bool // lines "GO" or "/" end statements
	decls    []Decl
	breaks   []int
	foreign  []record.Span // bodies in other languages than SQL
}

// sqlObjects are the words that tell what CREATE creates.
var sqlObjects = map[string]record.Kind{
	"table": record.KindStruct, "view": record.KindType, "type": record.KindType, "domain": record.KindType, "index": record.KindVariable,
	"sequence": record.KindVariable, "policy": record.KindVariable, "synonym": record.KindVariable, "function": record.KindFunction,
	"procedure": record.KindFunction, "proc": record.KindFunction, "aggregate": record.KindFunction, "trigger": record.KindFunction,
	"rule": record.KindFunction, "event": record.KindFunction, "package": record.KindModule, "schema": record.KindModule,
}

// The words that can stand between CREATE and what it creates, between that and its name, in
// front of what is no column of a table, and at the start of a statement.
var (
	sqlModifiers = wordsOf(`or replace alter global local temp temporary unlogged external foreign virtual transient recursive materialized unique clustered
		nonclustered columnstore fulltext spatial bitmap constraint event editionable noneditionable force no public private definer algorithm sql security
		invoker row xml primary hash memory`)
	sqlBeforeName  = wordsOf(`if not exists concurrently body only`)
	sqlConstraints = wordsOf(`constraint primary foreign unique check index key exclude like fulltext spatial period select with values supplemental`)
	sqlStarts      = wordsOf(`create alter drop insert update delete declare exec execute print if grant revoke set use begin commit comment select truncate merge`)
)

// word returns a token in lower case if it is a word, else "".
func (s *sqlScan) word(i int) string {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].kind != sqlWord {
		return ""
	}
	return strings.ToLower(string(s.text[s.tokens[i].start:s.tokens[i].end]))
}

// is reports whether a token is one byte.
func (s *sqlScan) is(i int, mark byte) bool {
	return i >= 0 && i < len(s.tokens) && s.tokens[i].kind == sqlMark && s.text[s.tokens[i].start] == mark
}

// statements adds the declarations of the tokens from i to end.
func (s *sqlScan) statements(i, end, parent int) {
	starts := true
	for i < end {
		t := s.tokens[i]
		next := i + 1
		if w := s.word(i); (starts || t.first) && (w == "create" || w == "alter") {
			if c, ok := s.creation(i); ok {
				next = s.declare(i, c, end, parent)
			}
		}
		starts = t.kind >= sqlEnd || s.word(i) == "begin" || s.is(i, ')')
		i = next
	}
}

// sqlCreation is the start of a statement that creates something.
type sqlCreation struct {
	kind         record.Kind
	object       string
	name, behind int // indexes of tokens
}

// routine reports whether a statement can have other statements in it.
func (c sqlCreation) routine() bool {
	return c.kind == record.KindFunction || c.kind == record.KindModule && c.object == "package"
}

// creation reads the start of a statement: CREATE …, and ALTER PROCEDURE … where GO ends it.
func (s *sqlScan) creation(i int) (c sqlCreation, ok bool) {
	const maxWords = 16
	alter := s.word(i) == "alter"
	k := i + 1
	for ; k < i+maxWords; k++ {
		w := s.word(k)
		if kind, is := sqlObjects[w]; is && !(w == "event" && s.word(k+1) == "trigger") {
			c.kind, c.object = kind, w
			break
		}
		if s.is(k+1, '=') { // DEFINER = `a`@`b`, ALGORITHM = MERGE
			for k += 2; k+1 < len(s.tokens) && (s.tokens[k+1].kind == sqlString || s.tokens[k].end == s.tokens[k+1].start); k++ {
			}
			continue
		}
		if !sqlModifiers[w] {
			return c, false
		}
	}
	if c.kind == "" || alter && !(s.batches && (c.kind == record.KindFunction || c.object == "view") && s.word(k-1) == "alter") {
		return c, false
	}
	for k++; sqlBeforeName[s.word(k)]; k++ {
	}
	if s.word(k) == "on" || s.word(k) == "authorization" {
		return c, false
	}
	if c.name, c.behind, ok = s.nameAt(k); !ok {
		return c, false
	}
	if c.object == "type" && s.word(c.behind) == "as" && s.word(c.behind+1) == "enum" {
		c.kind = record.KindEnum
	}
	if name, _, _ := sqlNameOf(s.text, s.tokens[c.name]); name == "" {
		return c, false
	}
	return c, true
}

// nameAt reads a name with its schema. It returns the index of its last part and that behind it.
func (s *sqlScan) nameAt(i int) (name, behind int, ok bool) {
	for i < len(s.tokens) && s.tokens[i].kind <= sqlQuoted {
		if !s.is(i+1, '.') {
			return i, i + 1, true
		}
		i += 2
		if s.is(i, '.') { // database..name
			i++
		}
	}
	return 0, i, false
}

// declare adds the declaration of a statement with its members. It returns the index behind it.
func (s *sqlScan) declare(i int, c sqlCreation, limit, parent int) int {
	end, last := s.statementEnd(i, c, limit)
	d := Decl{Kind: c.kind, Parent: parent, Exported: true, Span: record.Span{Start: s.tokens[i].start, End: s.tokens[last].end}}
	d.Name, d.NameSpan.Start, d.NameSpan.End = sqlNameOf(s.text, s.tokens[c.name])
	d.Test = IsCallable(d.Kind) && strings.HasPrefix(d.Name, "test")
	head := s.headEnd(i, c, last)
	d.Header = record.Span{Start: d.Span.Start, End: s.tokens[head].end}
	d.Body = record.Span{Start: d.Header.End, End: d.Span.End}
	s.document(&d)
	at := len(s.decls)
	s.decls = append(s.decls, d)
	switch {
	case c.object == "package":
		s.members(c.behind, last, at)
	case c.kind == record.KindFunction:
		s.breaksOf(head, last)
		s.languageOf(i, last)
	case c.kind == record.KindStruct || c.kind == record.KindType:
		s.columns(c.behind, last, at)
	}
	return end
}

// statementEnd returns the index behind a statement and the index of its last token.
func (s *sqlScan) statementEnd(i int, c sqlCreation, limit int) (end, last int) {
	routine, parens, blocks, body := c.routine(), 0, 0, false
	// Where a line ends a statement, or a parameter starts with "@", a semicolon ends none of a routine.
	open := routine && (s.batches || s.hasParameters(c))
	for k := c.behind; k < limit; k++ {
		t := s.tokens[k]
		switch {
		case t.kind == sqlOpen:
			k, body = t.skip, true
			open = false
		case t.kind == sqlSeparator, t.kind == sqlBatch:
			return k, k - 1
		case t.kind == sqlEnd && parens <= 0 && blocks == 0 && !open:
			return k + 1, k
		case s.is(k, '('):
			parens++
		case s.is(k, ')'):
			if parens--; parens < 0 && !routine {
				return k, k - 1
			}
		case t.kind != sqlWord:
		case t.first && k > c.behind && s.begins(k, i, c, parens, blocks):
			return k, k - 1
		default:
			w := s.word(k)
			switch {
			case body:
			case w == "case", w == "begin" && routine && s.beginsBlock(k):
				if w != "case" || s.word(k-1) != "end" {
					blocks++
				}
			case w == "end" && s.word(k+1) != "if" && s.word(k+1) != "loop" && s.word(k+1) != "while" && s.word(k+1) != "repeat" && s.word(k+1) != "for":
				if blocks--; blocks < 0 && !routine {
					return k, k - 1
				}
				blocks = max(blocks, 0)
			}
		}
	}
	return limit, limit - 1
}

// hasParameters reports whether a name with "@" follows the name of a routine, as in
// Transact-SQL.
func (s *sqlScan) hasParameters(c sqlCreation) bool {
	k := c.behind
	if s.is(k, '(') {
		k++
	}
	return strings.HasPrefix(s.word(k), "@")
}

// beginsBlock reports whether BEGIN begins no transaction.
func (s *sqlScan) beginsBlock(k int) bool {
	switch s.word(k + 1) {
	case "tran", "transaction", "work":
		return false
	}
	return k+1 >= len(s.tokens) || s.tokens[k+1].kind < sqlEnd
}

// begins reports whether the first word of a line begins a new statement, although no
// semicolon ends the one that starts at i.
func (s *sqlScan) begins(k, i int, c sqlCreation, parens, blocks int) bool {
	if !sqlStarts[s.word(k)] || s.indent(k) > s.indent(i) {
		return false
	}
	if w := s.word(k); w == "create" || w == "alter" {
		next, ok := s.creation(k)
		switch {
		case !ok:
		case next.routine() && !(s.word(k-1) == "schema"):
			return true
		case !c.routine() || blocks == 0 && parens > 0:
			return true
		}
	}
	return parens <= 0 && blocks == 0 && (c.kind == record.KindStruct || c.object == "index") && s.word(k) != "select" && !s.is(k-1, ',') && s.word(k-1) != "on"
}

// indent returns the bytes between the start of a token's line and the token.
func (s *sqlScan) indent(i int) int {
	return s.tokens[i].start - lineStart(s.text, s.tokens[i].start)
}

// headEnd returns the index of the last token of the header of a statement: all of it, or
// what stands in front of a body, a query or columns.
func (s *sqlScan) headEnd(i int, c sqlCreation, last int) int {
	parens := 0
	for k := c.behind; k <= last && c.kind != record.KindEnum; k++ {
		switch {
		case s.tokens[k].kind == sqlOpen:
			return k
		case s.is(k, '('):
			if c.kind == record.KindStruct && parens == 0 && k == c.behind {
				return k
			}
			parens++
		case s.is(k, ')'):
			parens--
		case parens > 0 || s.tokens[k].kind != sqlWord:
		default:
			switch w := s.word(k); w {
			case "as", "is":
				if k < last && s.tokens[k+1].kind == sqlOpen {
					return k + 1
				}
				return k
			case "begin":
				return max(k-1, c.name)
			case "declare", "return":
				if c.routine() {
					return max(k-1, c.name)
				}
			}
		}
	}
	return last
}

// document finds the comment right above a declaration. A block that ends with an empty
// comment, as pg_dump writes it, belongs to what follows behind a blank line, but says nothing.
func (s *sqlScan) document(d *Decl) {
	for s.comment < len(s.comments) && s.comments[s.comment].end <= d.Span.Start {
		s.comment++
	}
	at, first := d.Span.Start, -1
	for k := s.comment - 1; k >= 0; k-- {
		c := s.comments[k]
		gap := s.text[c.end:at]
		lines := bytes.Count(gap, []byte("\n"))
		framed := first < 0 && lines == 2 && string(bytes.TrimSpace(s.text[c.start:c.end])) == "--"
		if firstNonBlank(gap) >= 0 || !c.first || lines > 1 && !framed {
			break
		}
		first, at = k, c.start
	}
	if first < 0 {
		return
	}
	end := s.comments[s.comment-1].end
	if bytes.Count(s.text[end:d.Span.Start], []byte("\n")) <= 1 {
		d.Doc = record.Span{Start: at, End: at + len(bytes.TrimRight(s.text[at:end], " \t\r\n"))}
	}
	d.Span.Start = at
}

// columns adds the columns between the brackets behind the name of a table or a type.
func (s *sqlScan) columns(i, last, parent int) {
	for s.word(i) == "as" || s.word(i) == "object" || s.word(i) == "table" || s.word(i) == "row" {
		i++
	}
	if !s.is(i, '(') {
		return
	}
	i++
	for i <= last {
		end, parens := i, 0
		for ; end <= last && !(parens == 0 && (s.is(end, ',') || s.is(end, ')'))) && s.tokens[end].kind < sqlEnd; end++ {
			if s.is(end, '(') {
				parens++
			} else if s.is(end, ')') {
				parens--
			}
		}
		if end > i+1 && (s.tokens[i].kind == sqlQuoted || s.tokens[i].kind == sqlWord && !sqlConstraints[s.word(i)]) {
			s.column(i, end, parent)
		}
		if end > last || !s.is(end, ',') {
			return
		}
		i = end + 1
	}
}

// column adds a column, whose comment stands above it or behind it.
func (s *sqlScan) column(i, end, parent int) {
	d := Decl{Kind: record.KindField, Parent: parent, Exported: true, Span: record.Span{Start: s.tokens[i].start, End: s.tokens[end-1].end}}
	if d.Name, d.NameSpan.Start, d.NameSpan.End = sqlNameOf(s.text, s.tokens[i]); d.Name == "" {
		return
	}
	if s.is(end, ',') {
		d.Span.End = s.tokens[end].end
	}
	d.Header = record.Span{Start: d.Span.Start, End: s.tokens[end-1].end}
	d.Body = record.Span{Start: d.Header.End, End: d.Header.End}
	s.document(&d)
	for k := s.comment; k < len(s.comments) && !s.comments[k].first; k++ {
		c := s.comments[k]
		if c.start < d.Header.End || len(bytes.Trim(s.text[d.Span.End:max(d.Span.End, c.start)], " \t")) > 0 {
			continue
		}
		if d.Span.End = c.end; empty(d.Doc) {
			d.Doc = record.Span{Start: c.start, End: c.end}
		}
		break
	}
	s.decls[parent].widen(&d)
	s.decls = append(s.decls, d)
}

// widen extends a declaration over a member.
func (d *Decl) widen(member *Decl) {
	d.Span.End = max(d.Span.End, member.Span.End)
	d.Body.End = max(d.Body.End, member.Span.End)
}

// members adds the functions and procedures of a package.
func (s *sqlScan) members(i, last, parent int) {
	for ; i <= last; i++ {
		w := s.word(i)
		if !s.tokens[i].first || w != "procedure" && w != "function" {
			continue
		}
		name, behind, ok := s.nameAt(i + 1)
		if !ok {
			continue
		}
		end, head := s.memberEnd(behind, last)
		d := Decl{Kind: record.KindFunction, Parent: parent, Exported: true, Span: record.Span{Start: s.tokens[i].start, End: s.tokens[end].end}}
		d.Name, d.NameSpan.Start, d.NameSpan.End = sqlNameOf(s.text, s.tokens[name])
		d.Header = record.Span{Start: d.Span.Start, End: s.tokens[head].end}
		d.Body = record.Span{Start: d.Header.End, End: d.Span.End}
		s.document(&d)
		s.breaksOf(head, end)
		s.decls = append(s.decls, d)
		i = end
	}
}

// memberEnd returns the index of the last token of a member of a package, and of its header.
func (s *sqlScan) memberEnd(i, last int) (end, head int) {
	blocks, begun := 0, false
	head = -1
	for k := i; k <= last; k++ {
		switch w := s.word(k); {
		case (w == "is" || w == "as") && head < 0:
			head = k
		case w == "begin":
			blocks, begun = blocks+1, true
		case w == "case" && s.word(k-1) != "end":
			blocks++
		case w == "end" && s.word(k+1) != "if" && s.word(k+1) != "loop":
			blocks--
		case s.tokens[k].kind == sqlEnd && (head < 0 || begun && blocks <= 0):
			if head < 0 {
				head = k
			}
			return k, head
		}
	}
	return last, max(head, i-1)
}

// breaksOf adds the starts of the statements of a large body that stand least deep in it.
func (s *sqlScan) breaksOf(head, last int) {
	if s.tokens[last].end-s.tokens[head].end <= breaksBytes {
		return
	}
	blocks, parens := 0, 0
	for k := head + 1; k < last; k++ {
		switch w := s.word(k); {
		case w == "begin" && s.beginsBlock(k), w == "case" && s.word(k-1) != "end":
			blocks++
		case w == "end" && s.word(k+1) != "if" && s.word(k+1) != "loop":
			blocks = max(0, blocks-1)
		case s.is(k, '('):
			parens++
		case s.is(k, ')'):
			parens--
		case s.tokens[k].kind == sqlEnd && blocks <= 1 && parens <= 0 && s.tokens[k+1].first:
			s.breaks = append(s.breaks, s.tokens[k+1].start)
		}
	}
}

// languageOf remembers the body of a routine that is written in another language.
func (s *sqlScan) languageOf(i, last int) {
	var body record.Span
	foreign := false
	for k := i; k < last; k++ {
		if t := s.tokens[k]; t.kind == sqlOpen {
			k = t.skip
			body = record.Span{Start: t.start, End: s.tokens[k].end}
		}
		if s.word(k) == "language" {
			name := strings.ToLower(strings.Trim(string(s.text[s.tokens[k+1].start:s.tokens[k+1].end]), "'"))
			foreign = name != "sql" && name != "plpgsql"
		}
	}
	if foreign && !empty(body) {
		s.foreign = append(s.foreign, body)
	}
}

// sortedRefs returns uses by their place, one at each.
func sortedRefs(refs []Ref) []Ref {
	slices.SortStableFunc(refs, func(x, y Ref) int { return cmp.Compare(x.Span.Start, y.Span.Start) })
	return slices.CompactFunc(refs, func(x, y Ref) bool { return x.Span.Start == y.Span.Start })
}
