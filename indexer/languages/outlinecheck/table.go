package main

// language is one row of the table. A new language needs a row, and a script if it has a
// parser of its own here.
type language struct {
	name  string            // as package languages names it
	ctags string            // as ctags names it
	kinds map[string]string // the kinds of ctags that are compared, and their groups
	// parser is the command that lists the declarations of the files on its input; nil for
	// none, or for Go, whose parser is a package. It prints lines of four fields between
	// tabs: path, group, line, name. The line "path skip FIRST LAST" says that the parser
	// does not know these lines, "path rejected 0 REASON" that it does not accept the file.
	// A group with a "+" before it is that of a declaration inside of a function or a block:
	// ambit may list it.
	parser []string
	// partial says that the parser may not see all of a file, so a declaration that only
	// ambit and ctags have is right.
	partial bool
	// last says that ctags names some declarations by the last part of what ambit calls
	// them, or the other way round, so that only the last parts are compared.
	last bool
	// oneGroup says that functions and values are compared as one group: a property with code
	// is a function to one and a value to the other.
	oneGroup bool
	// declares reports whether a tag of ctags is a declaration, by the line that it stands on
	// and the text before that line; nil if all are.
	declares func(d decl, line, before string) bool
}

// python is replaced by the variable PYTHON.
const python = "python3"

// The kinds that several languages have.
var (
	scriptKinds = map[string]string{"function": "function", "generator": "function", "method": "function", "getter": "function", "setter": "function",
		"class": "type", "interface": "type", "enum": "type", "alias": "type", "enumerator": "value", "property": "value", "field": "value",
		"constant": "value", "variable": "value", "namespace": "module"}
	cKinds = map[string]string{"macro": "macro", "enumerator": "value", "function": "function", "enum": "type", "member": "value", "struct": "type",
		"typedef": "type", "union": "type", "variable": "value", "prototype": "function", "externvar": "value", "class": "type", "namespace": "module"}
)

var table = []language{
	{name: "go", ctags: "Go", kinds: map[string]string{"func": "function", "const": "value", "type": "type", "var": "value", "struct": "type", "interface": "type",
		"member": "value", "methodSpec": "function", "talias": "type"}},
	{name: "python", ctags: "Python", parser: []string{python, "python.py"}, kinds: map[string]string{"class": "type", "function": "function", "member": "function", "variable": "value"}},
	{name: "typescript", ctags: "TypeScript", parser: []string{"node", "typescript.cjs"}, kinds: scriptKinds},
	{name: "tsx", ctags: "TypeScript", parser: []string{"node", "typescript.cjs"}, kinds: scriptKinds},
	{name: "javascript", ctags: "JavaScript", parser: []string{"node", "typescript.cjs"}, kinds: scriptKinds},
	{name: "rust", ctags: "Rust", parser: []string{python, "rust.py"}, kinds: map[string]string{"module": "module", "struct": "type", "interface": "type", "function": "function",
		"enum": "type", "typedef": "type", "variable": "value", "macro": "macro", "field": "value", "enumerator": "value", "method": "function"}},
	{name: "java", ctags: "Java", parser: []string{"java", "Outline.java"}, kinds: map[string]string{"annotation": "type", "class": "type", "enumConstant": "value", "field": "value",
		"enum": "type", "interface": "type", "method": "function"}},
	{name: "ruby", ctags: "Ruby", parser: []string{"ruby", "ruby.rb"}, kinds: map[string]string{"class": "type", "method": "function", "module": "module",
		"singletonMethod": "function", "constant": "value", "accessor": "value", "alias": "function"}},
	{name: "csharp", ctags: "C#", last: true, oneGroup: true, declares: csharpDeclares, kinds: map[string]string{"class": "type", "enum": "type", "interface": "type", "struct": "type", "typedef": "type", "method": "function",
		"enumerator": "value", "event": "value", "field": "value", "property": "value", "namespace": "module"}},
	{name: "swift", parser: []string{python, "swift.py"}},
	{name: "php", ctags: "PHP", parser: []string{"php", "php.php"}, kinds: map[string]string{"class": "type", "interface": "type", "trait": "type",
		"enum": "type", "function": "function", "define": "value", "constant": "value"}},
	{name: "kotlin", ctags: "Kotlin", kinds: map[string]string{"class": "type", "interface": "type", "object": "type", "typealias": "type", "method": "function",
		"constant": "value", "variable": "value"}},
	{name: "elixir", ctags: "Elixir", last: true, declares: elixirDeclares, kinds: map[string]string{"module": "module", "protocol": "type", "function": "function", "macro": "macro", "type": "type",
		"callback": "function"}},
	{name: "ocaml", ctags: "OCaml", oneGroup: true, declares: ocamlDeclares, kinds: map[string]string{"class": "type", "method": "function", "module": "module", "type": "type", "function": "function",
		"Constructor": "value", "RecordField": "value", "Exception": "type", "val": "value", "var": "value"}},
	{name: "protobuf", ctags: "Protobuf", kinds: map[string]string{"message": "type", "field": "value", "enumerator": "value", "enum": "type", "service": "type",
		"rpc": "function"}},
	{name: "scala", parser: []string{"node", "scala.cjs"}},
	{name: "bash", ctags: "Sh", declares: bashDeclares, kinds: map[string]string{"function": "function"}},
	{name: "lua", ctags: "Lua", last: true, declares: luaDeclares, kinds: map[string]string{"function": "function"}},
	{name: "sql", ctags: "SQL", kinds: map[string]string{"table": "type", "view": "type", "domain": "type", "function": "function", "procedure": "function",
		"trigger": "function", "index": "value", "synonym": "value", "package": "module"}},
	{name: "c", ctags: "C", parser: []string{python, "c.py"}, partial: true, kinds: cKinds},
	{name: "cpp", ctags: "C++", parser: []string{python, "c.py"}, partial: true, kinds: cKinds},
}
