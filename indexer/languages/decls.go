package languages

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"ambit/vectors/record"
)

// rawDecl is a declaration without its parent.
type rawDecl struct {
	Decl
	pattern uint16 // a later pattern is more specific
}

// settleDecls orders the declarations, keeps one for each name, joins them with
// their comments and finds their parents. A variable inside a function is a local. They are put
// in the memory of decls, which has none.
func (b *builder) settleDecls(decls []Decl) []Decl {
	if b.row.data {
		b.fewKeys()
	}
	raw := b.namedOnce()
	slices.SortFunc(raw, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), cmp.Compare(y.Span.End, x.Span.End), cmp.Compare(boolInt(empty(y.Body)), boolInt(empty(x.Body))),
			cmp.Compare(x.NameSpan.Start, y.NameSpan.Start))
	})
	slices.SortFunc(b.scopes, outerFirst)
	b.settleComments()
	n := nester{b: b, decls: slices.Grow(decls, len(raw)), scopes: nesting{next: b.scopes}}
	for i := range raw {
		n.place(&raw[i].Decl)
	}
	b.attachBases(n.decls)
	b.attachResults(n.decls)
	b.attachComments(n.decls)
	b.attachDocTypes(n.decls)
	if b.row.isTest != nil {
		for i := range n.decls {
			d := &n.decls[i]
			d.Test = b.row.isTest(d, b.text) || d.Parent >= 0 && n.decls[d.Parent].Test
		}
	}
	return n.decls
}

// outerFirst orders spans by start, the longer of two first.
func outerFirst(x, y record.Span) int {
	return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End))
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// namedOnce keeps one declaration for each name. When several patterns match it, the
// declaration has the widest span and the kind of the last pattern.
func (b *builder) namedOnce() []rawDecl {
	slices.SortFunc(b.decls, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.NameSpan.Start, y.NameSpan.Start), cmp.Compare(x.pattern, y.pattern))
	})
	slices.Sort(b.importAt)
	kept := b.decls[:0]
	next := 0
	for _, d := range b.decls {
		at := d.NameSpan.Start
		for next < len(b.importAt) && b.importAt[next] < at {
			next++
		}
		if next < len(b.importAt) && b.importAt[next] == at && !b.row.aliases {
			continue // const x = require("y")
		}
		d.Span.Start = keywordStart(b.text, d.Span.Start, b.row.preprocessed)
		if b.row.preprocessed {
			d.Span.Start = wrapperStart(b.text, d.Span.Start, d.NameSpan.Start)
			if IsCallable(d.Kind) && d.Kind != record.KindMacro {
				d.Span.Start = macroAbove(b.text, d.Span.Start)
			}
		}
		if n := len(kept); n > 0 && kept[n-1].NameSpan.Start == at {
			kept[n-1] = mergeDecl(kept[n-1], d)
			continue
		}
		kept = append(kept, d)
	}
	return kept
}

func mergeDecl(a, b rawDecl) rawDecl {
	if b.Span.End-b.Span.Start < a.Span.End-a.Span.Start {
		b.Span = a.Span
	}
	if empty(b.Body) {
		b.Body = a.Body
	}
	if IsCallable(a.Kind) == IsCallable(b.Kind) { // the type of a function value is not the type of its result
		b.Type = cmp.Or(b.Type, a.Type)
	}
	b.Container = cmp.Or(b.Container, a.Container)
	return b
}

// outsideKeywords stand before a declaration on its line. Grammars put them in a node
// around the declaration.
var outsideKeywords = []string{"export", "default", "declare", "const", "let", "var", "type", "private", "protected", "public", "local", "rec", "and", "@test"}

// maxKeyword bounds the length of a keyword or macro in front of a declaration.
const maxKeyword = 40

// keywordStart moves start back over the outsideKeywords, and over macros if macros is
// set, when they start the line.
func keywordStart(text string, start int, macros bool) int {
	i := start
	for {
		j := i
		for j > 0 && text[j-1] == ' ' {
			j--
		}
		end := j
		for j > 0 && (isWordByte(text[j-1]) || text[j-1] == '@') && end-j < maxKeyword {
			j--
		}
		if j == end {
			if j > 0 && text[j-1] != '\n' && text[j-1] != '\t' {
				return start
			}
			return i
		}
		if !slices.Contains(outsideKeywords, text[j:end]) && !(macros && isCapitals(text[j:end])) {
			return start
		}
		i = j
	}
}

// wrapperStart moves start back over a macro around the type of a declaration, `API(int) f(void);`,
// when the macro starts the line.
func wrapperStart(text string, start, name int) int {
	at := start - 1
	if at < 0 || text[at] != '(' || strings.IndexByte(text[start:max(start, name)], ')') < 0 {
		return start
	}
	for at > 0 && isWordByte(text[at-1]) && start-at < maxKeyword {
		at--
	}
	if at == start-1 || !ownLine(text, at) {
		return start
	}
	return at
}

// macroAbove moves the start of a function to a macro that is alone on the line above it.
func macroAbove(text string, start int) int {
	line := strings.LastIndexByte(text[:start], '\n')
	if line < 0 || strings.TrimSpace(text[line:start]) != "" {
		return start
	}
	above := strings.LastIndexByte(text[:line], '\n') + 1
	word := strings.TrimSpace(text[above:line])
	if len(word) > maxKeyword || !isCapitals(word) {
		return start
	}
	return above + strings.Index(text[above:line], word)
}

// maxSignature bounds a signature in bytes: enough for a long parameter list.
const maxSignature = 400

// Signature returns the text of a header on one line of at most 400 bytes.
func Signature(header string) string {
	clean := len(header) <= maxSignature
	for i := 0; clean && i < len(header); i++ {
		c := header[i]
		clean = c != '\n' && c != '\t' && c != '\r' && (c != ' ' || i > 0 && i+1 < len(header) && header[i+1] != ' ')
	}
	if clean {
		return header
	}
	cut := len(header) > 4*maxSignature
	s := oneLine(header[:min(len(header), 4*maxSignature)])
	if len(s) > maxSignature {
		s, cut = s[:maxSignature], true
	}
	if cut {
		return strings.ToValidUTF8(s, "") + "…"
	}
	return s
}

// oneLine joins the words of a text by one space each.
func oneLine(s string) string {
	line := make([]byte, 0, len(s))
	for _, c := range []byte(s) {
		switch {
		case c >= utf8.RuneSelf: // there are blanks beyond ASCII
			return strings.Join(strings.Fields(s), " ")
		case c != ' ' && (c < '\t' || c > '\r'):
			line = append(line, c)
		case len(line) > 0 && line[len(line)-1] != ' ':
			line = append(line, ' ')
		}
	}
	return strings.TrimSuffix(string(line), " ")
}

// typeAround returns the innermost type that holds declaration i, or -1.
func typeAround(decls []Decl, i int) int {
	for ; i >= 0 && !IsType(decls[i].Kind); i = decls[i].Parent {
	}
	return i
}

// IsCallable reports whether code can call declarations of a kind.
func IsCallable(k record.Kind) bool {
	return k == record.KindFunction || k == record.KindMethod || k == record.KindTest || k == record.KindMacro
}

func isValue(k record.Kind) bool {
	return k == record.KindVariable || k == record.KindConstant || k == record.KindField
}

// IsType reports whether a kind can have members.
func IsType(k record.Kind) bool {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindType, record.KindImpl:
		return true
	}
	return false
}

const (
	// maxHeaderLines bounds the header of a declaration without a body, from the name of a function on.
	maxHeaderLines = 4
	// maxHeaderWidth bounds every header in bytes, because one line can be the whole file.
	maxHeaderWidth = 4000
)

// header returns the span from the first keyword to the body. A declaration
// without a body is its own header, up to maxHeaderLines lines, which for a
// function begin at its name.
func (b *builder) header(d *Decl) record.Span {
	text, h := b.text, d.Span
	h.End = min(h.End, h.Start+maxHeaderWidth)
	if !empty(d.Body) && d.Body.Start > h.Start {
		h.End = min(h.End, d.Body.Start)
	} else {
		from := h.Start
		if IsCallable(d.Kind) { // annotations may fill many lines before the name
			from = max(h.Start, min(d.NameSpan.Start, h.End))
		}
		if i := nthLine(text[from:h.End], maxHeaderLines); i >= 0 {
			h.End = from + i
		}
	}
	h.End = h.Start + len(trimBlanks(text[h.Start:h.End]))
	// A comment between the header and the first statement belongs to the body.
	i, _ := slices.BinarySearchFunc(b.comments, h.End, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
	for i--; i >= 0 && b.comments[i].End >= h.End && b.comments[i].Start > d.NameSpan.End && h.End < d.Body.Start; i-- {
		h.End = h.Start + len(trimBlanks(text[h.Start:b.comments[i].Start]))
	}
	return h
}

// nthLine returns the index of the n-th line end in s, or -1.
func nthLine(s string, n int) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' {
			if n--; n == 0 {
				return i
			}
		}
	}
	return -1
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// maxBases bounds the bases of one type.
const maxBases = 64

// attachBases adds each base type to the innermost declaration around it, and adds a
// reference to it.
func (b *builder) attachBases(decls []Decl) {
	for _, base := range b.bases {
		p := typePath(b.slice(base.span))
		if base.gathered {
			p = pathOf(b.slice(base.span))
		}
		if p == "" || p == unknown || p == Builtin {
			continue
		}
		if i := innermost(decls, base.span.Start); i >= 0 && len(decls[i].Bases) < maxBases && !slices.Contains(decls[i].Bases, p) {
			decls[i].Bases = append(decls[i].Bases, p)
		}
		if base.gathered {
			continue
		}
		recv, name := CutLast(p)
		if b.row.whole {
			recv, name = "", p
		}
		at := base.span
		if j := strings.LastIndex(b.slice(base.span), name); j >= 0 {
			at = record.Span{Start: base.span.Start + j, End: base.span.Start + j + len(name)}
		}
		b.refs = append(b.refs, Ref{Name: name, Receiver: recv, Kind: record.EdgeExtends, Span: at, Decl: -1})
	}
}

// attachResults sets the Result of each function without a written type: the first
// expression that it returns and whose type is evident.
func (b *builder) attachResults(decls []Decl) {
	slices.SortFunc(b.results, outerFirst)
	slices.SortFunc(b.closures, outerFirst)
	closures := nesting{next: b.closures}
	for _, result := range b.results {
		around := closures.at(result.Start)
		i := innermost(decls, result.Start)
		for i >= 0 && !IsCallable(decls[i].Kind) {
			i = decls[i].Parent
		}
		if i < 0 || decls[i].Type != "" || decls[i].Result != "" || !inBodySpan(decls[i].Body, result) {
			continue
		}
		if n := len(around); n > 0 && around[n-1].Start >= decls[i].Body.Start {
			continue // a closure inside the function returns it
		}
		if p := b.row.path(b.slice(result)); p != unknown && p != Builtin {
			decls[i].Result = p
		}
	}
}

func inBodySpan(body, s record.Span) bool { return body.Start <= s.Start && s.End <= body.End }

// innermost returns the index of the innermost declaration that holds offset, or -1.
func innermost(decls []Decl, offset int) int {
	i, _ := slices.BinarySearchFunc(decls, offset+1, func(d Decl, o int) int { return cmp.Compare(d.Span.Start, o) })
	for i--; i >= 0; i = decls[i].Parent {
		if offset < decls[i].Span.End {
			return i
		}
	}
	return -1
}
