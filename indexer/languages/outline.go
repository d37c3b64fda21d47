package languages

import (
	"unsafe"

	"ambit/vectors/record"
)

// Outline is the result of a parse: plain values, in the order of the text. Spans
// refer to Content.
type Outline struct {
	Path     record.Path
	Content  []byte
	Language string // the name in the language table; "text" for prose
	Package  string // as record.FileGraph.Package
	Test     bool   // the name or the directory of the file marks it as a test
	Decls    []Decl // by start, outer before inner
	Refs     []Ref  // by start
	Imports  []record.Import
	// Directives are the directives of classes with a Role, by start.
	Directives []Directive
	// Tables are the tables that a file describes for a framework, by start.
	Tables   []Table
	Bindings []Binding // by start of their scope
	// Breaks are the starts of the statements in bodies above breaksBytes, ascending: the
	// best offsets for cutting a large body.
	Breaks []int
	// Comments are the comments, attributes and decorators, in order and disjoint.
	Comments []record.Span
	// Broken counts the syntax errors.
	Broken int
	// Partial says why a part of the file or all of it is read as text, although its
	// language has a grammar; "" for most files.
	Partial string
	// Doc is set for Markdown and prose, and nil for code.
	Doc *Document
}

// Decl is a declaration.
type Decl struct {
	Name      string
	Kind      record.Kind
	Parent    int         // index into Outline.Decls, -1 at the top
	Container string      // the type of a member that stands outside of it: a Go receiver, a Rust impl, C++ A::f
	Span      record.Span // with doc comments, attributes and decorators
	Header    record.Span // from the first keyword to the start of the body
	Body      record.Span // empty when there is none
	Doc       record.Span // empty when there is none
	NameSpan  record.Span
	// Type is the path of the type of the result of a function, or of the type of a variable
	// or field, spelled as Ref.Receiver. Several results are joined by ",". It is Builtin
	// for a builtin, and "" when the type is not evident.
	Type string
	// Result is the path of an expression that a function without a Type returns. Its local
	// names are those that are visible at the end of Body.
	Result   string
	Bases    []string // as written, type arguments dropped
	Exported bool
	Test     bool
	Role     Role   // in the framework of its language
	Permits  string // of a method of a controller: "order: number, state", the parameters that it permits
	Route    string // of an action: "GET /users/:id"; "" when the file does not tell
	// Table is what Table.Model says of the table of a model that names its table; else "".
	Table string
}

// Text returns Content as a string that shares its memory.
func (o *Outline) Text() string { return textOf(o.Content) }

// textOf returns content, which nobody changes any more, as a string that shares its memory. A
// copy would be alive as long as one name of the file.
func textOf(content []byte) string { return unsafe.String(unsafe.SliceData(content), len(content)) }

// Signature returns the header of a declaration as the function [Signature] does; without a
// header it returns the name.
func (o *Outline) Signature(d *Decl) string {
	h := d.Header
	if h.Start >= h.End || h.End > len(o.Content) {
		h = d.NameSpan
	}
	return Signature(o.Text()[h.Start:min(h.End, len(o.Content))])
}

// Ref is a use of a name. An import is a use of kind EdgeImports: its Name is the path, or
// the last name of the path if the import is of that name.
type Ref struct {
	Name string
	// Receiver is the expression left of the name as a path of plain names joined by ".",
	// with calls as "f()": "c.parent.flags()". It is "" for a plain name and "?" for any
	// other expression (an operator, a literal of an object). A last component "f()[1]" is
	// the second value of f(). A first "=" says that the name is a constant of the type of the
	// path, else a plain name, as in the cases of a switch. For a first "::" see [Library].
	Receiver string
	Kind     record.EdgeKind
	// Arguments are the types of the arguments of a call, as far as the text tells them, in
	// languages with overloads: "(int,?)". See [NoArgument]. It is "" when there are none.
	Arguments string
	Span      record.Span // of the name
	Decl      int         // the innermost declaration around it, -1 at the top
}

// Binding is a local name: a parameter, a variable, a receiver, a loop or catch
// variable, or a type parameter. Inside Scope it hides declarations of the same name.
type Binding struct {
	Name  string
	At    int // the offset of the name
	Scope record.Span
	Type  string // the path of its evident type or of its value, spelled as Decl.Type; "" when unknown
	// Written is the written type, spelled as in Ref.Arguments, in languages with overloads.
	Written string
	// Passed is, for a parameter without a type of its own, the path of what tells its type: "f(1)(0)"
	// is the first parameter of the function that f takes as its second one. See [ParameterOf].
	Passed string
}

// Builtin is the type of builtin values such as strings. No file of a workspace declares
// its members.
const Builtin = "!"

// Library starts the receiver of a name in a standard library, which code names by its path
// without an import: "::std.collections.HashMap". No file of a workspace declares the name.
const Library = "::"
