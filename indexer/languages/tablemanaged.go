package languages

import (
	"bytes"
	"cmp"
	"strings"

	swift "github.com/alex-pinkus/tree-sitter-swift/bindings/go"
	"github.com/smacker/go-tree-sitter/csharp"
	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	scala "github.com/tree-sitter/tree-sitter-scala/bindings/go"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// managedRows holds C#, PHP, Kotlin, Swift and Scala.
var managedRows = rows(
	row{name: "csharp", extensions: []string{".cs", ".csx"}, comment: "//", grammar: csharp.GetLanguage, query: "csharp.scm", exported: sharpModifier, builtins: csharpBuiltins,
		isTest: csharpTest, fixImport: csharpImport, roots: map[string]string{"base": superRoot}, prepare: maskConditionals},
	row{name: "php", opening: "<?php ", extensions: []string{".php", ".phtml", ".inc"}, shebangs: []string{"php"}, comment: "//", separator: "\\", grammar: bound(php.LanguagePHP), query: "php.scm", hoisted: true, whole: true, sigil: "$",
		exported: publicKeyword, builtins: phpBuiltins, isTest: phpTest, fixImport: phpImport, roots: map[string]string{"static": "self", "parent": superRoot}, prepare: maskEnumConstants, docType: phpDocType, framework: laravel},
	row{name: "kotlin", extensions: []string{".kt", ".kts"}, comment: "//", grammar: bound(kotlin.Language), query: "kotlin.scm", whole: true, exported: notPrivate, builtins: kotlinBuiltins,
		isTest: kotlinTest, fixImport: kotlinImport, roots: map[string]string{"this": "self", superRoot: superRoot}},
	row{name: "swift", extensions: []string{".swift"}, shebangs: []string{"swift"}, comment: "//", grammar: bound(swift.Language), query: "swift.scm", whole: true, oneForm: true, exported: swiftVisible,
		builtins: swiftBuiltins, isTest: swiftTest, fixImport: swiftImport, fixDecl: swiftExtension, fixType: swiftType, packageOf: swiftModule, prepare: maskSwift},
	row{name: "scala", extensions: []string{".scala", ".sc", ".sbt"}, shebangs: []string{"scala", "scala-cli"}, comment: "//", grammar: bound(scala.Language), query: "scala.scm", whole: true, oneForm: true, packagesNest: true,
		exported: scalaVisible, builtins: scalaBuiltins, isTest: scalaTest, importTree: scalaImports, fixDecl: scalaBody, roots: map[string]string{"this": "self", superRoot: superRoot}, prepare: maskScala},
)

// superRoot is the word for the base of the type around a use in the receivers of all
// languages.
const superRoot = "super"

// sharpModifier reports whether a declaration of C# has an access modifier that shows it to
// other types. A type without one is visible in its assembly, a member is private.
func sharpModifier(_, header string) bool {
	return sharpVisible().MatchString(header) || sharpType().MatchString(header)
}

var (
	sharpVisible = lazy.Regexp(`^(?:\[[^\n]*\]\s*|\w+\s+)*?(?:public|internal|protected)\b`)
	sharpType    = lazy.Regexp(`^(?:\[[^\n]*\]\s*|(?:static|abstract|sealed|partial|readonly|ref|unsafe|file)\s+)*(?:class|struct|interface|enum|record|delegate)\b`)
)

// csharpTest accepts methods with an attribute of xUnit, NUnit or MSTest.
func csharpTest(d *Decl, text string) bool {
	return IsCallable(d.Kind) && csharpTestAttribute().MatchString(text[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)])
}

var csharpTestAttribute = lazy.Regexp(`\[(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Benchmark)(?:Attribute)?\b`)

// csharpImport splits the type off the path of an alias.
func csharpImport(i record.Import) record.Import {
	i.Path = strings.TrimPrefix(i.Path, "global::")
	if i.Local != "" {
		path, _, _ := strings.Cut(i.Path, "<")
		i.Path, i.Name = CutLast(path)
	}
	return i
}

// phpTest accepts methods named test…, and those with PHPUnit's attribute or annotation.
func phpTest(d *Decl, text string) bool {
	return IsCallable(d.Kind) && (strings.HasPrefix(d.Name, "test") || phpTestMark().MatchString(text[d.Span.Start:max(d.Span.Start, d.NameSpan.Start)]))
}

var phpTestMark = lazy.Regexp(`#\[(?:\\?\w+\\)*(?:Test|DataProvider|TestWith)\b|\* @test\b`)

// phpImport splits the name off a path of namespaces; the path of a file stays as it is.
func phpImport(i record.Import) record.Import {
	if strings.Contains(i.Path, "/") || strings.HasSuffix(i.Path, ".php") {
		return i
	}
	alias := ""
	if i.Local != i.Name {
		alias = i.Local
	}
	path := strings.ReplaceAll(strings.TrimPrefix(i.Path, `\`), `\`, ".")
	if i.Name != "" {
		path += "." + strings.ReplaceAll(i.Name, `\`, ".")
	}
	i.Path, i.Name = CutLast(path)
	i.Local = cmp.Or(alias, i.Name)
	return i
}

// phpDocType returns the type that a doc comment of PHP writes behind @var or @return.
func phpDocType(doc string) string {
	if m := phpDocTag().FindStringSubmatch(doc); m != nil {
		return strings.TrimSuffix(m[1], "[]")
	}
	return ""
}

var phpDocTag = lazy.Regexp(`@(?:phpstan-|psalm-)?(?:var|return)\s+([\\\w|?<>,\[\]]+)`)

var (
	phpEnum          = lazy.Regexp(`(?m)^[ \t]*enum\s+\w+[^{;]*\{`)
	phpEnumConstants = lazy.Regexp(`(?m)^[ \t]*((?:(?:final|public|protected|private)\s+)*const\s+(?:[\w|?\\]+\s+)?)\w+\s*=`)
)

// maskEnumConstants spells the constants of an enum as its cases, because the grammar knows
// no constants there. The declarations come from the file itself.
func maskEnumConstants(content []byte) []byte {
	out, end := content, 0
	for _, e := range phpEnum().FindAllIndex(content, -1) {
		if e[0] < end {
			continue // there are no enums inside of enums
		}
		end = closingBrace(content, e[1]-1)
		for _, m := range phpEnumConstants().FindAllSubmatchIndex(content[e[1]:end], -1) {
			if &out[0] == &content[0] {
				out = bytes.Clone(content)
			}
			word := out[e[1]+m[2] : e[1]+m[3]]
			blank(word)
			copy(word, "case")
		}
	}
	return out
}

// closingBrace returns the offset of the brace that closes the one at open. It skips
// comments and strings.
func closingBrace(s []byte, open int) int {
	depth := 0
	for i := open; i < len(s); i++ {
		switch c := s[i]; {
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		case c == '/' && i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '*'):
			i = skipComment(s, i) - 1
		case c == '"' || c == '\'':
			i = skipQuoted(s, i) - 1
		}
	}
	return len(s)
}

// notPrivate reports whether no private stands before the parameters of a declaration.
func notPrivate(_, header string) bool {
	header, _, _ = strings.Cut(header, "(")
	return !privateWord().MatchString(header)
}

var privateWord = lazy.Regexp(`\bprivate\b`)

// kotlinTest accepts functions with an annotation such as @Test or @ParameterizedTest.
func kotlinTest(d *Decl, text string) bool {
	return IsCallable(d.Kind) && testAnnotation().MatchString(text[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)])
}

// kotlinImport splits the name off the path of an import.
func kotlinImport(i record.Import) record.Import {
	i.Path = strings.ReplaceAll(i.Path, "`", "")
	if i.Name == "" {
		i.Path, i.Name = CutLast(i.Path)
		i.Local = cmp.Or(i.Local, i.Name)
	}
	return i
}
