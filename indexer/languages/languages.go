// Package languages turns the bytes of one file into an [Outline]: declarations,
// references, imports, local names, headings and paragraphs as plain values.
//
// Parse never fails and reads only its arguments. A file that no grammar covers is prose,
// and a syntax error can lose the declaration around it. Syntax trees and C pointers
// never leave the package. All functions are safe for concurrent use.
package languages

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// Parse reads one file. The outline keeps content, which must not change afterwards.
func Parse(p record.Path, content []byte) Outline {
	o := parse(p, content)
	switch path.Base(string(p)) {
	case "go.mod":
		if m := moduleClause().FindSubmatch(content); m != nil {
			o.Package = string(m[1])
		}
	case "Cargo.toml":
		o.Package = crateName(content)
	default:
		if config := scriptConfig(path.Base(string(p)), content); config != "" {
			o.Package = config
		}
	}
	if matchesFile(sqlSchemas, string(p)) {
		o.Tables = sqlTables(string(content))
	}
	o.Test = isTestPath(string(p))
	return o
}

// Costly is the Outline.Partial of a file whose parse would take more work than its size
// allows.
const Costly = "too costly to parse"

func parse(p record.Path, content []byte) Outline {
	if r := rowOf(p, content); r != nil {
		if o, ok := r.parseCode(p, content); ok {
			return o
		}
		o := parseProse(p, content)
		o.Partial = Costly
		return o
	}
	switch documents[strings.ToLower(path.Ext(string(p)))] {
	case languageMarkdown:
		return parseMarkdown(p, content)
	case languageNotebook:
		return parseNotebook(p, content)
	}
	return parseProse(p, content)
}

// documents gives the languages of documents by extension. Files such as README have none.
var documents = func() map[string]string {
	m := map[string]string{"": languageText, ".txt": languageText, ".text": languageText, ".tex": languageText,
		".md": languageMarkdown, ".markdown": languageMarkdown, ".mdx": languageMarkdown, ".ipynb": languageNotebook}
	for _, markup := range markups {
		for _, ext := range markup.extensions {
			m[ext] = markup.language
		}
	}
	return m
}()

// Language returns the language of a file with a path, by its name alone; "" for one that has no row.
func Language(p record.Path) string {
	if r := rowOf(p, nil); r != nil {
		return r.name
	}
	return ""
}

// IsDocument reports whether a file with this name is one that people write for readers. A
// paragraph may be one long line there, and a notebook holds its pictures.
func IsDocument(name string) bool { return documents[strings.ToLower(path.Ext(name))] != "" }

// moduleClause finds the path of a Go module in its go.mod.
var moduleClause = lazy.Regexp(`(?m)^module\s+"?([^\s"]+)`)

// crateName returns the name of the library of a Cargo package, as Rust code writes it. It is
// "" for a manifest without a package.
func crateName(manifest []byte) string {
	var m struct {
		Package, Lib struct{ Name string }
	}
	if _, err := toml.Decode(string(manifest), &m); err != nil {
		return ""
	}
	return strings.ReplaceAll(cmp.Or(m.Lib.Name, m.Package.Name), "-", "_")
}

// isTestPath reports whether the name or the directory of a file marks it as a test, an
// example, a fixture or a benchmark.
func isTestPath(p string) bool {
	base := path.Base(p)
	stem := strings.TrimSuffix(base, path.Ext(base))
	switch {
	case strings.HasSuffix(stem, "_test"), strings.HasPrefix(stem, "test_"), strings.HasSuffix(stem, ".test"), strings.HasSuffix(stem, ".spec"),
		strings.HasSuffix(stem, "_spec"), strings.HasSuffix(stem, "Test"), strings.HasSuffix(stem, "Tests"), strings.HasSuffix(stem, "_unittest"), stem == "conftest":
		return true
	}
	for _, dir := range strings.Split(path.Dir(p), "/") {
		switch dir {
		case "test", "tests", "testing", "__tests__", "spec", "specs", "testdata", "fixtures", "examples", "example", "benchmarks", "benchmark", "bench", "e2e", "__mocks__", "mocks":
			return true
		}
	}
	return false
}

// The languages of documents.
const (
	languageMarkdown = "markdown"
	languageText     = "text"
	languageNotebook = "notebook"
)

// IsProse reports whether a language is one of documents: Markdown, another mark-up language,
// notebooks and plain text.
func IsProse(language string) bool {
	switch language {
	case languageMarkdown, languageText, languageNotebook:
		return true
	}
	return slices.ContainsFunc(markups, func(m *markup) bool { return m.language == language })
}

// CommentMarks returns the marks that open and close a comment on one line. Both are
// empty for a language without comments. closing is empty when the line end closes the
// comment.
func CommentMarks(language string) (opening, closing string) {
	for _, r := range table {
		if r.name == language {
			return r.comment, r.closing
		}
	}
	for _, r := range patternTable {
		if r.name == language {
			return r.line[0], ""
		}
	}
	if language == languageMarkdown {
		return "<!--", "-->"
	}
	return "", ""
}

// PathSeparator returns the text that a language writes between two names of a path.
func PathSeparator(language string) string {
	for _, r := range table {
		if r.name == language && r.separator != "" {
			return r.separator
		}
	}
	return "."
}
