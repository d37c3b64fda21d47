package languages

import (
	"bytes"
	"embed"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

//go:embed queries/*.scm
var queries embed.FS

// row is one language; a new language needs a row and a query file.
type row struct {
	name       string   // as answers show it
	extensions []string // with the dot, lower case
	names      []string // whole file names, for files without an extension
	shebangs   []string // interpreters
	grammar    func() *sitter.Language
	query      string // files in queries/, separated by blanks
	comment    string // the mark of line comments, or the one that opens a comment
	closing    string // the mark that closes a comment; "" for the line end
	separator  string // between the names of a path; "" for a dot
	// marked says that a name can end with "?" or "!".
	marked bool
	// hoisted says that a local is visible in its whole scope, not only behind its name.
	hoisted bool
	// whole says that a reference is the captured name, whatever bytes it has, and that its
	// receiver is the captured one.
	whole bool
	// script, style and template are extensions of the languages of the scripts, the styles and
	// the expressions in a page; "" for none.
	script, style, template string
	// insertions returns the places of a page with code that its grammar does not know, in
	// ascending order.
	insertions func(page []byte) []insertion
	// unitName returns the name of the view that a whole page is, by its path; "" for none.
	unitName func(path string) string
	// component says that a page is a component of Vue.
	component bool
	// data says that the files hold data or configuration: their keys are units down to a
	// depth that keeps them few.
	data bool
	// oneForm says that the values of files, types and code are declared in one form, which
	// the query captures as a field: the place tells what it declares.
	oneForm bool
	// aliases says that an import under another name is also a declaration of that name.
	aliases bool
	// docBelow says that a doc comment can stand right below what it documents.
	docBelow bool
	// exported reports, by a name and its header, whether other files see it.
	exported func(name, header string) bool
	// isTest reports whether a declaration is a test case.
	isTest func(d *Decl, text string) bool
	// fixImport sets the names of an import by the rule of the language.
	fixImport func(record.Import) record.Import
	// fixDecl sets the name of a declaration by the rule of the language. fixRef returns the
	// end of a reference, of which the query captures the start. fixType spells a written type
	// as most languages do.
	fixDecl func(d *Decl, text string)
	fixType func(typ string) string
	fixRef  func(text string, start, end int) int
	// builtins are the builtin names: a use of one is not a reference, unless the file
	// declares the name.
	builtins words
	// libraries are the builtins that are name spaces of standard libraries, see Library.
	libraries words
	// allocators are calls, with their parenthesis, whose first argument is the type of
	// their result; passers return their first argument or its elements.
	allocators, passers []string
	// roots maps the words of the language for the value or the type around a use, and for
	// its base, to "self" and superRoot.
	roots map[string]string
	// sigil stands in front of the names of variables; the names of members lack it.
	sigil string
	// importTree reads a whole import of several names; nil for Rust's form.
	importTree func(text string, line int) []record.Import
	// packagesNest says that a second package of a file lies in the first one.
	packagesNest bool
	// packageOf returns the package of a file by its path, in languages in which files do not
	// name it.
	packageOf func(path string) string
	// docType returns the type that the doc comment of a declaration without a written type
	// names, "" for none.
	docType func(doc string) string
	// framework holds the rules of the framework of the language; nil for none.
	framework *framework
	// prepare blanks text that the grammar cannot read, after insertions; it keeps offsets.
	prepare func(content []byte) []byte
	// opening stands before all code of the language: a piece of a file is read with it.
	opening string
	// preprocessed says that macros can stand before a declaration, and that "static" hides
	// only what stands at the top level: the rules of C and C++.
	preprocessed bool
	// constructs says that `T x(y);` in a function declares a variable, which the grammar reads as
	// a function.
	constructs bool
	// overloads says that functions of one name differ by the types of their parameters, and
	// that the query captures the arguments of calls.
	overloads bool
	// compiled returns the grammar with its query, built on first use; nil for a row
	// without a grammar.
	compiled func() *compiled
}

// table holds the languages that a grammar covers.
var table = slices.Concat(rows(
	row{name: "go", extensions: []string{".go"}, comment: "//", grammar: golang.GetLanguage, query: "go.scm", exported: upperCase, builtins: goBuiltins, allocators: []string{"make(", "new("}, passers: []string{"append("}, isTest: goTest, fixImport: goImport},
	row{name: "python", extensions: []string{".py", ".pyi", ".pyw"}, comment: "#", shebangs: []string{"python", "python3"}, grammar: python.GetLanguage, query: "python.scm", hoisted: true,
		exported: noUnderscore, builtins: pythonBuiltins, allocators: []string{"cast("}, passers: []string{"enumerate(", "sorted(", "reversed(", "list(", "tuple(", "set(", "iter(", "next(", "zip("}, isTest: testNamed, fixImport: pythonImport, framework: django},
	row{name: "typescript", extensions: []string{".ts", ".mts", ".cts"}, comment: "//", grammar: bound(typescript.LanguageTypescript), prepare: maskTypes, query: "typescript.scm commonjs.scm", hoisted: true, exported: exportKeyword, builtins: scriptBuiltins, isTest: testKind, framework: nest},
	row{name: "tsx", extensions: []string{".tsx"}, comment: "//", grammar: bound(typescript.LanguageTSX), query: "typescript.scm commonjs.scm jsx.scm", hoisted: true, exported: exportKeyword, builtins: scriptBuiltins, isTest: testKind},
	row{name: "javascript", extensions: []string{".js", ".mjs", ".cjs", ".jsx"}, comment: "//", shebangs: []string{"node"}, grammar: javascript.GetLanguage, query: "javascript.scm commonjs.scm jsx.scm", hoisted: true,
		exported: anyName, builtins: scriptBuiltins, isTest: testKind},
	row{name: "rust", extensions: []string{".rs"}, comment: "//", separator: "::", grammar: rust.GetLanguage, prepare: openMacros, query: "rust.scm", exported: pubKeyword, builtins: rustBuiltins, libraries: rustLibraries, isTest: rustTest},
	row{name: "java", extensions: []string{".java"}, comment: "//", grammar: java.GetLanguage, query: "java.scm", exported: publicKeyword, builtins: javaBuiltins, isTest: javaTest, fixImport: javaImport, overloads: true},
	row{name: "ruby", extensions: []string{".rb", ".rake", ".gemspec", ".ru"}, comment: "#", names: []string{"Rakefile", "Gemfile"}, shebangs: []string{"ruby"}, grammar: ruby.GetLanguage, query: "ruby.scm",
		hoisted: true, marked: true, exported: anyName, builtins: rubyBuiltins, isTest: testNamed, framework: rails},
	row{name: "c", extensions: []string{".c"}, comment: "//", grammar: c.GetLanguage, query: "c.scm", prepare: maskC, preprocessed: true, builtins: cBuiltins, exported: notStatic},
	row{name: "cpp", extensions: []string{".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".inl", ".ipp", ".tpp", ".tcc", ".txx", ".c++", ".h++", ".cppm", ".ixx", ".cu", ".cuh"}, comment: "//", grammar: cpp.GetLanguage, query: "cpp.scm", prepare: maskMacros, preprocessed: true, constructs: true, exported: notStatic, builtins: cBuiltins, libraries: cppLibraries, isTest: testKind, fixDecl: conversion},
), managedRows, scriptRows, dataRows, webRows)

// byExtension, byName and byShebang map to rows.
var byExtension, byName, byShebang = index(table)

func rows(rs ...row) []*row {
	out := make([]*row, len(rs))
	for i := range rs {
		r := &rs[i]
		r.compiled = sync.OnceValue(func() *compiled {
			c, err := r.compile()
			if err != nil {
				return nil // TestEveryQueryFitsItsGrammar reports the error
			}
			return c
		})
		out[i] = r
	}
	return out
}

// bound returns the grammar of a binding that the authors of the grammar publish. These
// bindings need no runtime of their own.
func bound(grammar func() unsafe.Pointer) func() *sitter.Language {
	return func() *sitter.Language { return sitter.NewLanguage(grammar()) }
}

// compile pairs the grammar of a row with its query.
func (r *row) compile() (*compiled, error) {
	var source []byte
	for _, name := range strings.Fields(r.query) {
		part, err := queries.ReadFile("queries/" + name)
		if err != nil {
			return nil, err
		}
		source = append(source, part...)
	}
	return compile(r.grammar(), string(source))
}

func index(rs []*row) (extension, name, shebang map[string]*row) {
	extension, name, shebang = map[string]*row{}, map[string]*row{}, map[string]*row{}
	for _, r := range rs {
		for _, e := range r.extensions {
			extension[e] = r
		}
		for _, n := range r.names {
			name[n] = r
		}
		for _, s := range r.shebangs {
			shebang[s] = r
		}
	}
	return extension, name, shebang
}

// rowOf returns the row of a file by its name, its extension or its interpreter; nil when
// no grammar covers it.
func rowOf(p record.Path, content []byte) *row {
	base := path.Base(string(p))
	if r := byName[base]; r != nil {
		return r
	}
	ext := strings.ToLower(path.Ext(base))
	if r := byExtension[ext]; r != nil {
		switch {
		case ext == ".h" && !LooksLikeCPP(content):
			return byExtension[".c"]
		case ext == ".inc" && len(content) > 0:
			return includedRow(content)
		case ext == ".erb" && !isPage(base):
			return nil // a template of another language than HTML
		}
		return r
	}
	if ext == "" {
		return byShebang[interpreter(content)]
	}
	return nil
}

// includedRow returns the row of a file that is named .inc: PHP has a tag, C and C++ have a
// directive at the start of a line. It is nil for other languages, of which many use the name.
func includedRow(content []byte) *row {
	switch {
	case bytes.Contains(content, []byte("<?php")) || bytes.Contains(content, []byte("<?=")):
		return byExtension[".php"]
	case !cDirective().Match(content):
		return nil
	case LooksLikeCPP(content):
		return byExtension[".cpp"]
	}
	return byExtension[".c"]
}

var cDirective = lazy.Regexp(`(?m)^[ \t]*#[ \t]*(?:include|define|undef|ifdef|ifndef|if|pragma)\b`)

// interpreter returns the program that a "#!" line names, up to the first dot.
func interpreter(content []byte) string {
	const maxLine = 128
	s := string(content[:min(len(content), maxLine)])
	line, ok := strings.CutPrefix(s, "#!")
	if !ok {
		return ""
	}
	line, _, _ = strings.Cut(line, "\n")
	fields := strings.Fields(line)
	for _, f := range fields {
		name, _, _ := strings.Cut(path.Base(f), ".")
		if name != "env" && !strings.HasPrefix(name, "-") {
			return name
		}
	}
	return ""
}

// LooksLikeCPP reports whether a header has words, outside of its comments, that C does not have.
func LooksLikeCPP(content []byte) bool {
	const maxLook = 64 << 10
	content = content[:min(len(content), maxLook)]
	return hasWordsOfCPP(string(content)) && hasWordsOfCPP(string(withoutComments(content)))
}

// A text of these lists tells C++ from C: those of wordsOfCPP where a word starts, those of
// firstOfCPP at the start of a line, as C can use their words as names elsewhere, and those of
// endsOfCPP anywhere.
var (
	wordsOfCPP = []string{"template <", "template<", "public:", "private:", "protected:", "std::", "constexpr ", "virtual ", "typename ", "static_cast<", "enum class ", ": public "}
	endsOfCPP  = []string{"= delete;", "= default;"}
	firstOfCPP = []string{"class ", "namespace ", "using "}
)

func hasWordsOfCPP(s string) bool {
	behind := func(word string, fits func(before string) bool) bool {
		for at := 0; ; {
			i := strings.Index(s[at:], word)
			if i < 0 {
				return false
			}
			if fits(s[:at+i]) {
				return true
			}
			at += i + len(word)
		}
	}
	startsWord := func(before string) bool { return before == "" || !isWordByte(before[len(before)-1]) }
	startsLine := func(before string) bool {
		before = strings.TrimRight(before, " \t")
		return before == "" || before[len(before)-1] == '\n'
	}
	return slices.ContainsFunc(wordsOfCPP, func(w string) bool { return behind(w, startsWord) }) ||
		slices.ContainsFunc(endsOfCPP, func(w string) bool { return strings.Contains(s, w) }) ||
		slices.ContainsFunc(firstOfCPP, func(w string) bool { return behind(w, startsLine) })
}

// withoutComments returns C text with its comments blank.
func withoutComments(s []byte) []byte {
	s = bytes.Clone(s)
	for i := 0; i+1 < len(s); {
		switch {
		case s[i] == '"' || s[i] == '\'':
			i = skipQuoted(s, i)
		case s[i] == '/' && (s[i+1] == '/' || s[i+1] == '*'):
			end := skipComment(s, i)
			blank(s[i:end])
			i = end
		default:
			i++
		}
	}
	return s
}

func upperCase(name, _ string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}
func noUnderscore(name, _ string) bool { return !strings.HasPrefix(name, "_") }
func anyName(string, string) bool      { return true }
func exportKeyword(_, header string) bool {
	return strings.HasPrefix(header, "export") || !strings.HasPrefix(header, "private")
}
func pubKeyword(_, header string) bool    { return strings.HasPrefix(header, "pub") }
func publicKeyword(_, header string) bool { return !strings.Contains(header, "private ") }
func notStatic(_, header string) bool     { return !strings.HasPrefix(header, "static ") }

func goTest(d *Decl, _ string) bool {
	if d.Kind != record.KindFunction {
		return false
	}
	for _, p := range []string{"Test", "Benchmark", "Example", "Fuzz"} {
		if rest, ok := strings.CutPrefix(d.Name, p); ok {
			r, _ := utf8.DecodeRuneInString(rest)
			return rest == "" || !unicode.IsLower(r)
		}
	}
	return false
}

// testNamed accepts functions named test…, as unittest, minitest and pytest do.
func testNamed(d *Decl, _ string) bool {
	return IsCallable(d.Kind) && strings.HasPrefix(d.Name, "test") || d.Kind == record.KindTest
}

// javaTest accepts methods with an annotation such as @Test or @ParameterizedTest, and
// methods named test…, as JUnit 3 does.
func javaTest(d *Decl, text string) bool {
	if !IsCallable(d.Kind) {
		return false
	}
	annotations := text[d.Header.Start:max(d.Header.Start, min(d.NameSpan.Start, d.Header.End))]
	return strings.HasPrefix(d.Name, "test") && strings.Contains(annotations, "void ") || testAnnotation().MatchString(annotations)
}

var testAnnotation = lazy.Regexp(`@(\w+\.)*\w*Test\b`)

// rustTest accepts functions with an attribute such as #[test] or #[tokio::test], and
// modules with #[cfg(test)].
func rustTest(d *Decl, text string) bool {
	attributes := text[d.Doc.Start:d.Doc.End]
	return attributes != "" && testAttribute().MatchString(attributes)
}

var testAttribute = lazy.Regexp(`#\[(\w+::)*(test|rstest|bench|test_case|cfg\((all\()?test)\b`)

func testKind(d *Decl, _ string) bool { return d.Kind == record.KindTest }
