package deps

import (
	"bytes"

	"ambit/indexer/lazy"
)

// cMacros are the macros of the headers of the system that stand around declarations and say nothing of
// what is declared: visibility, exceptions, inline name spaces, attributes. The grammar takes a word
// that it does not know for a type or for a broken declaration, and so loses the name space around it.
var cMacros = lazy.Regexp(`\b(?:` +
	`_GLIBCXX\w*(?:VISIBILITY|SUGGEST|SUGGEST_ALT|_THROW|NOEXCEPT_IF|NOEXCEPT_PARM|THROW_OR_ABORT|DEPRECATED|INIT)` + cArguments +
	`|_GLIBCXX\w*(?:NAMESPACE|CONSTEXPR|NOEXCEPT|DEPRECATED|NODISCARD|NORETURN|PURE|CONST|TXN_SAFE\w*|ABI_TAG_CXX11|INLINE)\b` +
	`|_GLIBCXX_(?:BEGIN|END)_\w+` +
	`|__glibcxx_(?:function|class)_requires\d?` + cArguments +
	`|__(?:THROW|THROWNL|wur|BEGIN_DECLS|END_DECLS|LEAF|COLD|attribute_\w+__)\b(?:[ \t]*\(\([^()\n]*\)\))?` +
	`|__(?:nonnull|attr_\w+|fortified_attr_\w+)` + cArguments +
	`|__(?:attribute__|INT_N\w*)` + cArguments +
	`|__extension__\b` +
	// what the grammar does not know: pointers to members, conversions by using, and friends by constexpr
	`|(\w+::)\*` +
	`|using[ \t]+\w+::operator[^;\n]*;` +
	`|friend[ \t]+(constexpr)\b` +
	`|__glibcxx_\w+[ \t]*\(([^()\n]*)\)` + // has types as arguments, which are blanked alone
	`)`)

// cArguments are the arguments of a macro, with two levels of parentheses in them.
const cArguments = `[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)`

// cNextInclude is the directive that the grammar does not know.
const cNextInclude = "include_next"

// withoutMacros returns the text of a header of the same length and lines without such macros. Of the
// lines of the preprocessor only include_next is spelled as include.
func withoutMacros(text []byte) []byte {
	out := bytes.ReplaceAll(text, []byte(cNextInclude), []byte("include     "))
	for _, m := range cMacros().FindAllSubmatchIndex(text, -1) {
		line := text[1+bytes.LastIndexByte(text[:m[0]], '\n') : m[0]]
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			continue
		}
		at := 0
		for part := 2; part < len(m); part += 2 {
			if m[part] >= 0 {
				at = part
			}
		}
		blank(out[m[at]:m[at+1]])
	}
	return out
}
