package languages

import (
	"bytes"
	"regexp"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// scalaVisible reports whether no private stands before the parameters of a declaration. What
// is private in a package is visible to other files.
func scalaVisible(_, header string) bool {
	header, _, _ = strings.Cut(header, "(")
	return !scalaPrivate().MatchString(header)
}

var scalaPrivate = lazy.Regexp(`\bprivate(?:\[this\])?\s`)

// scalaTest accepts the tests of MUnit and ScalaTest, and functions with an annotation of JUnit.
func scalaTest(d *Decl, text string) bool { return d.Kind == record.KindTest || kotlinTest(d, text) }

// scalaBody begins the body of a declaration with its equals sign. A name can begin with a
// colon.
func scalaBody(d *Decl, text string) {
	if d.Kind != record.KindTest {
		d.Name = strings.Trim(text[d.NameSpan.Start:d.NameSpan.End], "`")
	}
	if before := trimBlanks(text[d.Span.Start:max(d.Span.Start, d.Body.Start)]); strings.HasSuffix(before, "=") {
		d.Body.Start = d.Span.Start + len(before) - 1
	}
}

// scalaImports reads an import: `import a.{b, c => d, _}, e.f`.
func scalaImports(text string, line int) []record.Import {
	exported := strings.HasPrefix(text, "export")
	text = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(text, "export"), "import"))
	var out []record.Import
	for _, part := range splitTop(text) {
		path, names, several := strings.Cut(part, "{")
		list := []string{path}
		if several {
			list = splitTop(strings.TrimSuffix(strings.TrimSpace(names), "}"))
		}
		for _, name := range list {
			i := record.Import{Line: line, Exported: exported}
			name, alias := renamed(name)
			if i.Path, i.Name = strings.TrimSuffix(plainPath(path), "."), plainPath(name); !several {
				i.Path, i.Name = CutLast(i.Name)
			}
			switch {
			case i.Name == "" || alias == "_":
				continue
			case i.Name == "_", i.Name == "*", strings.HasPrefix(i.Name, "given"):
				i.Name = "*"
			default:
				if i.Local = i.Name; alias != "" {
					i.Local = alias
				}
			}
			out = append(out, i)
		}
	}
	return out
}

// renamed splits `a => b` and `a as b`.
func renamed(s string) (name, alias string) {
	for _, word := range []string{"=>", " as "} {
		if name, alias, ok := strings.Cut(s, word); ok {
			return name, plainPath(alias)
		}
	}
	return s, ""
}

// plainPath returns a written path without blanks and backticks.
func plainPath(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "`", "")
}

var (
	scalaEnum  = lazy.Regexp(`(?m)^[ \t]*((?:(?:private|protected|sealed|final)(?:\[\w+\])?[ \t]+)+enum)[ \t]`)
	scalaLists = lazy.Regexp(`\bextends\s+[\w.]+(?:\[[^\]\n]*\])?\([^()\n]*\)((?:\([^()\n]*\))+)`)
)

// maskScala blanks what the grammar does not know: the modifiers of an enum, whose place the
// word enum takes, because indents have a meaning, and the second list of arguments of a base
// class. It returns content itself when it changes nothing.
func maskScala(content []byte) []byte {
	out := content
	for _, re := range []*regexp.Regexp{scalaEnum(), scalaLists()} {
		for _, m := range re.FindAllSubmatchIndex(content, -1) {
			if &out[0] == &content[0] {
				out = bytes.Clone(content)
			}
			blank(out[m[2]:m[3]])
			if re == scalaEnum() {
				copy(out[m[2]:], "enum")
			}
		}
	}
	return out
}
