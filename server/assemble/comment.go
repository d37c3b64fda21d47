package assemble

import "strings"

// comments tells how a language writes a comment on one line: what opens it and
// what closes it. A language that is not here takes unknownComment.
var comments = map[string][2]string{
	"":           {},
	"text":       {},
	"markdown":   {"<!--", "-->"},
	"html":       {"<!--", "-->"},
	"xml":        {"<!--", "-->"},
	"svelte":     {"<!--", "-->"},
	"css":        {"/*", "*/"},
	"ocaml":      {"(*", "*)"},
	"sql":        {"--", ""},
	"lua":        {"--", ""},
	"haskell":    {"--", ""},
	"go":         {"//", ""},
	"typescript": {"//", ""},
	"tsx":        {"//", ""},
	"javascript": {"//", ""},
	"jsx":        {"//", ""},
	"rust":       {"//", ""},
	"java":       {"//", ""},
	"c":          {"//", ""},
	"cpp":        {"//", ""},
	"c++":        {"//", ""},
	"csharp":     {"//", ""},
	"c#":         {"//", ""},
	"php":        {"//", ""},
	"kotlin":     {"//", ""},
	"swift":      {"//", ""},
	"scala":      {"//", ""},
	"protobuf":   {"//", ""},
	"json":       {"//", ""}, // as in JSON with comments: JSON itself has none
	"zig":        {"//", ""},
	"dart":       {"//", ""},
	"fsharp":     {"//", ""},
	"clojure":    {";", ""},
	"assembly":   {";", ""},
	"erlang":     {"%", ""},
	"vim":        {"\"", ""},
}

// unknownComment fits Python, Ruby, Perl, R, Julia, Nim, shells, Elixir, YAML, TOML,
// HCL, Dockerfiles and makefiles.
var unknownComment = [2]string{"#", ""}

// comment returns text as one line in the comment syntax of language, "\n"
// included. What would close the comment early is spaced out.
func comment(language, text string) string {
	c, ok := comments[language]
	if !ok {
		c = unknownComment
	}
	switch {
	case c[0] == "":
		return text + "\n"
	case c[1] == "":
		return c[0] + " " + text + "\n"
	}
	text = strings.ReplaceAll(text, c[1], c[1][:1]+" "+c[1][1:])
	return c[0] + " " + text + " " + c[1] + "\n"
}
