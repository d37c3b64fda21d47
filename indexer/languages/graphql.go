package languages

import (
	"slices"
	"strings"

	"ambit/vectors/record"
)

// parseGraphQL reads the schemas and the operations of GraphQL. Types have the role of the
// types of a GraphQL library, so that their fields are cut in tens, and the fields of an input
// are arguments.
//
// Source: the GraphQL specification of October 2021, sections 2 and 3.
func parseGraphQL(r *patternRow, path record.Path, content []byte) Outline {
	s := graphScan{text: string(content)}
	s.tokenize()
	for s.at < len(s.tokens) {
		s.definition()
	}
	return Outline{Path: path, Content: content, Language: r.name, Decls: s.decls, Refs: sortedRefs(s.refs), Directives: s.directives, Comments: s.comments}
}

// graphScan holds the state of one call of parseGraphQL.
type graphScan struct {
	text       string
	tokens     []graphToken
	at         int // index into tokens
	decls      []Decl
	refs       []Ref
	directives []Directive
	comments   []record.Span
}

// graphToken is a name, a string or a sign.
type graphToken struct {
	record.Span
	kind byte // graphName, graphString, or the byte of the sign
}

const (
	graphName   = 'a'
	graphString = '"'
)

// graphKinds are the kinds of the definitions, by their first word.
var graphKinds = map[string]record.Kind{
	"type": record.KindClass, "interface": record.KindInterface, "input": record.KindStruct, "enum": record.KindEnum, "union": record.KindType, "scalar": record.KindType,
	"directive": record.KindMacro, "query": record.KindFunction, "mutation": record.KindFunction, "subscription": record.KindFunction, "fragment": record.KindFunction,
	"schema": record.KindModule,
}

var graphBuiltins = wordsOf("Int Float String Boolean ID true false null")

// tokenize cuts the text into tokens and comments. Commas are blanks.
func (s *graphScan) tokenize() {
	for i := 0; i < len(s.text); {
		c, end := s.text[i], i+1
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',':
			i++
			continue
		case c == '#':
			if end = strings.IndexByte(s.text[i:], '\n'); end < 0 {
				end = len(s.text) - i
			}
			s.comments = append(s.comments, record.Span{Start: i, End: i + end})
			i += end
			continue
		case strings.HasPrefix(s.text[i:], `"""`):
			c = graphString
			if end = strings.Index(s.text[i+3:], `"""`); end < 0 {
				end = len(s.text)
			} else {
				end += i + 6
			}
		case c == '"':
			for end < len(s.text) && s.text[end] != '"' && s.text[end] != '\n' {
				if s.text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(s.text))
		case isGraphByte(c):
			c = graphName
			for end < len(s.text) && isGraphByte(s.text[end]) {
				end++
			}
		}
		s.tokens = append(s.tokens, graphToken{record.Span{Start: i, End: end}, c})
		i = end
	}
}

// isGraphByte reports whether a byte belongs to a name or a number.
func isGraphByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// kind returns the kind of the token k places ahead, 0 at the end.
func (s *graphScan) kind(k int) byte {
	if s.at+k < len(s.tokens) {
		return s.tokens[s.at+k].kind
	}
	return 0
}

// word returns the name at the token k places ahead, "" for another token.
func (s *graphScan) word(k int) string {
	if s.kind(k) != graphName {
		return ""
	}
	return s.slice(s.tokens[s.at+k].Span)
}

func (s *graphScan) slice(at record.Span) string { return s.text[at.Start:at.End] }

// opens reports whether a definition starts at the present token: its first word, perhaps
// behind a description or "extend", at the start of a line.
func (s *graphScan) opens() bool {
	start := s.tokens[s.at].Start
	if start > 0 && s.text[start-1] != '\n' {
		return false
	}
	k := 0
	if s.kind(0) == graphString {
		k++
	}
	if s.word(k) == "extend" {
		k++
	}
	_, ok := graphKinds[s.word(k)]
	return ok && s.kind(k+1) != ':' && s.kind(k+1) != '('
}

// definition reads one definition, or skips a token.
func (s *graphScan) definition() {
	first := s.at
	d := Decl{Parent: -1, Exported: true}
	if s.kind(0) == graphString {
		d.Doc = s.tokens[s.at].Span
		s.at++
	}
	extends := s.word(0) == "extend"
	if extends {
		s.at++
	}
	word := s.word(0)
	kind, ok := graphKinds[word]
	if !ok {
		s.at = first + 1
		return
	}
	d.Kind, d.Header.Start = kind, s.tokens[s.at].Start
	s.at++
	if s.kind(0) == '@' {
		s.at++
	}
	d.Name = word // of a schema, and of an operation without a name
	if name := s.word(0); name != "" {
		d.Name, d.NameSpan = name, s.tokens[s.at].Span
		s.at++
	} else {
		d.NameSpan = record.Span{Start: d.Header.Start, End: d.Header.Start + len(word)}
	}
	switch kind {
	case record.KindClass, record.KindInterface, record.KindStruct, record.KindEnum:
		d.Role = RoleGraphQL
	}
	if extends {
		d.Kind = record.KindImpl
	}
	index := len(s.decls)
	s.decls = append(s.decls, d)
	s.header(index, word)
	if s.kind(0) == '{' {
		s.body(index, word)
	}
	last := s.tokens[s.at-1].End
	p := &s.decls[index]
	if p.Header.End == 0 {
		p.Header.End = last
	}
	p.Span = record.Span{Start: s.commentAbove(s.tokens[first].Start), End: last}
}

// commentAbove returns where the comments right above an offset start.
func (s *graphScan) commentAbove(at int) int {
	k, _ := slices.BinarySearchFunc(s.comments, at, func(c record.Span, at int) int { return c.Start - at })
	for k--; k >= 0; k-- {
		c := s.comments[k]
		line := strings.LastIndexByte(s.text[:c.Start], '\n') + 1
		if between := s.text[min(c.End, at):at]; strings.Count(between, "\n") > 1 || strings.TrimSpace(between+s.text[line:c.Start]) != "" {
			break
		}
		at = c.Start
	}
	return at
}

// header reads what stands between the name of a definition and its body: the interfaces of a
// type, the members of a union, the arguments of a directive or of an operation.
func (s *graphScan) header(decl int, word string) {
	for depth := 0; s.at < len(s.tokens); s.at++ {
		switch kind := s.kind(0); {
		case kind == '(':
			depth++
		case kind == ')':
			depth--
		case depth <= 0 && (kind == '{' || s.opens()):
			s.decls[decl].Header.End = s.tokens[s.at-1].End
			return
		case kind != graphName || s.at > 0 && s.tokens[s.at-1].kind == '@':
		case depth <= 0 && (word == "type" || word == "interface") && s.word(0) != "implements":
			s.refer(record.EdgeExtends)
			s.decls[decl].Bases = append(s.decls[decl].Bases, s.word(0))
		case depth <= 0 && word == "union", depth <= 0 && word == "fragment" && s.word(0) != "on":
			s.refer(record.EdgeType)
		case depth > 0:
			s.typeOf()
		}
	}
}

// refer adds a reference to the type that the present token names.
func (s *graphScan) refer(kind record.EdgeKind) {
	if name := s.word(0); !graphBuiltins[name] && name[0] > '9' {
		s.refs = append(s.refs, Ref{Name: name, Kind: kind, Span: s.tokens[s.at].Span, Decl: len(s.decls) - 1})
	}
}

// typeOf adds a reference to a type behind ":", when the present token is one.
func (s *graphScan) typeOf() {
	k := s.at - 1
	for k > 0 && s.tokens[k].kind == '[' {
		k--
	}
	if k >= 0 && s.tokens[k].kind == ':' && s.word(0) != "" {
		s.refer(record.EdgeType)
	}
}

// body reads the body of a definition: the fields of a type, the values of an enum, or the
// selections of an operation.
func (s *graphScan) body(decl int, word string) {
	open := s.tokens[s.at]
	s.at++
	if s.decls[decl].Kind == record.KindFunction {
		s.selections(decl)
	} else {
		for s.at < len(s.tokens) && s.kind(0) != '}' && !s.opens() {
			s.field(decl, word)
		}
		if s.kind(0) == '}' {
			s.at++
		}
	}
	s.decls[decl].Body = record.Span{Start: open.Start, End: s.tokens[s.at-1].End}
}

// selections reads the selections of an operation up to their end.
func (s *graphScan) selections(decl int) {
	for depth := 1; s.at < len(s.tokens) && depth > 0 && !s.opens(); s.at++ {
		switch s.kind(0) {
		case '{':
			depth++
		case '}':
			depth--
		case graphName:
			if k := s.at - 3; k >= 0 && s.tokens[s.at-1].kind == '.' && s.word(0) != "on" {
				s.refs = append(s.refs, Ref{Name: s.word(0), Kind: record.EdgeCalls, Span: s.tokens[s.at].Span, Decl: decl})
			} else if s.slice(s.tokens[s.at-1].Span) == "on" {
				s.refs = append(s.refs, Ref{Name: s.word(0), Kind: record.EdgeType, Span: s.tokens[s.at].Span, Decl: decl})
			}
		}
	}
}

// field reads one field with its description, arguments, type and directives.
func (s *graphScan) field(decl int, word string) {
	first := s.tokens[s.at]
	f := Decl{Parent: decl, Kind: record.KindField, Exported: true}
	if first.kind == graphString {
		f.Doc = first.Span
		s.at++
	}
	if s.kind(0) != graphName {
		if s.at < len(s.tokens) && s.kind(0) != '}' {
			s.at++
		}
		return
	}
	f.Name, f.NameSpan = s.word(0), s.tokens[s.at].Span
	index := len(s.decls)
	s.decls = append(s.decls, f)
	s.at++
	for depth := 0; s.at < len(s.tokens) && !s.opens(); s.at++ {
		kind, before := s.kind(0), s.tokens[s.at-1].kind
		switch {
		case kind == '(' || kind == '{':
			depth++
		case kind == ')' || kind == '}':
			depth--
		case depth > 0 && kind == graphName:
			s.typeOf()
		case kind == graphName && (before == ':' || before == '['):
			s.refer(record.EdgeType)
			s.decls[index].Type = s.word(0)
		}
		// The next field starts at a name, or at its description, that nothing asks for.
		next := kind == graphName && before != ':' && before != '[' && before != '@' && before != '=' || kind == graphString && before != '='
		if depth < 0 || depth == 0 && next {
			break
		}
	}
	p := &s.decls[index]
	end := s.tokens[s.at-1].End
	p.Header = record.Span{Start: f.NameSpan.Start, End: end}
	p.Span = record.Span{Start: max(s.commentAbove(first.Start), s.decls[decl].Header.End), End: end}
	purpose := PurposeField
	if word == "input" {
		purpose = PurposeArgument
	}
	if s.decls[decl].Role == "" {
		return
	}
	s.directives = append(s.directives, Directive{Decl: decl, Span: p.Span, Call: p.Header, Name: "field", Purpose: purpose, Args: []string{p.Name}})
}
