package languages

import (
	"bytes"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/elixir"
	lua "github.com/tree-sitter-grammars/tree-sitter-lua/bindings/go"
	ocaml "github.com/tree-sitter/tree-sitter-ocaml/bindings/go"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// scriptRows holds the scripting and functional languages.
var scriptRows = rows(
	row{name: "bash", extensions: []string{".sh", ".bash", ".zsh", ".ksh", ".bats"}, names: []string{".bashrc", ".bash_profile", ".bash_aliases", ".zshrc", ".profile"}, shebangs: []string{"sh", "bash", "zsh", "ksh", "dash", "bats"}, comment: "#",
		grammar: bash.GetLanguage, query: "bash.scm", hoisted: true, whole: true, exported: noUnderscore, builtins: bashBuiltins, isTest: testKind, fixImport: bashImport, prepare: maskTests},
	row{name: "lua", extensions: []string{".lua", ".rockspec"}, shebangs: []string{"lua", "luajit", "resty"}, comment: "--",
		grammar: func() *sitter.Language { return sitter.NewLanguage(lua.Language()) }, query: "lua.scm", whole: true, exported: notLocal, builtins: luaBuiltins, passers: []string{"setmetatable("}, isTest: testKind},
	row{name: "elixir", extensions: []string{".ex", ".exs"}, shebangs: []string{"elixir"}, comment: "#",
		grammar: elixir.GetLanguage, query: "elixir.scm", whole: true, exported: notDefp, builtins: elixirBuiltins, isTest: testKind, fixImport: elixirImport},
	row{name: "ocaml", aliases: true, comment: "(*", closing: "*)", extensions: []string{".ml"}, shebangs: []string{"ocaml"}, grammar: func() *sitter.Language { return sitter.NewLanguage(ocaml.LanguageOCaml()) },
		query: "ocaml.scm", whole: true, docBelow: true, exported: anyName, builtins: ocamlBuiltins, isTest: testKind},
	row{name: "ocaml_interface", aliases: true, comment: "(*", closing: "*)", extensions: []string{".mli"}, grammar: func() *sitter.Language { return sitter.NewLanguage(ocaml.LanguageOCamlInterface()) },
		query: "ocaml.scm", whole: true, docBelow: true, exported: anyName, builtins: ocamlBuiltins, isTest: testKind},
)

// batsTest matches the head of a test of bats, up to its body.
var batsTest = lazy.Regexp(`(?m)^[ \t]*(@test[ \t]+)("[^"\n]*"|'[^'\n]*')[ \t]+\{`)

// maskTests makes the tests of bats functions that the grammar knows: `@test "a b" {`
// becomes `      _a_b() {`. The names and titles of declarations come from the file itself.
func maskTests(content []byte) []byte {
	if !bytes.Contains(content, []byte("@test")) {
		return content
	}
	out := content
	for _, m := range batsTest().FindAllSubmatchIndex(content, -1) {
		if len(out) > 0 && &out[0] == &content[0] {
			out = bytes.Clone(content)
		}
		blank(out[m[2]:m[3]])
		for i := m[4]; i < m[5]-1; i++ {
			out[i] = '_'
		}
		out[m[5]-1], out[m[5]] = '(', ')'
	}
	return out
}

// bashImport reads the path of a sourced file. Variables and commands in front of the path
// name a directory that only the running script knows.
func bashImport(i record.Import) record.Import {
	s := i.Path
	if at := strings.LastIndexAny(s, "})"); at >= 0 {
		s = s[at+1:]
	} else if strings.HasPrefix(s, "$") {
		_, s, _ = strings.Cut(s, "/")
	}
	i.Path, i.Name, i.Local = strings.Trim(s, `"'/`), "*", ""
	return i
}

func notLocal(name, header string) bool {
	return !strings.HasPrefix(header, "local ") && !strings.HasPrefix(name, "_")
}

// elixirImport sets the names of a module: code names the module by the last component, or by
// the alias, and the module has its full name.
func elixirImport(i record.Import) record.Import {
	switch i.Name {
	case "*":
		return i
	case i.Path:
	default: // alias Shop.{Cart, Price}
		i.Path += "." + i.Name
		i.Local = ""
	}
	if i.Local == "" || i.Local == i.Name {
		_, i.Local = CutLast(i.Path)
	}
	i.Name = i.Path
	return i
}

func notDefp(_, header string) bool {
	for _, private := range []string{"defp ", "defmacrop ", "defguardp ", "defnp ", "@typep "} {
		if strings.HasPrefix(header, private) {
			return false
		}
	}
	return true
}
