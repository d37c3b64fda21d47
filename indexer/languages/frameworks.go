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
	RoleMixin      = Role(record.KindMixin)
)

// Purpose is the purpose of a directive; "" is unknown.
type Purpose string

// The purposes.
const (
	PurposeAssociation Purpose = "associations"
	PurposeCallback    Purpose = "callbacks"
	PurposeValidation  Purpose = "validations"
	PurposeScope       Purpose = "scopes"
	PurposeMixin       Purpose = "concerns"
	PurposeFilter      Purpose = "filters" // runs before or around the members of its class
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

// Filters returns the filters that run before and around a member of a class.
func (o *Outline) Filters(member *Decl) (filters []*Directive) {
	looked := 0
	for d := range o.DirectivesOf(member.Parent, o.Decls[member.Parent].Span) {
		if looked++; looked > maxLooked {
			break
		}
		if d.Purpose == PurposeFilter && d.covers(member.Name) {
			filters = append(filters, d)
		}
	}
	return filters
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
	// start), or if its file lies below the directory and it has a directive with a purpose.
	bases      []string
	directory  string
	placed     bool     // the directory alone decides
	except     []string // bases of classes that only stand in the directory
	directives []directive
	wrapper    string // a call whose block has directives of the class
}

// directive gives calls with one of the names a purpose. A name that ends in "*" is a
// prefix.
type directive struct {
	names   string // separated by blanks
	purpose Purpose
}

// arguments are the arguments of a directive.
type arguments struct {
	plain        []string
	only, except []string
	methods      []string // the methods that run, or that decide whether the directive applies
	target       string   // the path of the associated class
}

// framework holds the rules of one framework.
type framework struct {
	classes   []class // the first that fits decides
	arguments func(name, text string) arguments
	schemas   []string // the files that describe a database; "*" stands for any start of a file name
	// tables reads the calls that make tables, of which text is the whole file.
	tables func(calls []string, text string) []Table
	// tableOf returns the path that Table.Model has for the table that the text of a class
	// names; "" when it names none.
	tableOf func(text string) string
	// routes reads the references of a file of routes, one of routeFiles, which are spelled as
	// schemas are.
	routes     func(text string) []Ref
	routeFiles []string
}

const (
	maxDirectiveBytes = 1 << 10 // longer arguments are cut off
	maxDirectiveArgs  = 32
	maxColumns        = 64
)

// settleDirectives finds the roles of the declarations and their directives.
func (b *builder) settleDirectives(path record.Path, o *Outline) {
	f := b.row.framework
	if f == nil {
		return
	}
	if matchesFile(f.routeFiles, string(path)) {
		b.refs = append(b.refs, f.routes(b.text)...)
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
		if known[i] = f.classOf(d, string(path)); known[i] != nil && (known[i].placed && !nested || known[i].byBase(d)) {
			d.Role = known[i].role
		}
		if d.Role == RoleModel {
			d.Table = f.tableOf(b.slice(d.Body))
		}
	}
	slices.SortFunc(b.directives, outerFirst)
	floor := 0
	for _, call := range b.directives {
		i := innermost(o.Decls, call.Start)
		if i < 0 || known[i] == nil || call.Start < floor {
			continue // also skips calls inside the block of a directive
		}
		d := Directive{Decl: i, Call: call, Name: b.text[call.Start : call.Start+plainName(b.text[call.Start:call.End])]}
		d.Purpose = known[i].purpose(d.Name)
		if d.Name == known[i].wrapper {
			continue
		}
		if d.Purpose == PurposePrivate && call.End > call.Start+len(d.Name) {
			d.Purpose = "" // only the named members are private
		}
		if d.Purpose != "" && d.Purpose != PurposeMixin && d.Purpose != PurposePrivate {
			o.Decls[i].Role = known[i].role
		}
		given := f.arguments(d.Name, b.text[call.Start+len(d.Name):min(call.End, call.Start+maxDirectiveBytes)])
		d.Args, d.Only, d.Except, d.Methods = given.plain, given.only, given.except, given.methods
		b.callMethods(&d)
		if d.Purpose == PurposeAssociation {
			d.Target = given.target
			b.associate(&d)
		}
		d.Span = record.Span{Start: b.commentStart(call.Start, max(floor, o.Decls[i].Header.End)), End: call.End}
		floor = call.End
		o.Directives = append(o.Directives, d)
	}
	o.Directives = slices.DeleteFunc(o.Directives, func(d Directive) bool { return o.Decls[d.Decl].Role == "" })
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

// associate adds a reference to the associated class, at the argument that names it.
func (b *builder) associate(d *Directive) {
	if d.Target == "" {
		return
	}
	at := d.Call.Start + len(d.Name)
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
func (f *framework) classOf(d *Decl, path string) *class {
	for i := range f.classes {
		c := &f.classes[i]
		if c.kind == d.Kind && c.byBase(d) {
			return c
		}
	}
	for i := range f.classes {
		c := &f.classes[i]
		if c.kind == d.Kind && c.directory != "" && !hasBase(d, c.except) && (strings.HasPrefix(path, c.directory) || strings.Contains(path, "/"+c.directory)) {
			return c
		}
	}
	return nil
}

// byBase reports whether a base of the declaration makes it such a class.
func (c *class) byBase(d *Decl) bool { return hasBase(d, c.bases) }

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
			if start, any := strings.CutSuffix(n, "*"); n == name || any && strings.HasPrefix(name, start) {
				return d.purpose
			}
		}
	}
	return ""
}

// rails has the classes of Ruby on Rails.
//
// Source: the Rails guides on Active Record, Action Controller and Action Mailer.
var rails = &framework{
	classes: []class{
		{role: RoleModel, kind: record.KindClass, bases: []string{"ApplicationRecord", "ActiveRecord.Base"}, directory: "app/models/", directives: railsModel},
		{role: RoleMailer, kind: record.KindClass, bases: []string{"*Mailer", "ActionMailer.Base"}, directory: "app/mailers/", directives: railsFilters},
		{role: RoleController, kind: record.KindClass, bases: []string{"*Controller", "ActionController.Base", "ActionController.API"}, directory: "app/controllers/", directives: railsFilters},
		{role: RoleJob, kind: record.KindClass, bases: []string{"*Job", "*Worker", "ActiveJob.Base"}, directory: "app/jobs/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleJob, kind: record.KindClass, directory: "app/workers/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleService, kind: record.KindClass, bases: []string{"*Service"}, directory: "app/services/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleComponent, kind: record.KindClass, bases: []string{"*Component", "ViewComponent.Base"}, directory: "app/components/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleMixin, kind: record.KindModule, bases: []string{"ActiveSupport.Concern"}, directory: "concerns/", placed: true, directives: railsModel[:4], wrapper: "included"},
	},
	arguments: rubyArguments,
	schemas:   []string{"db/schema.rb", "db/*_schema.rb"},
	tables:    rubyTables,
	tableOf:   rubyTableOf,
	routes:    rubyRoutes, routeFiles: []string{"config/routes.rb", "config/routes/*.rb"},
}

// errorClasses are the bases of classes of errors.
var errorClasses = []string{"*Error", "*Exception"}

var railsModel = []directive{
	{"belongs_to has_one has_many has_and_belongs_to_many has_one_attached has_many_attached has_rich_text delegated_type composed_of accepts_nested_attributes_for", PurposeAssociation},
	{"before_* after_* around_* skip_callback set_callback", PurposeCallback},
	{"validates validate validates_*", PurposeValidation},
	{"scope default_scope", PurposeScope},
	{"include extend prepend", PurposeMixin},
	{"private protected", PurposePrivate},
}

var railsFilters = []directive{
	{"before_* around_* prepend_before_* prepend_around_* append_before_* append_around_* skip_before_* skip_around_*", PurposeFilter},
	{"after_* skip_after_* prepend_after_* append_after_*", PurposeCallback},
	{"include extend prepend", PurposeMixin},
	{"private protected", PurposePrivate},
}
