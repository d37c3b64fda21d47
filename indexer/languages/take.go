package languages

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"ambit/vectors/record"
)

// take turns a match into declarations, references, imports and types of locals.
func (b *builder) take(m *matched) {
	if m.isDef && !empty(m.at[roleName]) {
		if m.kind == record.KindInterface && strings.HasPrefix(b.slice(m.at[roleBody]), goInterface) {
			m.at[roleBody].Start += len(goInterface) // the word belongs to the header
		}
		if end := m.at[roleDef].End; b.row.data && end < len(b.text) && b.text[end] == ',' {
			m.at[roleDef].End++ // the separator belongs to what it ends
		}
		b.decls = append(b.decls, rawDecl{pattern: m.pattern})
		d := &b.decls[len(b.decls)-1].Decl // a variable of its own would be allocated for fixDecl
		*d = Decl{Name: nameOf(b.slice(m.at[roleName])), Kind: m.kind, Parent: -1, Span: m.at[roleDef], Body: m.at[roleBody], NameSpan: m.at[roleName], Type: b.typeOf(m)}
		if b.row.sigil != "" {
			d.Name = strings.TrimPrefix(d.Name, b.row.sigil)
		}
		if !empty(m.at[roleContainer]) {
			d.Container = b.containerPath(withoutArguments(b.slice(m.at[roleContainer])))
		}
		if b.row.fixDecl != nil {
			b.row.fixDecl(d, b.text)
		}
		if d.Name == "" {
			b.decls = b.decls[:len(b.decls)-1]
		}
	}
	if m.edge != "" {
		b.reference(m)
	}
	if !empty(m.at[roleImportPath]) || !empty(m.at[roleImportName]) || !empty(m.at[roleImportAlias]) && m.edge == "" {
		b.imported(m)
	}
	switch narrow := m.at[roleNarrow]; {
	case empty(narrow):
	case !empty(m.at[roleWithin]):
		b.narrowed = append(b.narrowed, Binding{Name: b.slice(narrow), At: m.at[roleWithin].Start, Scope: m.at[roleWithin], Type: b.typeOf(m)})
	default:
		b.bounds = append(b.bounds, Binding{Name: b.slice(narrow), At: narrow.Start, Type: b.typeOf(m)})
	}
	if m.locals > 0 {
		t := b.typeOf(m)
		for i := len(b.locals) - m.locals; i < len(b.locals); i++ {
			l := &b.locals[i]
			l.Type, l.written = t, t != "" && !empty(m.at[roleType])
			l.Passed = b.passed(m, l)
			if b.row.overloads && !empty(m.at[roleType]) && b.slice(m.at[roleType]) != "var" {
				l.Written = b.written(m.at[roleType], l.Scope.Start+len(l.Name))
			}
			if !b.row.hoisted && !empty(m.at[roleValue]) && m.at[roleValue].Start > l.Scope.Start {
				l.Scope.End = m.at[roleValue].End // the name is visible after its own value
			}
		}
	}
}

// containerPath reads the type whose member a declaration is. In C++ the arguments of a
// template are no part of it: the container of `List<T>::Node` is List.
func (b *builder) containerPath(s string) string {
	if b.row.preprocessed {
		if p := pathOf(s); p != unknown {
			return p
		}
	}
	return typePath(s)
}

// withoutArguments cuts the type arguments off the end of a written type.
func withoutArguments(s string) string {
	if i := strings.IndexByte(s, '<'); i > 0 && strings.HasSuffix(strings.TrimRight(s, "?"), ">") {
		return s[:i]
	}
	return s
}

// goInterface starts the body of an interface in Go's grammar.
const goInterface = "interface"

// typeOf returns the path of the written type of a match, else of its value.
func (b *builder) typeOf(m *matched) string {
	switch {
	case !empty(m.at[roleOwner]): // the name is a member of owner: const {name} = owner
		name := m.at[roleName]
		switch {
		case !empty(m.at[roleKey]):
			name = m.at[roleKey]
		case m.locals > 0:
			name = b.locals[len(b.locals)-1].Scope
		}
		if p := b.ownerPath(m); p != unknown && p != "" && p != Builtin {
			return p + "." + b.slice(name)
		}
		return ""
	case !empty(m.at[roleType]):
		if s := b.slice(m.at[roleType]); s != "var" && s != "auto" || empty(m.at[roleValue]) {
			return b.row.typePath(s)
		}
	}
	if empty(m.at[roleValue]) {
		return ""
	}
	p := b.row.valuePath(b.slice(m.at[roleValue]))
	switch {
	case p == unknown:
		return ""
	case m.nth > 0 && p != Builtin:
		return p + "[" + string('0'+rune(m.nth)) + "]"
	}
	return p
}

// ownerPath reads the type or value whose member a pattern destructures.
func (b *builder) ownerPath(m *matched) string {
	s := b.slice(m.at[roleOwner])
	if t, ok := strings.CutPrefix(s, ":"); ok {
		return b.row.typePath(t)
	}
	return b.row.path(s)
}

// reference adds a use of a name.
func (b *builder) reference(m *matched) {
	at := m.at[roleRef]
	if !empty(m.at[roleRecv]) && m.at[roleRecv].Start < at.Start {
		at.Start = m.at[roleRecv].Start
	}
	r := Ref{Kind: m.edge, Span: m.at[roleRef], Decl: -1}
	if !empty(m.at[roleArguments]) {
		r.Arguments = b.arguments()
	}
	if b.row.fixRef != nil {
		r.Span.End = b.row.fixRef(b.text, r.Span.Start, r.Span.End)
	}
	if b.row.whole || m.usesImport() {
		r.Name = b.slice(r.Span)
		switch {
		case !empty(m.at[roleRecv]):
			r.Receiver = b.row.path(b.slice(m.at[roleRecv]))
		case m.member:
			r.Receiver = unknown
		}
		b.refs = append(b.refs, r)
		return
	}
	s := b.slice(at)
	if b.row.preprocessed && strings.HasSuffix(s, ">") {
		s = s[:templateStart(s)]
		r.Span.End = at.Start + len(s)
	}
	mark := ""
	if n := len(s) - 1; b.row.marked && n > 0 && (s[n] == '?' || s[n] == '!') {
		s, mark = s[:n], s[n:]
	}
	if n := plainName(s); n == len(s) {
		r.Name = s
		switch {
		case m.member && !empty(m.at[roleValue]):
			if p := b.row.path(b.slice(m.at[roleValue])); p != unknown && p != Builtin {
				r.Receiver = ValueArgument + p
			}
		case m.member && !empty(m.at[roleOwner]):
			r.Receiver = cmp.Or(b.row.typePath(b.slice(m.at[roleOwner])), unknown)
		case m.member:
			r.Receiver = unknown
		case m.token:
			b.readToken(&r)
		}
	} else {
		// The name is the last run of name bytes; the text before it is the receiver.
		i := len(s)
		for i > 0 && isNameByte(s[i-1]) {
			i--
		}
		r.Name, r.Span.Start = s[i:], r.Span.End-len(mark)-(len(s)-i)
		r.Receiver = unknown
		if recv, ok := trimSeparator(s[:i]); ok {
			r.Receiver = b.row.path(recv)
		}
	}
	if r.Name != "" {
		r.Name += mark
		b.refs = append(b.refs, r)
	}
}

// templateStart returns the start of the arguments of a template that s ends with, len(s) when
// there are none.
func templateStart(s string) int {
	depth := 0
	for i := len(s) - 1; i > 0; i-- {
		switch s[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return len(trimBlanks(s[:i]))
			}
		}
	}
	return len(s)
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
	s = trimBlanks(s)
	for _, sep := range []string{"?.", "->", "::", "&.", ".", "\\"} {
		if t, ok := strings.CutSuffix(s, sep); ok {
			return strings.TrimSuffix(trimBlanks(t), "!"), true
		}
	}
	return s, false
}

func trimBlanks(s string) string {
	for len(s) > 0 && isBlank(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

// usesImport reports whether the match is an import and at once the use of what it imports, for which
// the path of the module then stands.
func (m *matched) usesImport() bool {
	return !empty(m.at[roleImportAlias]) && m.at[roleRef] == m.at[roleImportAlias]
}

func (b *builder) imported(m *matched) {
	i := record.Import{Line: b.line(max(m.at[roleImportPath].Start, m.at[roleImportName].Start)), Exported: m.export}
	if !empty(m.at[roleImportPath]) {
		i.Path = unquote(b.slice(m.at[roleImportPath]))
	}
	if !empty(m.at[roleImportName]) {
		i.Name = b.slice(m.at[roleImportName])
		i.Local = i.Name
		b.importAt = append(b.importAt, m.at[roleImportName].Start)
	}
	if m.all {
		i.Name = "*"
	}
	if !empty(m.at[roleImportAlias]) {
		i.Local = b.slice(m.at[roleImportAlias])
		if !m.usesImport() {
			b.importAt = append(b.importAt, m.at[roleImportAlias].Start)
		}
	}
	if m.byDefault {
		i.Name = "default"
	}
	bare := (i.Name == "" || m.all) && i.Local == ""
	if bare && !empty(m.at[roleImportPath]) && m.at[roleImportPath] == b.importPath {
		return // a more specific pattern has read the same import
	}
	b.importPath = m.at[roleImportPath]
	if b.row.fixImport != nil {
		i = b.row.fixImport(i)
	}
	b.imports = append(b.imports, i)
	if !empty(m.at[roleImportPath]) && i.Path != "" && !m.usesImport() {
		name := i.Path
		if empty(m.at[roleImportName]) && i.Name != "" && i.Name != "*" && !m.byDefault { // the last name of the path
			name = i.Name
		}
		b.refs = append(b.refs, Ref{Name: name, Kind: record.EdgeImports, Span: m.at[roleImportPath], Decl: -1})
	}
}

// nameOf returns a declared name without quotes, with single blanks, of bounded length.
func nameOf(s string) string {
	if plainName(s) == len(s) {
		return s
	}
	const maxName = 120 // a test case can have a sentence as its name
	s = s[:min(len(s), 2*maxName)]
	s = strings.Join(strings.Fields(strings.Trim(strings.TrimPrefix(s, ":"), "\"'`")), " ")
	if len(s) > maxName {
		s = s[:maxName]
		for len(s) > 0 && !utf8.ValidString(s[len(s)-1:]) {
			s = s[:len(s)-1]
		}
	}
	return s
}

func unquote(s string) string { return strings.Trim(s, "\"'`<> \t\r\n") }
