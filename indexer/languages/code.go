package languages

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"ambit/vectors/record"
)

// parseCode runs the grammar and the query of a row over content. It returns
// false when the grammar gives up; the caller then reads the file as text.
func (r *row) parseCode(path record.Path, content []byte) (Outline, bool) {
	b, readable, ok := r.read(content)
	if b != nil {
		defer b.giveBack()
	}
	if !ok {
		return Outline{}, false
	}
	if r.preprocessed {
		b.macros(content, readable)
		giveBackMask(readable, content)
	}
	if r.component {
		b.componentTags()
	}
	if len(b.embedded) > 0 {
		b.readEmbedded(content)
	}
	if r.unitName != nil {
		b.declarePage(r.unitName(string(path)))
	}
	o := b.outline(path)
	o.Path, o.Content, o.Language, o.Partial = path, content, r.name, b.partial
	if r.component {
		o.nameComponent()
	}
	if r.packageOf != nil {
		o.Package = r.packageOf(string(path))
	}
	return o, true
}

// read collects the captures of a file, which it reads as readable. It returns false when it
// can read nothing.
func (r *row) read(content []byte) (b *builder, readable []byte, ok bool) {
	c := r.compiled()
	if c == nil {
		return nil, nil, false
	}
	b = &builder{row: r, text: textOf(content), work: workOf(content)}
	b.borrow()
	readable = content
	if r.insertions != nil {
		readable = b.takeOut(r.insertions(content), readable)
	}
	if r.prepare != nil {
		readable = r.prepare(readable)
	}
	rec := recovery{c: c, b: b, text: readable}
	return b, readable, rec.read() || len(content) == 0
}

// workOf returns the work that the parses of a file may do.
func workOf(content []byte) int64 { return workPerFile + workPerByte*int64(len(content)) }

// scan parses a source and calls fn with its nodes. It returns false when the work of the
// file does not suffice.
func (b *builder) scan(c *compiled, source []byte, fn func([]node)) bool {
	return c.parser(len(source)).scan(source, c.wanted, &b.work, fn)
}

// matches adds the matches of the query in one tree whose captures lie in a span.
func (b *builder) matches(c *compiled, nodes []node, in record.Span) {
	b.decls = slices.Grow(b.decls, len(nodes)/256)
	b.refs = slices.Grow(b.refs, len(nodes)/8)
	cutTo := uint32(0)
	outside := func(f capture) bool { return int(f.start) < in.Start || int(f.end) > in.End }
	c.match(nodes, func(p *pattern, found []capture) {
		if slices.ContainsFunc(found, outside) || len(p.checks) > 0 && !holds(p.checks, b.text, found) {
			return
		}
		for _, f := range found {
			if c.roles[f.index].what == roleArguments {
				b.args = argumentSpans(nodes, f.node, b.args[:0])
			}
		}
		b.match(p.number, c.roles, found)
		for _, f := range found {
			// The breaks of a body include those of the bodies inside it.
			if f.index == c.body && f.end-f.start > breaksBytes && f.end > cutTo {
				b.breaks = breaks(nodes, f.node, b.breaks)
				cutTo = f.end
			}
		}
	})
}

// empty returns a builder of the same file that has found nothing.
func (b *builder) empty() *builder { return &builder{row: b.row, text: b.text} }

// units returns how many declarations other than values have been found outside of losses.
func (b *builder) units(losses []loss) int {
	at := make([]int, 0, len(b.decls))
	for i := range b.decls {
		name := b.decls[i].NameSpan.Start
		lost := func(l loss) bool { return !l.kept && l.span.Start <= name && name < l.span.End }
		if !isValue(b.decls[i].Kind) && !slices.ContainsFunc(losses, lost) {
			at = append(at, name)
		}
	}
	slices.Sort(at)
	return len(slices.Compact(at))
}

// add adds what another builder of the same file has found.
func (b *builder) add(o *builder) {
	b.decls = append(b.decls, o.decls...)
	b.refs = append(b.refs, o.refs...)
	b.imports = append(b.imports, o.imports...)
	b.locals = append(b.locals, o.locals...)
	b.narrowed = append(b.narrowed, o.narrowed...)
	b.bounds = append(b.bounds, o.bounds...)
	b.localAt = append(b.localAt, o.localAt...)
	b.importAt = append(b.importAt, o.importAt...)
	b.packageAt = append(b.packageAt, o.packageAt...)
	b.scopes = append(b.scopes, o.scopes...)
	b.closures = append(b.closures, o.closures...)
	b.bases = append(b.bases, o.bases...)
	b.results = append(b.results, o.results...)
	b.docs = append(b.docs, o.docs...)
	b.comments = append(b.comments, o.comments...)
	b.directives = append(b.directives, o.directives...)
	b.tables = append(b.tables, o.tables...)
	b.breaks = append(b.breaks, o.breaks...)
	b.embedded = append(b.embedded, o.embedded...)
	b.pkg = cmp.Or(b.pkg, o.pkg)
	b.broken += o.broken
}

// builder collects the captures of one file.
type builder struct {
	row        *row
	text       string
	work       int64 // that parses may still do
	decls      []rawDecl
	refs       []Ref
	imports    []record.Import
	locals     []local
	narrowed   []Binding
	bounds     []Binding     // the bounds of type parameters, which stand behind their names
	localAt    []int         // offsets of the names of locals
	importAt   []int         // offsets of the local names of imports
	importPath record.Span   // of the last import
	packageAt  []record.Span // the names of the package
	scopes     []record.Span
	closures   []record.Span // the scopes that are functions
	bases      []base
	results    []record.Span // expressions that functions return
	docs       []record.Span
	comments   []record.Span
	directives []record.Span
	tables     []record.Span
	breaks     []int
	embedded   []embedded    // parts of a page in other languages
	initArgs   []record.Span // the arguments of variables that the grammar reads as parameters, by start
	args       []record.Span // of the call of the current match
	pkg        string
	broken     int
	partial    string

	lineAt, lineNo int // the last offset passed to line, and its line
}

// lists is the memory for the captures of a file that its outline copies. Files borrow it one
// after the other: in a tree of C it was a third of all memory that a cold index allocated, and
// touching new memory took 4 % of the CPU time.
type lists struct {
	decls  []rawDecl
	refs   []Ref
	locals []local
}

var spareLists = sync.Pool{New: func() any { return new(lists) }}

// The bounds of the lists that are kept: references are those of files of up to 500 KB, and a
// declaration takes three times as much memory.
const (
	maxSpareRefs  = 1 << 16
	maxSpareDecls = 1 << 15
)

func (b *builder) borrow() {
	l := spareLists.Get().(*lists)
	b.decls, b.refs, b.locals = l.decls, l.refs, l.locals
}

// giveBack ends the use of what the builder has borrowed. Nothing of the file stays in it.
func (b *builder) giveBack() {
	if cap(b.refs) > maxSpareRefs {
		return
	}
	clear(b.decls)
	clear(b.refs)
	clear(b.locals)
	spareLists.Put(&lists{b.decls[:0], b.refs[:0], b.locals[:0]})
}

// spareOutlines has the memory of outlines that were released, as *Outline.
var spareOutlines sync.Pool

// spare returns lists without elements for the declarations and the references of an outline,
// with the memory of one that was released.
func spare() (decls []Decl, refs []Ref) {
	if o, ok := spareOutlines.Get().(*Outline); ok {
		return o.Decls, o.Refs
	}
	return nil, nil
}

// Release gives the memory of the declarations and the references to outlines of other files.
// The caller must not use them afterwards, nor a pointer to one of them; their strings stay.
// An outline need not be released: in a tree of C its lists were a seventh of all memory that a
// cold index allocated.
func (o *Outline) Release() {
	if cap(o.Refs) <= maxSpareRefs && cap(o.Decls) <= maxSpareDecls && len(o.Refs)+len(o.Decls) > 0 {
		clear(o.Decls)
		clear(o.Refs)
		spareOutlines.Put(&Outline{Decls: o.Decls[:0], Refs: o.Refs[:0]})
	}
	o.Decls, o.Refs = nil, nil
}

// local is a local name before its scope is known: Scope is the span of the name.
type local struct {
	Binding
	written bool // the type is written, not taken from a value
	field   bool // the name also declares a field
}

// base is a type that a declaration extends. A gathered base is a value whose members
// become members of the declaration: `{...schemas}`.
type base struct {
	span     record.Span
	gathered bool
}

// matched is one match. The span of an absent role is empty.
type matched struct {
	pattern            uint16
	at                 [nMatchRoles]record.Span // by role
	kind               record.Kind
	edge               record.EdgeKind
	isDef, all, export bool
	member, byDefault  bool
	token              bool  // see role.token
	nth                uint8 // the index of the value in a list of values
	locals             int
}

// match reads the captures of one match.
func (b *builder) match(number uint16, roles []role, captures []capture) {
	m := matched{pattern: number}
	for _, c := range captures {
		r, at := roles[c.index], record.Span{Start: int(c.start), End: int(c.end)}
		if r.what < nMatchRoles {
			m.at[r.what] = at
		}
		switch r.what {
		case roleDef:
			m.kind, m.isDef = r.kind, true
		case roleValue:
			m.nth = r.nth
		case roleRef:
			m.edge, m.member, m.token = r.edge, r.member, r.token
		case roleLocal:
			n := len(b.locals)
			b.addLocal(Binding{Name: b.slice(at), Scope: at})
			m.locals += len(b.locals) - n
		case roleImportDefault:
			m.at[roleImportAlias], m.byDefault = at, true
		case roleImportAll:
			m.all = true
		case roleExport:
			m.export = true
		default:
			b.alone(r.what, at)
		}
	}
	b.take(&m)
}

// alone reads a capture whose meaning does not depend on the rest of the match.
func (b *builder) alone(what roleKind, at record.Span) {
	switch what {
	case roleScope:
		b.scopes = append(b.scopes, at)
	case roleClosure:
		b.scopes = append(b.scopes, at)
		b.closures = append(b.closures, at)
	case roleBase:
		b.bases = append(b.bases, base{span: at})
	case roleSpread:
		b.bases = append(b.bases, base{span: at, gathered: true})
	case roleSkip:
		b.localAt = append(b.localAt, at.Start)
	case roleResult:
		b.results = append(b.results, at)
	case roleImportTree:
		tree := useTree
		if b.row.importTree != nil {
			tree = b.row.importTree
		}
		b.imports = append(b.imports, tree(b.slice(at), b.line(at.Start))...)
	case rolePackage:
		pkg := packageSeparators.Replace(b.slice(at))
		if b.row.packagesNest && b.pkg != "" {
			pkg = b.pkg + "." + pkg
		}
		b.pkg = pkg
		b.packageAt = append(b.packageAt, at)
	case roleComment:
		b.comments = append(b.comments, at)
	case roleDoc:
		b.docs = append(b.docs, at)
	case roleDirective:
		b.directives = append(b.directives, at)
	case roleScript, roleTemplate, roleStyle:
		b.embedded = append(b.embedded, embedded{at, what})
	case roleTable:
		b.tables = append(b.tables, at)
	case roleError:
		b.broken++
	}
}

// packageSeparators replaces what languages write between the names of a package.
var packageSeparators = strings.NewReplacer("::", ".", `\`, ".", "`", "", " ", "", "\n", "")

func (b *builder) slice(s record.Span) string { return b.text[s.Start:s.End] }

func empty(s record.Span) bool { return s.End <= s.Start }

func (b *builder) addLocal(l Binding) {
	if l.Name == "" { // a name that the grammar misses
		return
	}
	if l.Name == "_" && !b.row.hoisted { // discards the value
		b.localAt = append(b.localAt, l.Scope.Start)
		return
	}
	b.localAt = append(b.localAt, l.Scope.Start)
	b.locals = append(b.locals, local{Binding: l})
}

// line returns the 1-based line of an offset. It counts from the last offset on, so
// ascending offsets cost one pass over the text.
func (b *builder) line(offset int) int {
	if offset < b.lineAt || b.lineNo == 0 {
		b.lineAt, b.lineNo = 0, 1
	}
	b.lineNo += strings.Count(b.text[b.lineAt:offset], "\n")
	b.lineAt = offset
	return b.lineNo
}
