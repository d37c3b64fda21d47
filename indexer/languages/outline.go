package languages

import "ambit/vectors/record"

// Outline is the result of a parse: plain values, in the order of the text. Spans
// refer to Content.
type Outline struct {
	Path     record.Path
	Content  []byte
	Language string // the name of the row of the language table; "text" for prose
	Package  string // as record.FileGraph.Package
	Test     bool   // by the file's name or place
	Decls    []Decl // by start, outer before inner
	Refs     []Ref  // by start
	Imports  []record.Import
	// Directives are the declarations of classes with a Role to their framework, by start.
	Directives []Directive
	// Tables are those of a file that describes a database for a framework, by start.
	Tables   []Table
	Bindings []Binding // by start of their scope
	// Breaks are the offsets at which a large body may be cut: the starts of its
	// statements, ascending. They are given for bodies above breaksBytes only.
	Breaks []int
	// Broken counts the places that the grammar could not read.
	Broken int
	// Doc is set for Markdown and prose, and nil for code.
	Doc *Document
}

// Decl is a declaration.
type Decl struct {
	Name      string
	Kind      record.Kind
	Parent    int         // index into Outline.Decls, -1 at the top
	Container string      // the type it is a member of, when that is not Parent: a Go receiver, a Rust impl, C++ A::f
	Span      record.Span // with doc comments, attributes and decorators
	Header    record.Span // from the first keyword to the start of the body
	Body      record.Span // empty when there is none
	Doc       record.Span // empty when there is none
	NameSpan  record.Span
	// Type is the path of what using the declaration yields, spelled as
	// Ref.Receiver: a function's result, a variable's or field's type. Several
	// results are joined by ",". It is Builtin for what the language offers, and ""
	// when nothing is evident.
	Type string
	// Result is, for a function without a Type, the path of an expression that it
	// returns; local names in it are those of the end of Body.
	Result   string
	Bases    []string // as written, type arguments dropped
	Exported bool
	Test     bool
	Role     Role // in the framework of its language
}

// Signature returns the header of a declaration, or its name without one, as
// [Signature] does.
func (o *Outline) Signature(d *Decl) string {
	h := d.Header
	if h.Start >= h.End || h.End > len(o.Content) {
		h = d.NameSpan
	}
	return Signature(string(o.Content[h.Start:min(h.End, len(o.Content))]))
}

// Ref is a use of a name. The path of an import is a use of kind EdgeImports: its
// Name is the path, or the last name of it when that is what is imported.
type Ref struct {
	Name string
	// Receiver is what stands left of the name as a path of plain names joined by
	// ".", a call written "f()": "c.parent.flags()". It is "" for a plain name and
	// "?" for anything else (an index, an operator). A last component "f()[1]" is
	// the second of the values that f() yields.
	Receiver string
	Kind     record.EdgeKind
	Span     record.Span // of the name
	Decl     int         // the innermost declaration around it, -1 at the top
}

// Binding is a local name: a parameter, a variable, a receiver, a loop or catch
// variable, a type parameter. It hides declarations of the same name inside Scope.
type Binding struct {
	Name  string
	At    int // where the name stands
	Scope record.Span
	Type  string // path of its evident type or of the expression that it is bound to, spelled as Decl.Type; ""
}

// Builtin is the type of values that the language itself offers, such as a string: no
// file of a workspace declares its members.
const Builtin = "!"
