package deps

import (
	"bytes"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// maxMade bounds the declarations of a file that calls of macros make.
const maxMade = 1000

// rsPattern is a declaration that a macro makes with a name that its calls give: the call
// static_resp!(Ok, StatusCode::OK) makes the function Ok.
type rsPattern struct {
	keyword string // "fn", "const"
	owner   string // the type of the block impl around it in the macro, "" for none
	result  string // the type that a use yields, "" when it is not a plain one
	header  string // on one line, with name in place of the name
	name    string // of the parameter that has the name: "$name"
	element int    // of the elements between commas, which starts with the name
	entry   byte   // the delimiter of the entries of the call that have these elements, 0 for the call itself
}

// rsItems reads the declarations that calls of macros make in a file of Rust.
type rsItems struct {
	text   []byte
	tokens []rsToken
	macros map[string][]rsPattern
	graph  *record.FileGraph
	n      int // of the symbols that the parser sees
}

// addMade adds to a file the declarations that its own macros make, as far as their patterns tell the
// name: the name starts an element of the call, or of an entry of it such as (404, NOT_FOUND, "Not Found").
func addMade(f *File) {
	if !bytes.Contains(f.Text, []byte("macro_rules!")) {
		return
	}
	r := rsItems{text: f.Text, tokens: rsTokens(f.Text), macros: map[string][]rsPattern{}, graph: &f.Record.Graph, n: len(f.Record.Graph.Symbols)}
	for i := 0; i+3 < len(r.tokens); i++ {
		if r.word(i) == "macro_rules" && r.is(i+1, '!') && r.word(i+2) != "" && r.tokens[i+3].match > 0 {
			r.define(r.word(i+2), i+4, r.tokens[i+3].match)
			i = r.tokens[i+3].match
		}
	}
	for i := 0; len(r.macros) > 0 && i+2 < len(r.tokens); i++ {
		if open := i + 2; r.word(i) != "" && r.is(i+1, '!') && r.tokens[open].match > open {
			r.call(i, open, r.macros[r.word(i)])
		}
	}
}

// word returns a token that is a word, else "".
func (r *rsItems) word(i int) string {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].kind != rsWord {
		return ""
	}
	return string(r.text[r.tokens[i].start:r.tokens[i].end])
}

// is reports whether a token is a sign.
func (r *rsItems) is(i int, sign rsKind) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].kind == sign
}

// next returns the index of the token behind token i, behind the closing delimiter when token i opens a group.
func (r *rsItems) next(i int) int { return max(i, r.tokens[i].match) + 1 }

// define reads the arms of a macro: a matcher, => and what the macro makes.
func (r *rsItems) define(macro string, from, to int) {
	for i := from; i+3 < to; i = r.next(i) {
		matcher, made := r.tokens[i].match, r.next(i)+2
		if matcher < i || made >= to || !r.is(made-2, '=') || !r.is(made-1, '>') || r.tokens[made].match < made {
			continue
		}
		names := map[string]rsPattern{}
		r.match(names, i+1, matcher, 0)
		r.makes(macro, names, "", made+1, r.tokens[made].match)
		i = made
	}
}

// match notes the names of a matcher that start an element. It reads the tokens of a group $(…) as if
// they stood without the group.
func (r *rsItems) match(names map[string]rsPattern, from, to int, entry byte) {
	element, starts := 0, true
	for i := from; i < to; i = r.next(i) {
		switch {
		case r.is(i, ','):
			element, starts = element+1, true
		case r.is(i, '$') && r.is(i+1, '('):
			if element == 0 && entry == 0 { // entries and attributes
				r.entries(names, i+2, r.tokens[i+1].match)
			}
			i++
		case r.is(i, '$') && r.is(i+2, ':') && r.word(i+3) == "ident":
			if starts {
				names[r.word(i+1)] = rsPattern{element: element, entry: entry}
			}
			starts, i = false, i+3
		case r.is(i, '$') && r.is(i+2, ':') && r.word(i+3) == "vis":
			i += 3
		case r.is(i, '#') || r.is(i, '[') || r.is(i, '+') || r.is(i, '*') || r.is(i, '?'):
		default:
			starts = false
		}
	}
}

// entries notes the names of the entries of a group that repeats.
func (r *rsItems) entries(names map[string]rsPattern, from, to int) {
	for i := from; i < to; i = r.next(i) {
		if (r.is(i, '(') || r.is(i, '{')) && !r.is(i-1, '$') && r.tokens[i].match > i {
			r.match(names, i+1, r.tokens[i].match, byte(r.tokens[i].kind))
		}
	}
}

// makes notes the declarations of what a macro makes that have one of the names.
func (r *rsItems) makes(macro string, names map[string]rsPattern, owner string, from, to int) {
	public := from
	for i := from; i < to; i = r.next(i) {
		switch word := r.word(i); word {
		case "pub":
			public = i
		case "impl":
			of, body := r.implOf(i+1, to)
			if body < to {
				r.makes(macro, names, of, body+1, r.tokens[body].match)
			}
			i, public = body, body+1
		case "fn", "const", "static", "struct", "enum", "type", "trait":
			p, ok := names[r.word(i+2)]
			if !r.is(i+1, '$') || !ok {
				continue
			}
			if public = min(public, i); r.word(public) != "pub" {
				public = i
			}
			p.keyword, p.owner, p.name = word, owner, "$"+r.word(i+2)
			end := i + 3
			for end < to && !r.is(end, '{') && !r.is(end, ';') && !r.is(end, '=') {
				end = r.next(end)
			}
			p.result = r.result(i+3, end)
			p.header = strings.Join(strings.Fields(string(r.text[r.tokens[public].start:r.tokens[end-1].end])), " ")
			if !slices.Contains(r.macros[macro], p) {
				r.macros[macro] = append(r.macros[macro], p)
			}
		case "":
			if r.is(i, '$') && r.is(i+1, '(') {
				r.makes(macro, names, owner, i+2, r.tokens[i+1].match)
				i++
			}
			if r.is(i, '{') || r.is(i, ';') {
				public = i + 1
			}
		}
	}
}

// implOf returns the type of a block impl, "" when a call names it, and the index of its body.
func (r *rsItems) implOf(from, to int) (of string, body int) {
	depth, done := 0, false
	for i := from; i < to; i = r.next(i) {
		switch {
		case r.is(i, '<'):
			depth++
		case r.is(i, '>') && !r.is(i-1, '-'):
			depth--
		case r.is(i, '{'):
			return of, i
		case r.word(i) == "for":
			of, done = "", false
		case r.word(i) == "where":
			done = true
		case depth == 0 && !done && r.word(i) != "":
			if of = r.word(i); r.is(i-1, '$') {
				of = ""
			}
		}
	}
	return "", to
}

// result returns the type behind -> or : in the rest of a header, "" when it has parameters that may
// count more, as Option has, or when a call names it.
func (r *rsItems) result(from, to int) string {
	var segments []string
	depth, there := 0, false
	for i := from; i < to; i = r.next(i) {
		switch {
		case r.is(i, '<') && !there:
			depth++
		case r.is(i, '>') && r.is(i-1, '-') && depth == 0 || r.is(i, ':') && !there && depth == 0:
			there = true
		case r.is(i, '>') && !r.is(i-1, '-') && !there:
			depth--
		case !there || r.is(i, ':') || r.is(i, '&') || r.word(i) == "mut" || strings.HasPrefix(r.word(i), "'"):
		case r.word(i) == "where" || r.is(i, '<') && len(segments) > 0 && !rsWraps[segments[len(segments)-1]]:
			return strings.Join(segments, ".")
		case r.word(i) == "" || r.word(i) == "impl" || r.word(i) == "dyn" || r.is(i-1, '$'):
			return ""
		default:
			segments = append(segments, r.word(i))
		}
	}
	return strings.Join(segments, ".")
}

// rsWraps are the types of which what is in them counts.
var rsWraps = map[string]bool{"Option": true, "Result": true, "Box": true, "Rc": true, "Arc": true, "Vec": true, "Pin": true}

// call adds what the call of a macro makes.
func (r *rsItems) call(at, open int, patterns []rsPattern) {
	if len(patterns) == 0 {
		return
	}
	parent := -1
	for i := range r.n {
		s := &r.graph.Symbols[i]
		if s.Span.Start > r.tokens[at].start || s.Span.End < r.tokens[open].end {
			continue
		}
		switch s.Kind {
		case record.KindImpl, record.KindInterface:
			parent = i
		case record.KindModule:
		default:
			return // it is in a function or in another macro
		}
	}
	end := r.tokens[open].match
	for _, p := range patterns {
		if p.entry == 0 {
			r.add(p, parent, at, r.closed(end), open+1, end)
			continue
		}
		for i := open + 1; i < end; i = r.next(i) {
			if byte(r.tokens[i].kind) == p.entry && r.tokens[i].match > i && !r.is(i-1, '#') {
				r.add(p, parent, i, r.closed(r.tokens[i].match), i+1, r.tokens[i].match)
			}
		}
	}
}

// closed returns the token that ends an item or an entry: its last one or the sign behind it.
func (r *rsItems) closed(last int) int {
	if r.is(last+1, ';') || r.is(last+1, ',') {
		return last + 1
	}
	return last
}

// add adds a declaration, the tokens first to last, with its elements between from and to.
func (r *rsItems) add(p rsPattern, parent, first, last, from, to int) {
	at := r.element(p.element, from, to)
	if name := r.word(at); name == "" || name[0] == '\'' || len(r.graph.Symbols) >= r.n+maxMade {
		return
	}
	start, name := r.tokens[first].start, r.tokens[at]
	s := record.Symbol{Name: r.word(at), Kind: rsKinds[p.keyword], Parent: -1, Container: p.owner, Type: p.result, Exported: strings.HasPrefix(p.header, "pub"),
		Span: record.Span{Start: r.documented(first), End: r.tokens[last].end}, NameSpan: record.Span{Start: name.start, End: name.end}}
	s.Header = record.Span{Start: start, End: s.Span.End}
	if s.Span.Start < start {
		s.Doc = record.Span{Start: s.Span.Start, End: start}
	}
	s.Qualified = s.Name
	if p.owner != "" {
		s.Qualified = p.owner + "." + s.Name
	} else if parent >= 0 {
		in := &r.graph.Symbols[parent]
		s.Parent, s.Container, s.Qualified = parent, in.Qualified, in.Qualified+"."+s.Name
	}
	if s.Container != "" && s.Kind == record.KindFunction {
		s.Kind = record.KindMethod
	}
	s.Signature = strings.ReplaceAll(p.header, p.name, s.Name)
	s.Lines = record.Lines{First: r.line(s.Span.Start), Last: r.line(s.Span.End)}
	s.NameLine = r.line(name.start)
	r.graph.Symbols = append(r.graph.Symbols, s)
}

// rsKinds are the kinds of declarations by their keyword.
var rsKinds = map[string]record.Kind{
	"fn": record.KindFunction, "const": record.KindConstant, "static": record.KindVariable, "struct": record.KindStruct,
	"enum": record.KindEnum, "type": record.KindType, "trait": record.KindInterface,
}

// element returns the first token of an element behind its attributes, -1 for none.
func (r *rsItems) element(n, from, to int) int {
	starts := true
	for i := from; i < to; i = r.next(i) {
		switch {
		case r.is(i, ','):
			n, starts = n-1, true
		case starts && n == 0 && r.is(i, '#'):
			i++ // and the brackets
		case starts && n == 0 && r.word(i) == "pub":
			if r.is(i+1, '(') {
				i++
			}
		case starts && n == 0:
			return i
		}
	}
	return -1
}

// documented returns where the comment lines above a token start.
func (r *rsItems) documented(first int) int {
	for r.is(first-1, ']') && r.is(r.tokens[first-1].match-1, '#') {
		first = r.tokens[first-1].match - 1
	}
	start := 1 + bytes.LastIndexByte(r.text[:r.tokens[first].start], '\n')
	if len(bytes.TrimSpace(r.text[start:r.tokens[first].start])) > 0 {
		return r.tokens[first].start
	}
	out := r.tokens[first].start
	for start > 0 {
		above := 1 + bytes.LastIndexByte(r.text[:start-1], '\n')
		line := bytes.TrimLeft(r.text[above:start], " \t")
		if !bytes.HasPrefix(line, []byte("//")) {
			break
		}
		start, out = above, start-len(line)
	}
	return out
}

// line returns the line of an offset, counted from 1.
func (r *rsItems) line(offset int) int { return 1 + bytes.Count(r.text[:offset], []byte{'\n'}) }
