package languages

import (
	"cmp"
	"iter"
	pathpkg "path"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// Role is the role of a class in a framework; "" for none.
type Role string

// The roles.
const (
	RoleModel      = Role(record.KindModel)
	RoleController = Role(record.KindController)
	RoleMailer     = Role(record.KindMailer)
	RoleJob        = Role(record.KindJob)
	RoleService    = Role(record.KindService)
	RoleComponent  = Role(record.KindComponent)
	RoleGraphQL    = Role(record.KindGraphQL)
	RoleMixin      = Role(record.KindMixin)
	RoleAction     = Role(record.KindAction)
)

// Purpose is the purpose of a directive; "" is unknown.
type Purpose string

// The purposes.
const (
	PurposeAssociation Purpose = "associations"
	PurposeCallback    Purpose = "callbacks"
	PurposeValidation  Purpose = "validations"
	PurposeScope       Purpose = "scopes"
	PurposeField       Purpose = "fields"
	PurposeManager     Purpose = "managers"
	PurposeArgument    Purpose = "arguments"
	PurposeMixin       Purpose = "concerns"
	PurposeFilter      Purpose = "filters" // runs before or around the members of its class
	PurposeSkip        Purpose = "skips"   // a filter of a base does not run
	PurposePrivate     Purpose = "private" // the members below it are private
)

// Directive is a statement at the top of the body of a class with a role: a declaration
// to the framework.
type Directive struct {
	Decl    int         // index into Outline.Decls
	Span    record.Span // the call and the comments right above it
	Call    record.Span // the call alone
	Name    string      // the called method
	Purpose Purpose
	// Args are the plain arguments before the first argument that is not plain: names
	// without the marks of symbols and strings, and paths of types joined by ".". A path
	// from the top level starts with ".".
	Args []string
	// Only and Except are the members that the directive includes and excludes.
	Only, Except []string
	// Methods are the methods that the directive names, of the class or of a base of it.
	Methods []string
	// Target is the path of the associated class, spelled as in Args; "" for none or any.
	Target string
}

// covers reports whether a directive about the members of its class holds for one of them.
func (d *Directive) covers(member string) bool {
	return (len(d.Only) == 0 || slices.Contains(d.Only, member)) && !slices.Contains(d.Except, member)
}

// DirectivesOf yields the directives of declaration i in a span.
func (o *Outline) DirectivesOf(i int, span record.Span) iter.Seq[*Directive] {
	return func(yield func(*Directive) bool) {
		k, _ := slices.BinarySearchFunc(o.Directives, span.Start, func(d Directive, at int) int { return cmp.Compare(d.Span.Start, at) })
		for ; k < len(o.Directives) && o.Directives[k].Span.Start < span.End; k++ {
			if o.Directives[k].Decl == i && !yield(&o.Directives[k]) {
				return
			}
		}
	}
}

// maxLooked bounds the directives of a class that Filters examines.
const maxLooked = 200

// Filters returns the filters that run before and around a member of a class, and those that
// skip a filter of another class.
func (o *Outline) Filters(member *Decl) (filters []*Directive) {
	looked := 0
	for d := range o.DirectivesOf(member.Parent, o.Decls[member.Parent].Span) {
		if looked++; looked > maxLooked {
			break
		}
		switch {
		case !d.covers(member.Name):
		case d.Purpose == PurposeFilter:
			filters = append(filters, d)
		case d.Purpose == PurposeSkip:
			filters = skipped(filters, d)
		}
	}
	return filters
}

// skipped returns filters without those that a directive skips, and with the directive when it
// skips none of them.
func skipped(filters []*Directive, skip *Directive) (kept []*Directive) {
	named := func(name string) bool { return slices.Contains(skip.Args, name) }
	found := false
	for _, f := range filters {
		if slices.ContainsFunc(f.Args, named) {
			found = true
			rest := *f
			rest.Args, rest.Methods = slices.DeleteFunc(slices.Clone(f.Args), named), slices.DeleteFunc(slices.Clone(f.Methods), named)
			if f = &rest; len(f.Args) == 0 {
				continue
			}
		}
		kept = append(kept, f)
	}
	if !found {
		kept = append(kept, skip)
	}
	return kept
}

// PublicEnd returns the offset at which the public members of a class end.
func (o *Outline) PublicEnd(class int) int {
	span := o.Decls[class].Span
	for d := range o.DirectivesOf(class, span) {
		if d.Purpose == PurposePrivate {
			return d.Span.Start
		}
	}
	return span.End
}

// Table is a table of a database.
type Table struct {
	Name        string
	Span        record.Span
	Model       string   // the path of the class of its rows, by the rule of the framework
	Columns     []string // names with types, at most maxColumns
	Indexes     []string // columns joined by "+", at most maxColumns
	ForeignKeys []string // "column to table", at most maxColumns
}

// class is one way in which a framework recognizes a class, and the directives of such
// classes.
type class struct {
	role Role
	kind record.Kind
	// A declaration is such a class if it has one of these bases ("*" stands for any
	// start) or marks, or if its file lies below the directory, or is that file, and it has a
	// directive with a purpose.
	bases      []string
	marks      []string // decorators and annotations
	directory  string
	placed     bool     // the directory alone decides
	except     []string // bases of classes that only stand in the directory
	directives []directive
	wrapper    string // a call whose block has directives of the class
	// actions are the marks of the methods that answer requests or send mails; without any all
	// public methods do. Only classes with acts have actions.
	acts    bool
	actions []string
	helpers []string // public methods that are no actions
}

// directive gives calls with one of the names a purpose. "*" stands for any start or end.
type directive struct {
	names   string // separated by blanks
	purpose Purpose
}

// arguments are the name and the arguments of a directive.
type arguments struct {
	name         string
	from         int // the arguments stand behind this offset of the text
	plain        []string
	only, except []string
	methods      []string // the methods that run, or that decide whether the directive applies
	target       string   // the path of the associated class
}

// framework holds the rules of one framework.
type framework struct {
	classes []class // the first that fits decides
	// read reads the text of a directive.
	read    func(text string) arguments
	schemas []string // the files that describe a database; "*" stands for any start of a file name
	// tables reads the calls that make tables, of which text is the whole file.
	tables func(calls []string, text string) []Table
	// tableOf returns the path that Table.Model has for the table that the text of a class
	// names; "" when it names none.
	tableOf func(text string) string
	// routes reads the references of a file of routes, one of routeFiles, which are spelled as
	// schemas are, and the files of routes that it includes.
	routes     func(text string) ([]Ref, []routeImport)
	routeFiles []string
	// hooks reads what any file hands to the framework; nil for nothing.
	hooks func(path, text string) []Ref
	// actionViews returns the start of the names of the templates of the actions in a file, ""
	// for none; nil for a framework without templates.
	actionViews func(path string) string
	// permits returns the parameters that the text of a method permits; "" for none.
	permits func(text string) string
	// route returns the route of an action by the text in front of the names of its class and of
	// itself; "" when they do not tell.
	route func(class, action string) string
}

const (
	maxDirectiveBytes = 1 << 10 // longer arguments are cut off
	maxDirectiveArgs  = 32
	maxColumns        = 64
	maxHooks          = 4096 // of each kind, as routes are, in one file
)

// settleDirectives finds the roles of the declarations and their directives.
func (b *builder) settleDirectives(path record.Path, o *Outline) {
	f := b.row.framework
	if f == nil {
		return
	}
	if matchesFile(f.routeFiles, string(path)) {
		refs, imports := f.routes(b.text)
		b.refs = append(b.refs, refs...)
		for _, i := range imports {
			o.Imports = append(o.Imports, record.Import{Path: i.path, Line: b.line(i.at)})
		}
	}
	if f.hooks != nil {
		b.refs = append(b.refs, slices.DeleteFunc(f.hooks(string(path), b.text), func(r Ref) bool { return b.commented(r.Span.Start) })...)
	}
	if len(b.tables) > 0 && matchesFile(f.schemas, string(path)) {
		slices.SortFunc(b.tables, outerFirst)
		calls := make([]string, len(b.tables))
		for i, at := range b.tables {
			calls[i] = b.slice(at)
		}
		o.Tables = f.tables(calls, b.text)
	}
	if len(o.Decls) == 0 {
		return
	}
	known := make([]*class, len(o.Decls)) // the class of each declaration, or nil
	for i := range o.Decls {
		d := &o.Decls[i]
		nested := d.Parent >= 0 && o.Decls[d.Parent].Kind != record.KindModule
		if known[i] = f.classOf(d, string(path), b.hasMark); known[i] != nil && (known[i].placed && !nested || known[i].named(d, b.hasMark)) {
			d.Role = known[i].role
		}
		if d.Role == RoleModel && f.tableOf != nil {
			d.Table = f.tableOf(b.slice(d.Body))
		}
	}
	slices.SortFunc(b.directives, outerFirst)
	floor := 0
	for _, call := range b.directives {
		i := innermost(o.Decls, call.Start)
		if i >= 0 && isValue(o.Decls[i].Kind) { // the field that the directive declares
			i = o.Decls[i].Parent
		}
		if i < 0 || known[i] == nil || call.Start < floor {
			continue // also skips calls inside the block of a directive
		}
		given := f.read(b.text[call.Start:min(call.End, call.Start+maxDirectiveBytes)])
		d := Directive{Decl: i, Call: call, Name: given.name, Purpose: known[i].purpose(given.name)}
		if d.Name == known[i].wrapper {
			continue
		}
		if d.Purpose == PurposePrivate && call.End > call.Start+len(d.Name) {
			d.Purpose = "" // only the named members are private
		}
		if d.Purpose != "" && d.Purpose != PurposeMixin && d.Purpose != PurposePrivate {
			o.Decls[i].Role = known[i].role
		}
		d.Args, d.Only, d.Except, d.Methods = given.plain, given.only, given.except, given.methods
		b.callMethods(&d)
		if d.Purpose == PurposeAssociation {
			d.Target = given.target
			b.associate(&d, given.from)
		}
		d.Span = record.Span{Start: b.commentStart(call.Start, max(floor, o.Decls[i].Header.End)), End: call.End}
		floor = call.End
		o.Directives = append(o.Directives, d)
	}
	o.Directives = slices.DeleteFunc(o.Directives, func(d Directive) bool { return o.Decls[d.Decl].Role == "" })
	b.settleActions(o, known)
	if f.actionViews != nil {
		b.renderActions(f.actionViews(string(path)), o)
	}
}

// matchesFile reports whether a path ends with one of files; "*" stands for any start of a file
// name.
func matchesFile(files []string, path string) bool {
	return slices.ContainsFunc(files, func(s string) bool {
		dir, name := pathpkg.Split(s)
		at, base := pathpkg.Split(path)
		end, any := strings.CutPrefix(name, "*")
		return (at == dir || strings.HasSuffix(at, "/"+dir)) && (base == name || any && strings.HasSuffix(base, end))
	})
}

// below returns the part of a path behind the first directory of a name.
func below(path, directory string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(path, directory); ok {
		return rest, true
	}
	_, rest, ok = strings.Cut(path, "/"+directory)
	return rest, ok
}

// associate adds a reference to the associated class, at the argument that names the
// association, which stands behind an offset of the directive.
func (b *builder) associate(d *Directive, from int) {
	if d.Target == "" || len(d.Args) == 0 {
		return
	}
	at := d.Call.Start + from
	i := strings.Index(b.text[at:d.Call.End], d.Args[0])
	if i < 0 {
		return // the text spells the argument in another way
	}
	at += i
	receiver, name := CutLast(strings.TrimPrefix(d.Target, "."))
	b.refs = append(b.refs, Ref{Name: name, Receiver: receiver, Kind: record.EdgeAssociates, Span: record.Span{Start: at, End: at + len(d.Args[0])}, Decl: -1})
}

// callMethods adds a call of each method that a directive names, at its name.
func (b *builder) callMethods(d *Directive) {
	at := d.Call.Start + len(d.Name)
	for _, name := range d.Methods {
		i := strings.Index(b.text[at:d.Call.End], name)
		if i < 0 {
			continue // the text spells the name in another way
		}
		at += i
		b.refs = append(b.refs, Ref{Name: name, Receiver: "self", Kind: record.EdgeCalls, Span: record.Span{Start: at, End: at + len(name)}, Decl: -1})
		at += len(name)
	}
}

// classOf returns the class of the framework that fits a declaration, nil for none.
func (f *framework) classOf(d *Decl, path string, hasMark func(*Decl, []string) bool) *class {
	for i := range f.classes {
		if c := &f.classes[i]; c.kind == d.Kind && c.named(d, hasMark) {
			return c
		}
	}
	for i := range f.classes {
		c := &f.classes[i]
		if c.kind != d.Kind || c.directory == "" || hasBase(d, c.except) {
			continue
		}
		if _, ok := below(path, c.directory); ok {
			return c
		}
	}
	return nil
}

// named reports whether a base or a mark of the declaration makes it such a class.
func (c *class) named(d *Decl, hasMark func(*Decl, []string) bool) bool {
	return hasBase(d, c.bases) || hasMark(d, c.marks)
}

// hasBase reports whether a declaration has one of bases, spelled as in class.
func hasBase(d *Decl, bases []string) bool {
	return slices.ContainsFunc(d.Bases, func(base string) bool {
		return slices.ContainsFunc(bases, func(p string) bool {
			end, any := strings.CutPrefix(p, "*")
			return base == p || any && strings.HasSuffix(base, end)
		})
	})
}

// purpose returns the purpose of calls of name, by the first directive that fits.
func (c *class) purpose(name string) Purpose {
	for _, d := range c.directives {
		for n := range strings.FieldsSeq(d.names) {
			start, before := strings.CutSuffix(n, "*")
			end, behind := strings.CutPrefix(n, "*")
			if n == name || before && strings.HasPrefix(name, start) || behind && strings.HasSuffix(name, end) {
				return d.purpose
			}
		}
	}
	return ""
}
