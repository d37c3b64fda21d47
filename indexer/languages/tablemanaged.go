package languages

import (
	"regexp"
	"strings"

	"github.com/smacker/go-tree-sitter/csharp"

	"ambit/vectors/record"
)

// managedRows holds C#, PHP, Kotlin, Swift and Scala.
var managedRows = rows(
	row{name: "csharp", extensions: []string{".cs", ".csx"}, comment: "//", grammar: csharp.GetLanguage, query: "csharp.scm", exported: sharpModifier, builtins: csharpBuiltins,
		isTest: csharpTest, fixImport: csharpImport, roots: map[string]string{"base": superRoot}, prepare: maskConditionals},
)

// superRoot is the word for the base of the type around a use in the receivers of all
// languages.
const superRoot = "super"

// sharpModifier reports whether a declaration of C# has an access modifier that shows it to
// other types. A type without one is visible in its assembly, a member is private.
func sharpModifier(_, header string) bool {
	return sharpVisible.MatchString(header) || sharpType.MatchString(header)
}

var (
	sharpVisible = regexp.MustCompile(`^(?:\[[^\n]*\]\s*|\w+\s+)*?(?:public|internal|protected)\b`)
	sharpType    = regexp.MustCompile(`^(?:\[[^\n]*\]\s*|(?:static|abstract|sealed|partial|readonly|ref|unsafe|file)\s+)*(?:class|struct|interface|enum|record|delegate)\b`)
)

// csharpTest accepts methods with an attribute of xUnit, NUnit or MSTest.
func csharpTest(d *Decl, text string) bool {
	return IsCallable(d.Kind) && csharpTestAttribute.MatchString(text[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)])
}

var csharpTestAttribute = regexp.MustCompile(`\[(?:\w+\.)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Benchmark)(?:Attribute)?\b`)

// csharpImport splits the type off the path of an alias.
func csharpImport(i record.Import) record.Import {
	i.Path = strings.TrimPrefix(i.Path, "global::")
	if i.Local != "" {
		path, _, _ := strings.Cut(i.Path, "<")
		i.Path, i.Name = CutLast(path)
	}
	return i
}
