package record

import "slices"

// Kind is the kind of a unit, in the words of an answer.
type Kind string

// The kinds of units. Languages map their own terms to these.
const (
	KindFunction  Kind = "function"
	KindMethod    Kind = "method"
	KindClass     Kind = "class"
	KindStruct    Kind = "struct"
	KindInterface Kind = "interface" // also traits and protocols
	KindEnum      Kind = "enum"
	KindType      Kind = "type"   // aliases and other named types
	KindModule    Kind = "module" // also namespaces and packages
	KindField     Kind = "field"  // also properties and enum members
	KindVariable  Kind = "variable"
	KindConstant  Kind = "constant"
	KindMacro     Kind = "macro"
	KindImpl      Kind = "impl"    // a block that adds members to a type defined elsewhere
	KindTest      Kind = "test"    // a test case written as a call, such as it("…")
	KindSection   Kind = "section" // a heading and the text under it
	KindDocument  Kind = "document"
	KindFile      Kind = "file"
	KindText      Kind = "text" // what lies between units
	KindView      Kind = "view" // a template that an action renders
)

// The roles of classes and methods in frameworks. A search takes them for kinds.
const (
	KindModel      Kind = "model"
	KindController Kind = "controller"
	KindMailer     Kind = "mailer"
	KindJob        Kind = "job"
	KindService    Kind = "service"
	KindComponent  Kind = "component"
	KindGraphQL    Kind = "graphql" // a type, a mutation or a resolver of GraphQL
	KindMixin      Kind = "mixin"   // other classes include it
	KindAction     Kind = "action"  // a method that answers a request or sends a mail
)

// Symbol is a named unit of a file.
type Symbol struct {
	Name      string // "Execute"
	Qualified string // inside the file, "Command.Execute"
	Kind      Kind
	Role      Kind   // in a framework, "" for none
	Parent    int    // index into FileGraph.Symbols, -1 at the top
	Container string // qualified name of the type the symbol is a member of, also when that stands in another file (Go receivers, Rust impls, C++ A::f); ""
	Span      Span   // with doc comments, attributes and decorators
	Header    Span   // from the first keyword to the start of the body; the whole declaration when it has none
	Body      Span   // empty when there is none
	Doc       Span   // empty when there is none
	NameSpan  Span
	Lines     Lines // of Span
	NameLine  int
	Signature string   // Header on one line, blanks folded
	Type      string   // the type that a use yields, see Edge.Receiver for the spelling: a function's result, a variable's or field's type
	Bases     []string // names of base, embedded and implemented types, as written, without type arguments
	Exported  bool
	Test      bool // a test, an example or a benchmark
}

// Is reports whether the symbol has a kind, or has it for its role.
func (s *Symbol) Is(k Kind) bool { return s.Kind == k || s.Role == k }

// EdgeKind says how one symbol uses another.
type EdgeKind string

// The kinds of edges, with the labels that answers show.
const (
	EdgeCalls    EdgeKind = "calls"
	EdgeCreates  EdgeKind = "creates"
	EdgeType     EdgeKind = "uses type"
	EdgeExtends  EdgeKind = "extends"
	EdgeReads    EdgeKind = "reads" // a value, field or constant
	EdgeImports  EdgeKind = "imports"
	EdgeMentions EdgeKind = "mentions" // prose that names or links it
	// EdgeAssociates is an association that a model declares with another.
	EdgeAssociates EdgeKind = "associated with"
	// EdgeImplements is an interface that a type implements without naming it. No file has
	// such an edge; it follows from the methods of both.
	EdgeImplements EdgeKind = "implements"
)

// Edge goes from a symbol to a name. It is resolved when asked, never on disk,
// so that a file's records depend on that file alone.
type Edge struct {
	From int    // index into FileGraph.Symbols, -1 for the top of the file
	Name string // the last component of the used name
	// Receiver is what stands left of the name, as far as the file tells its type:
	// "" for a plain name; else a path of names joined by "." that starts at a type
	// or at a plain name of the file ("Command.flags()", "pkg", "self" already
	// replaced by its type). A component with "()" is the result of a call, "get<a:Item>()"
	// that of a call with the type argument a.Item, and "map(1)(0)" the type of the first
	// parameter of the function that map takes as its second one. "?" stands for a receiver
	// whose type the file does not tell; a path behind it may tell it. A first "=" says that
	// the name is a constant of the type of the path, else a plain name.
	Receiver string
	Kind     EdgeKind
	// Arguments are the types of the arguments of a call, in languages with overloads:
	// "(int,?)". A value whose type another file tells is "=" and its path. It is "" when the
	// language has no overloads.
	Arguments string
	Count     int   // uses in this symbol, at least 1
	Lines     []int // the first few lines of use, ascending, at most MaxEdgeLines
}

// MaxEdgeLines bounds Edge.Lines; an answer never shows more lines of one use.
const MaxEdgeLines = 8

// Import is one name that a file brings in.
type Import struct {
	Path  string // as written: "net/http", "./util", "..core", "<stdio.h>"
	Name  string // the one thing imported from Path; "*" for everything; "" for the module itself
	Local string // the name it has in this file, "" when it has none
	Line  int
	// Exported marks a re-export: other files can import the name from this one.
	Exported bool
}

// Filter is a directive of a class: its methods run before or around the actions of the class
// and of the classes below it, or do not run there.
type Filter struct {
	Class int      // index into FileGraph.Symbols
	Skip  bool     // the filters of these names do not run
	Names []string // of the methods that run or are skipped
	// Methods are the names and, of a filter that is not skipped, the methods that decide
	// whether it runs.
	Methods []string
	// Only and Except are the actions that the filter is for and not for.
	Only, Except []string
}

// Covers reports whether a filter is for an action.
func (f *Filter) Covers(action string) bool {
	return (len(f.Only) == 0 || slices.Contains(f.Only, action)) && !slices.Contains(f.Except, action)
}

// FileGraph holds the definitions and the uses of one file.
type FileGraph struct {
	Path     Path
	Language string
	// Package is the Go package clause, the Java package, the Rust or Ruby module, the C#
	// namespace; of a configuration the package that it is of, and, in package.json and
	// tsconfig.json, on further lines the names of modules with their paths. It can be "".
	Package string
	Symbols []Symbol
	Edges   []Edge
	Imports []Import
	Filters []Filter // in order of the text
	Test    bool     // a test, example, fixture or benchmark file by its name or place
}

// Frequency says how often a file changed.
type Frequency string

// Change frequency, from git.
const (
	Hot     Frequency = "hot"     // 10 or more commits in 90 days
	Active  Frequency = "active"  // 3 or more in 90 days
	Stable  Frequency = "stable"  // 1 or more in a year
	Dormant Frequency = "dormant" // none in a year
	Unknown Frequency = "unknown" // no history
)

// History holds the changes of files that git tells at one commit.
type History struct {
	Head    string // the commit it was read at; "" when there is no repository
	Commits int    // that were counted
	Cut     string // which commits were not, and why; "" for none
	Files   []FileHistory
	Pairs   []CoChange // A < B, each pair once
	// Subjects are those of the commits of few files, latest first.
	Subjects []Subject
}

// Subject is the first line of the message of a commit.
type Subject struct {
	Text  string // on one line, with secrets masked
	Files []Path // that the commit changed, by their present names, ascending
}

// FileHistory is the change frequency of one file.
type FileHistory struct {
	Path      Path
	Frequency Frequency
	Commits90 int // commits in the 90 days before the history was read
	Commits   int // commits among those read
}

// CoChange is a pair of files that were committed together.
type CoChange struct {
	A, B   Path
	Weight float64 // sum over shared commits of 1/(files in the commit)
}
