package languages

import (
	"bytes"
	"slices"

	"ambit/indexer/lazy"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/hcl"
	"github.com/smacker/go-tree-sitter/protobuf"
	"github.com/smacker/go-tree-sitter/toml"
	yaml "github.com/tree-sitter-grammars/tree-sitter-yaml/bindings/go"
	json "github.com/tree-sitter/tree-sitter-json/bindings/go"
)

// dataRows holds the languages of schemas, configuration and data.
var dataRows = rows(
	row{name: "protobuf", extensions: []string{".proto"}, comment: "//", grammar: protobuf.GetLanguage, prepare: maskProto, query: "protobuf.scm", exported: anyName, builtins: protobufBuiltins},
	row{name: "hcl", extensions: []string{".tf", ".tfvars", ".hcl", ".nomad"}, comment: "#", grammar: hcl.GetLanguage, query: "hcl.scm", whole: true, exported: anyName, fixDecl: hclName, fixRef: hclPath},
	row{name: "json", extensions: []string{".json", ".jsonc", ".json5", ".webmanifest", ".geojson"}, names: []string{".babelrc", ".eslintrc", ".prettierrc"}, comment: "//", data: true,
		grammar: func() *sitter.Language { return sitter.NewLanguage(json.Language()) }, query: "json.scm", exported: anyName},
	row{name: "yaml", extensions: []string{".yaml", ".yml"}, names: []string{".clang-format", ".clang-tidy"}, comment: "#", data: true, prepare: maskActions,
		grammar: func() *sitter.Language { return sitter.NewLanguage(yaml.Language()) }, query: "yaml.scm", exported: anyName},
	row{name: "toml", extensions: []string{".toml"}, names: []string{"Pipfile"}, comment: "#", data: true, grammar: toml.GetLanguage, query: "toml.scm", exported: anyName},
)

// templateAction matches an action of a template, such as Helm writes into YAML.
var templateAction = lazy.Regexp(`(?m)(^[ \t]*(?:- )?)?(\{\{[^\n]*?\}\})([ \t]*$)?`)

// maskActions makes YAML of a template: an action that is alone on its line becomes blank,
// another one a word of the same length.
func maskActions(content []byte) []byte {
	if !bytes.Contains(content, []byte("{{")) {
		return content
	}
	out := bytes.Clone(content)
	for _, m := range templateAction().FindAllSubmatchIndex(content, -1) {
		action := out[m[4]:m[5]]
		if m[2] >= 0 && m[6] >= 0 && !bytes.Contains(out[m[2]:m[3]], []byte("-")) {
			blank(action)
			continue
		}
		for i := range action {
			action[i] = 'x'
		}
	}
	return out
}

// maxKeys bounds the keys of a file of data that are units. A file with more keeps those of
// the outer levels.
const maxKeys = 1000

// fewKeys drops the keys of the deepest levels, which are the last patterns of the query,
// while there are more than maxKeys.
func (b *builder) fewKeys() {
	for len(b.decls) > maxKeys {
		deepest := uint16(0)
		for i := range b.decls {
			deepest = max(deepest, b.decls[i].pattern)
		}
		n := len(b.decls)
		b.decls = slices.DeleteFunc(b.decls, func(d rawDecl) bool { return d.pattern == deepest })
		if len(b.decls) == 0 || n-len(b.decls) == 0 {
			return
		}
	}
}

// IsData reports whether the files of a language hold data or configuration.
func IsData(language string) bool {
	return slices.ContainsFunc(table, func(r *row) bool { return r.data && r.name == language })
}

// IsBuild reports whether the files of a language say how a project is built, and are not a
// part of it.
func IsBuild(language string) bool {
	return slices.ContainsFunc(patternTable, func(r *patternRow) bool { return r.build && r.name == language })
}
