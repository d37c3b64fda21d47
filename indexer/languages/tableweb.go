package languages

import (
	"bytes"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/html"
	svelte "github.com/tree-sitter-grammars/tree-sitter-svelte/bindings/go"
	css "github.com/tree-sitter/tree-sitter-css/bindings/go"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// webRows holds the languages of pages, which hold scripts and styles.
var webRows = rows(
	row{name: "css", extensions: []string{".css"}, comment: "/*", closing: "*/", data: true, grammar: func() *sitter.Language { return sitter.NewLanguage(css.Language()) },
		query: "css.scm", whole: true, exported: anyName, fixImport: relativeImport},
	row{name: "html", extensions: []string{".html", ".htm", ".xhtml"}, comment: "<!--", closing: "-->", grammar: html.GetLanguage, query: "page.scm ids.scm html.scm", hoisted: true, exported: anyName,
		builtins: scriptBuiltins, fixImport: relativeImport, prepare: notTooDeep, script: ".js", style: ".css"},
	row{name: "svelte", extensions: []string{".svelte"}, comment: "<!--", closing: "-->", grammar: func() *sitter.Language { return sitter.NewLanguage(svelte.Language()) },
		query: "page.scm ids.scm svelte.scm", hoisted: true, exported: exportKeyword, builtins: scriptBuiltins, prepare: notTooDeep, script: ".ts", style: ".css", template: ".ts"},
	row{name: "vue", extensions: []string{".vue"}, comment: "<!--", closing: "-->", grammar: html.GetLanguage, query: "page.scm ids.scm vue.scm", hoisted: true, exported: exportKeyword,
		builtins: scriptBuiltins, prepare: maskPug, script: ".ts", style: ".css", template: ".ts", insertions: vueInterpolations, component: true},
	row{name: "erb", extensions: []string{".erb"}, comment: "<!--", closing: "-->", grammar: html.GetLanguage, query: "page.scm", hoisted: true, marked: true, exported: anyName,
		builtins: rubyBuiltins, prepare: notTooDeep, script: ".js", style: ".css", template: ".rb", insertions: erbTags, unitName: viewName, framework: railsPages},
)

// maxOpenTags bounds the elements around an element. The grammars copy the list of open
// elements at every tag, so a page of nothing but open tags would take a time that grows with
// the square of its size.
const maxOpenTags = 500

var (
	tag = lazy.Regexp(`<(/?)([A-Za-z][\w-]*)`)
	// unclosed are the elements that need no closing tag.
	unclosed = wordsOf(`area base br col embed hr img input link meta param source track wbr p li dt dd tr td th thead tbody tfoot option optgroup rt rp colgroup`)
)

// notTooDeep blanks a page from the tag on that opens too many elements.
func notTooDeep(content []byte) []byte {
	open := 0
	for _, m := range tag().FindAllSubmatchIndex(content, -1) {
		switch {
		case unclosed[strings.ToLower(string(content[m[4]:m[5]]))]:
		case m[2] < m[3]:
			open = max(open-1, 0)
		default:
			open++
		}
		if open > maxOpenTags {
			out := bytes.Clone(content)
			blank(out[m[0]:])
			return out
		}
	}
	return content
}

// relativeImport makes the path of a file relative, as the paths of scripts are.
func relativeImport(i record.Import) record.Import {
	if i.Path != "" && !strings.HasPrefix(i.Path, "/") && !strings.HasPrefix(i.Path, ".") && !strings.Contains(i.Path, ":") {
		i.Path = "./" + i.Path
	}
	return i
}
