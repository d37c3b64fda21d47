package languages

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"ambit/vectors/record"
)

// parseCode runs the grammar and the query of a row over content. It returns
// false when the grammar gave up; the caller falls back to text.
func (r *row) parseCode(path record.Path, content []byte) (Outline, bool) {
	c := r.compiled()
	if c == nil {
		return Outline{}, false
	}
	b := builder{row: r, text: string(content)}
	ok := c.scan(content, func(all []capture) {
		b.decls = make([]rawDecl, 0, len(all)/32)
		b.refs = make([]Ref, 0, len(all)/3)
		for i := 0; i < len(all); {
			j := i + 1
			for j < len(all) && all[j].match == all[i].match {
				j++
			}
			if checks := c.checks[all[i].pattern]; len(checks) == 0 || holds(checks, b.text, all[i:j]) {
				b.match(c.roles, all[i:j])
			}
			i = j
		}
	})
	if !ok && len(content) > 0 {
		return Outline{}, false
	}
	o := b.outline()
	o.Path, o.Content, o.Language = path, content, r.name
	return o, true
}

// builder gathers what the captures of one file say.
type builder struct {
	row      *row
	text     string
	decls    []rawDecl
	refs     []Ref
	imports  []record.Import
	locals   []Binding
	localAt  []int // where the locals are named
	importAt []int // where imports are given a local name
	scopes   []record.Span
	bases    []named
	docs     []record.Span
	comments []record.Span
	breaks   []int
	pkg      string
	broken   int
}

// rawDecl is a declaration before its place among the others is known.
type rawDecl struct {
	Decl
	pattern uint16 // a later pattern says more of the same name
}

// named is a name at a place.
type named struct {
	text string
	span record.Span
}

// match reads the captures of one match.
func (b *builder) match(roles []role, captures []capture) {
	var m matched
	m.pattern = captures[0].pattern
	for _, c := range captures {
		if c.index == breakCapture {
			b.breaks = append(b.breaks, int(c.start))
			continue
		}
		r, at := roles[c.index], record.Span{Start: int(c.start), End: int(c.end)}
		switch r.what {
		case roleDef:
			m.def, m.kind, m.isDef = at, r.kind, true
		case roleName:
			m.name = at
		case roleBody:
			m.body = at
		case roleType:
			m.typ = at
		case roleValue:
			m.value = at
		case roleContainer:
			m.container = at
		case roleRef:
			m.ref, m.edge, m.member = at, r.edge, r.member
		case roleRecv:
			m.recv = at
		case roleLocal:
			b.locals = append(b.locals, Binding{Name: b.text[at.Start:at.End], Scope: at})
			b.localAt = append(b.localAt, at.Start)
			m.locals++
		case roleScope:
			b.scopes = append(b.scopes, at)
		case roleBase:
			b.bases = append(b.bases, named{b.slice(at), at})
		case roleImportPath:
			m.path = at
		case roleImportName:
			m.imported = at
		case roleImportAlias:
			m.alias = at
		case roleImportDefault:
			m.alias, m.byDefault = at, true
		case roleImportAll:
			m.all = true
		case roleImportTree:
			b.imports = append(b.imports, useTree(b.slice(at), b.line(at.Start))...)
		case roleExport:
			m.export = true
		case rolePackage:
			b.pkg = strings.ReplaceAll(b.slice(at), "::", ".")
		case roleComment:
			b.comments = append(b.comments, at)
		case roleDoc:
			b.docs = append(b.docs, at)
		case roleError:
			b.broken++
		}
	}
	b.take(&m)
}

// matched is one match, by role. An empty span is a role that is absent.
type matched struct {
	pattern                                           uint16
	def, name, body, typ, value, container, ref, recv record.Span
	path, imported, alias                             record.Span
	kind                                              record.Kind
	edge                                              record.EdgeKind
	isDef, all, export, member, byDefault             bool
	locals                                            int
}

func (b *builder) slice(s record.Span) string { return b.text[s.Start:s.End] }

func empty(s record.Span) bool { return s.End <= s.Start }

// take turns a match into declarations, references, imports and types of locals.
func (b *builder) take(m *matched) {
	if m.isDef && !empty(m.name) {
		d := Decl{Name: nameOf(b.slice(m.name)), Kind: m.kind, Parent: -1, Span: m.def, Body: m.body, NameSpan: m.name, Type: b.typeOf(m)}
		if !empty(m.container) {
			d.Container = typePath(b.slice(m.container))
		}
		b.decls = append(b.decls, rawDecl{d, m.pattern})
	}
	if m.edge != "" {
		b.reference(m)
	}
	if !empty(m.path) || !empty(m.imported) || !empty(m.alias) && m.edge == "" {
		b.imported(m)
	}
	if m.locals > 0 {
		t := b.typeOf(m)
		for i := len(b.locals) - m.locals; i < len(b.locals); i++ {
			l := &b.locals[i]
			l.Type = t
			if !b.row.hoisted && !empty(m.value) && m.value.Start > l.Scope.Start {
				l.Scope.End = m.value.End // the name holds after its own value
			}
		}
	}
}

// typeOf returns the path of the written type of a match, else of its value.
func (b *builder) typeOf(m *matched) string {
	if !empty(m.typ) {
		if t := typePath(b.slice(m.typ)); t != "var" && t != "auto" || empty(m.value) {
			return t
		}
	}
	if !empty(m.value) {
		if p := pathOf(b.slice(m.value)); p != unknown {
			return p
		}
	}
	return ""
}

func (b *builder) reference(m *matched) {
	at := m.ref
	if !empty(m.recv) && m.recv.Start < at.Start {
		at.Start = m.recv.Start
	}
	r := Ref{Kind: m.edge, Span: m.ref, Decl: -1}
	s := b.slice(at)
	if n := plainName(s); n == len(s) {
		r.Name = s
		if m.member {
			r.Receiver = unknown
		}
	} else {
		// The name is the last run of name bytes; what stands before it is the receiver.
		i := len(s)
		for i > 0 && isNameByte(s[i-1]) {
			i--
		}
		r.Name, r.Span.Start = s[i:], m.ref.End-(len(s)-i)
		r.Receiver = unknown
		if recv, ok := trimSeparator(s[:i]); ok {
			r.Receiver = pathOf(recv)
		}
	}
	if r.Name != "" {
		b.refs = append(b.refs, r)
	}
}

// plainName returns the length of the identifier that s starts with.
func plainName(s string) int {
	i := 0
	for i < len(s) && isNameByte(s[i]) {
		i++
	}
	return i
}

// trimSeparator cuts the separator between a receiver and a name off s.
func trimSeparator(s string) (string, bool) {
	s = strings.TrimRight(s, " \t\r\n")
	for _, sep := range []string{"?.", "->", "::", ".", "\\"} {
		if t, ok := strings.CutSuffix(s, sep); ok {
			return strings.TrimRight(t, " \t\r\n!"), true
		}
	}
	return s, false
}

func (b *builder) imported(m *matched) {
	i := record.Import{Line: b.line(max(m.path.Start, m.imported.Start)), Exported: m.export}
	if !empty(m.path) {
		i.Path = unquote(b.slice(m.path))
	}
	if !empty(m.imported) {
		i.Name = b.slice(m.imported)
		i.Local = i.Name
	}
	if m.all {
		i.Name = "*"
	}
	if !empty(m.alias) {
		i.Local = b.slice(m.alias)
		b.importAt = append(b.importAt, m.alias.Start)
	}
	if m.byDefault {
		i.Name = "default"
	}
	if b.row.fixImport != nil {
		i = b.row.fixImport(i)
	}
	b.imports = append(b.imports, i)
}

// line returns the 1-based line of an offset. It is for the few: imports.
func (b *builder) line(offset int) int { return 1 + strings.Count(b.text[:offset], "\n") }

// nameOf returns a declared name: without quotes, blanks folded, bounded.
func nameOf(s string) string {
	if plainName(s) == len(s) {
		return s
	}
	s = strings.Join(strings.Fields(unquote(strings.TrimPrefix(s, ":"))), " ")
	const maxName = 120 // the name of a test case can be a sentence
	if len(s) > maxName {
		s = s[:maxName]
		for len(s) > 0 && !utf8.ValidString(s[len(s)-1:]) {
			s = s[:len(s)-1]
		}
	}
	return s
}

func unquote(s string) string { return strings.Trim(s, "\"'`<> \t\r\n") }

// outline puts everything in its place.
func (b *builder) outline() Outline {
	decls := b.settleDecls()
	o := Outline{Decls: decls, Imports: b.imports, Package: b.pkg, Broken: b.broken}
	b.settleLocals(&o)
	b.settleRefs(&o)
	slices.Sort(b.breaks)
	o.Breaks = slices.Compact(b.breaks)
	return o
}

// settleDecls orders the declarations, keeps one for each name, joins them with
// their comments and finds their parents. A variable inside a function is a local.
func (b *builder) settleDecls() []Decl {
	raw := b.decls
	// One name can be matched by several patterns: the widest span wins, the last
	// pattern gives the kind.
	slices.SortFunc(raw, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.NameSpan.Start, y.NameSpan.Start), cmp.Compare(x.pattern, y.pattern))
	})
	kept := raw[:0]
	for _, d := range raw {
		if slices.Contains(b.importAt, d.NameSpan.Start) {
			continue // const x = require("y")
		}
		d.Span.Start = keywordStart(b.text, d.Span.Start)
		if n := len(kept); n > 0 && kept[n-1].NameSpan.Start == d.NameSpan.Start {
			kept[n-1] = mergeDecl(kept[n-1], d)
			continue
		}
		kept = append(kept, d)
	}
	slices.SortFunc(kept, func(x, y rawDecl) int {
		return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), cmp.Compare(y.Span.End, x.Span.End), cmp.Compare(x.NameSpan.Start, y.NameSpan.Start))
	})
	decls := make([]Decl, 0, len(kept))
	type field struct {
		class int
		name  string
	}
	fields := map[field]bool{}
	var stack []int
	for _, d := range kept {
		for len(stack) > 0 && decls[stack[len(stack)-1]].Span.End <= d.Span.Start {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 {
			p := decls[stack[n-1]]
			if isCallable(p.Kind) && isValue(d.Kind) && !empty(p.Body) && d.Span.Start >= p.Body.Start {
				if d.Container != "" { // self.field = …: the first one declares it
					if t := typeAround(decls, stack[n-1]); t >= 0 && !fields[field{t, d.Name}] {
						fields[field{t, d.Name}] = true
						d.Container, d.Parent, d.Decl.Header = decls[t].Name, stack[n-1], d.Span
						d.Decl.Exported = b.row.exported(d.Name, "")
						decls = append(decls, d.Decl)
					}
					continue
				}
				b.locals = append(b.locals, Binding{Name: d.Name, Scope: d.NameSpan, Type: d.Type})
				b.localAt = append(b.localAt, d.NameSpan.Start)
				continue
			}
			d.Parent = stack[n-1]
			if t := typeAround(decls, d.Parent); t >= 0 && d.Kind == record.KindField && d.Parent != t {
				d.Container = decls[t].Name // a field declared by a parameter of the constructor
			}
		}
		d.Decl.Header = header(b.text, d.Decl)
		if d.Kind == record.KindFunction && d.Parent >= 0 && isType(decls[d.Parent].Kind) {
			d.Decl.Kind = record.KindMethod
		}
		d.Decl.Exported = b.row.exported(d.Name, b.slice(d.Header))
		d.Decl.Test = b.row.isTest != nil && b.row.isTest(d.Decl, b.slice(d.Header))
		stack = append(stack, len(decls))
		decls = append(decls, d.Decl)
	}
	b.attachBases(decls)
	b.attachComments(decls)
	return decls
}

// typeAround returns the innermost type that holds declaration i, or -1.
func typeAround(decls []Decl, i int) int {
	for ; i >= 0 && !isType(decls[i].Kind); i = decls[i].Parent {
	}
	return i
}

// keywordStart moves start back over the keywords that stand before it on its
// line: grammars leave them to a group around the declaration ("const", "type").
func keywordStart(text string, start int) int {
	i := start
	for i > 0 && (text[i-1] >= 'a' && text[i-1] <= 'z' || text[i-1] == ' ') {
		i--
	}
	if i > 0 && text[i-1] != '\n' && text[i-1] != '\t' {
		return start
	}
	for i < start && text[i] == ' ' {
		i++
	}
	return i
}

func mergeDecl(a, b rawDecl) rawDecl {
	if b.Span.End-b.Span.Start < a.Span.End-a.Span.Start {
		b.Span = a.Span
	}
	if empty(b.Body) {
		b.Body = a.Body
	}
	b.Type = cmp.Or(b.Type, a.Type)
	b.Container = cmp.Or(b.Container, a.Container)
	return b
}

func isCallable(k record.Kind) bool {
	return k == record.KindFunction || k == record.KindMethod || k == record.KindTest || k == record.KindMacro
}

func isValue(k record.Kind) bool {
	return k == record.KindVariable || k == record.KindConstant || k == record.KindField
}

func isType(k record.Kind) bool {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindType, record.KindImpl:
		return true
	}
	return false
}

// header returns the span from the first keyword to the body. A declaration
// without a body is its own header, up to maxHeaderLines lines.
func header(text string, d Decl) record.Span {
	h := d.Span
	if !empty(d.Body) && d.Body.Start > h.Start {
		h.End = d.Body.Start
	} else if i := nthLine(text[h.Start:h.End], maxHeaderLines); i >= 0 {
		h.End = h.Start + i
	}
	for h.End > h.Start && isBlank(text[h.End-1]) {
		h.End--
	}
	return h
}

// maxHeaderLines bounds the header of a declaration without a body.
const maxHeaderLines = 4

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

// attachBases gives each base type to the innermost declaration around it, and
// makes a reference of it.
func (b *builder) attachBases(decls []Decl) {
	for _, base := range b.bases {
		p := typePath(base.text)
		if p == "" {
			continue
		}
		if i := innermost(decls, base.span.Start); i >= 0 && !slices.Contains(decls[i].Bases, p) {
			decls[i].Bases = append(decls[i].Bases, p)
		}
		recv, name := splitPath(p)
		at := base.span
		if j := strings.LastIndex(base.text, name); j >= 0 {
			at = record.Span{Start: base.span.Start + j, End: base.span.Start + j + len(name)}
		}
		b.refs = append(b.refs, Ref{Name: name, Receiver: recv, Kind: record.EdgeExtends, Span: at, Decl: -1})
	}
}

// innermost returns the index of the last-starting declaration that holds offset, or -1.
func innermost(decls []Decl, offset int) int {
	i, _ := slices.BinarySearchFunc(decls, offset+1, func(d Decl, o int) int { return cmp.Compare(d.Span.Start, o) })
	for i--; i >= 0; i = decls[i].Parent {
		if offset < decls[i].Span.End {
			return i
		}
	}
	return -1
}

// attachComments extends each declaration over the comments and attributes right
// above it, and finds doc comments inside.
func (b *builder) attachComments(decls []Decl) {
	slices.SortFunc(b.comments, func(x, y record.Span) int { return cmp.Compare(x.Start, y.Start) })
	for i := range decls {
		d := &decls[i]
		floor := 0
		if d.Parent >= 0 {
			floor = decls[d.Parent].Header.Start + 1
		}
		start := d.Span.Start
		j, _ := slices.BinarySearchFunc(b.comments, start, func(c record.Span, o int) int { return cmp.Compare(c.Start, o) })
		for j--; j >= 0; j-- {
			c := b.comments[j]
			if c.Start < floor || c.End > start || !adjoins(b.text[c.End:start]) || !ownLine(b.text, c.Start) {
				break
			}
			start = c.Start
		}
		if start < d.Span.Start {
			d.Doc = record.Span{Start: start, End: d.Span.Start}
			for d.Doc.End > start && isBlank(b.text[d.Doc.End-1]) {
				d.Doc.End--
			}
			d.Span.Start = start
		}
	}
	for _, doc := range b.docs {
		if i := innermost(decls, doc.Start); i >= 0 && empty(decls[i].Doc) {
			decls[i].Doc = doc
		}
	}
	// Comments moved starts; outer still comes before inner, and parents were bounded
	// by floor, so the order holds.
}

// adjoins reports whether gap has no empty line and nothing but blanks.
func adjoins(gap string) bool {
	lines := 0
	for i := 0; i < len(gap); i++ {
		if !isBlank(gap[i]) {
			return false
		}
		if gap[i] == '\n' {
			lines++
		}
	}
	return lines <= 1
}

// ownLine reports whether nothing but blanks stands before offset on its line.
func ownLine(text string, offset int) bool {
	for i := offset - 1; i >= 0 && text[i] != '\n'; i-- {
		if !isBlank(text[i]) {
			return false
		}
	}
	return true
}

// settleLocals gives each local the span in which it is visible: the innermost
// scope or declaration around it.
func (b *builder) settleLocals(o *Outline) {
	if len(b.locals) == 0 {
		return
	}
	scopes := b.scopes
	for _, d := range o.Decls {
		scopes = append(scopes, d.Span)
	}
	slices.SortFunc(scopes, func(x, y record.Span) int { return cmp.Or(cmp.Compare(x.Start, y.Start), cmp.Compare(y.End, x.End)) })
	slices.SortFunc(b.locals, func(x, y Binding) int { return cmp.Compare(x.Scope.Start, y.Scope.Start) })
	var stack []record.Span
	next := 0
	for i := range b.locals {
		l := &b.locals[i]
		for ; next < len(scopes) && scopes[next].Start <= l.Scope.Start; next++ {
			stack = append(popped(stack, scopes[next].Start), scopes[next])
		}
		stack = popped(stack, l.Scope.Start)
		visible := record.Span{Start: l.Scope.Start, End: len(b.text)}
		if n := len(stack); n > 0 {
			visible.End = stack[n-1].End
			if b.row.hoisted {
				visible.Start = stack[n-1].Start
			}
		}
		if !b.row.hoisted && l.Scope.End > l.Scope.Start+len(l.Name) {
			visible.Start = l.Scope.End
		}
		l.Scope = visible
	}
	slices.SortStableFunc(b.locals, func(x, y Binding) int { return cmp.Compare(x.Scope.Start, y.Scope.Start) })
	o.Bindings = b.locals
}

func popped(stack []record.Span, offset int) []record.Span {
	for len(stack) > 0 && stack[len(stack)-1].End <= offset {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// settleRefs orders the references, keeps one for each place, drops the names that
// are being declared, and finds the declaration around each.
func (b *builder) settleRefs(o *Outline) {
	slices.SortFunc(b.refs, func(x, y Ref) int {
		return cmp.Or(cmp.Compare(x.Span.Start, y.Span.Start), cmp.Compare(weight(y), weight(x)))
	})
	declared := b.localAt
	for _, d := range o.Decls {
		declared = append(declared, d.NameSpan.Start)
	}
	slices.Sort(declared)
	kept := b.refs[:0]
	var stack []int
	nextDecl, nextName := 0, 0
	for _, r := range b.refs {
		at := r.Span.Start
		if n := len(kept); n > 0 && kept[n-1].Span.Start == at {
			if kept[n-1].Receiver == "" {
				kept[n-1].Receiver = r.Receiver
			}
			continue
		}
		for nextName < len(declared) && declared[nextName] < at {
			nextName++
		}
		if nextName < len(declared) && declared[nextName] == at {
			continue
		}
		for ; nextDecl < len(o.Decls) && o.Decls[nextDecl].Span.Start <= at; nextDecl++ {
			stack = append(stack, nextDecl)
			for n := len(stack); n > 1 && o.Decls[stack[n-2]].Span.End <= o.Decls[nextDecl].Span.Start; n = len(stack) {
				stack = append(stack[:n-2], nextDecl)
			}
		}
		for len(stack) > 0 && o.Decls[stack[len(stack)-1]].Span.End <= at {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 {
			r.Decl = stack[n-1]
		}
		kept = append(kept, r)
	}
	o.Refs = kept
}

// weight orders the readings of one place: what says more comes first.
func weight(r Ref) int {
	switch r.Kind {
	case record.EdgeExtends:
		return 5
	case record.EdgeCreates:
		return 4
	case record.EdgeCalls:
		return 3
	case record.EdgeType:
		return 2
	}
	return 1
}
