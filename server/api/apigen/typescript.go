package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ambit/server/api"
)

// tsNames are the types whose names in TypeScript are not those in Go: State and Status
// are the client's own, and Symbol is the language's.
var tsNames = map[string]string{
	"Question": "ContextParams", "Answer": "ContextAnswer", "Symbol": "ContextSymbol",
	"SearchQuestion": "SearchParams", "Matches": "SearchAnswer", "RelatedQuestion": "RelatedParams",
	"ExplainQuestion": "ExplainParams", "ChunksQuestion": "ChunksParams", "Chunks": "ChunksAnswer",
	"StatusQuestion": "StatusParams", "Status": "FolderStatus", "State": "FolderState",
	"ReindexQuestion": "ReindexParams", "PauseQuestion": "PauseParams",
}

const tsHead = `// Generated from server/api by "go generate ./server/api"; do not edit.

/**
 * The ambit.* commands and notifications of the server.
 *
 * Lines are 1-based and inclusive. Positions and ranges are those of the Language Server
 * Protocol: zero-based, half-open, in UTF-16 units. Paths are relative to their folder,
 * with "/".
 */
`

// typeScript returns protocol.d.ts.
func typeScript(m *model) string {
	var b strings.Builder
	b.WriteString(tsHead)
	for _, t := range m.types {
		b.WriteString("\n")
		writeTSDoc(&b, "", m.docs[t.Name()])
		name := tsName(t)
		if t.Kind() == reflect.String {
			fmt.Fprintf(&b, "export type %s = %s;\n", name, quoted(m.values[t.Name()]))
			continue
		}
		if base := embedded(t); base != nil {
			name += " extends " + tsName(base)
		}
		fmt.Fprintf(&b, "export interface %s {\n", name)
		for _, f := range m.fields(t) {
			writeTSDoc(&b, "  ", sentence(f))
			optional := ""
			if f.optional {
				optional = "?"
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", f.name, optional, tsTypes.write(f.typ))
		}
		b.WriteString("}\n")
	}
	b.WriteString("\n/** The commands by name. */\nexport interface Commands {\n")
	for _, c := range commands {
		params, result := tsName(c.question), "null"
		if !m.hasRequired(c.question) {
			params += " | undefined"
		}
		if c.answer != nil {
			result = tsName(c.answer)
		}
		fmt.Fprintf(&b, "  %q: { params: %s; result: %s };\n", c.name, params, result)
	}
	b.WriteString("}\n")
	return b.String()
}

// hasRequired reports whether a question has a field that must be there. A question of
// ambit.context or ambit.explain needs one of several.
func (m *model) hasRequired(t reflect.Type) bool {
	if t == reflect.TypeFor[api.Question]() || t == reflect.TypeFor[api.ExplainQuestion]() {
		return true
	}
	return slices.ContainsFunc(m.allFields(t), func(f field) bool { return !f.optional })
}

// tsName returns the name of a struct or an enumeration.
func tsName(t reflect.Type) string {
	if name, ok := tsNames[t.Name()]; ok {
		return name
	}
	return t.Name()
}

// tsTypes is the notation of types in TypeScript.
var tsTypes = notation{func(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[api.SourceName]():
		return "string | SourceName"
	case t.Kind() == reflect.Struct, t.Kind() == reflect.String && t.PkgPath() == reflect.TypeFor[api.Answer]().PkgPath():
		return tsName(t)
	}
	return ""
}, "%s[]", "Record<string, %s>", "[first: number, last: number]", "number", "number"}

// writeTSDoc writes a comment of any length.
func writeTSDoc(b *strings.Builder, indent, doc string) {
	if doc == "" {
		return
	}
	lines := wrapped(doc, 92-len(indent))
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, doc)
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		fmt.Fprintf(b, "%s * %s\n", indent, line)
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

// wrapped breaks text into lines of at most width bytes.
func wrapped(text string, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, line)
}

// sentence returns the comment of a field with its valid values and its default.
func sentence(f field) string {
	parts := []string{strings.TrimSuffix(f.doc, ".")}
	if valid := validText(f); valid != "" {
		parts = append(parts, valid)
	}
	if value := f.tag.Get("default"); value != "" {
		parts = append(parts, "default "+value)
	}
	text := strings.TrimPrefix(strings.Join(parts, "; "), "; ")
	if strings.HasSuffix(f.doc, ".") && text != "" {
		text += "."
	}
	return text
}

// validText describes the valid values of a field, "" when its type is enough.
func validText(f field) string {
	low, high := f.tag.Get("min"), f.tag.Get("max")
	text := ""
	switch {
	case low != "":
		text = "from " + low + " to " + high
	case high != "" && f.typ.Kind() == reflect.String:
		text = "at most " + high + " bytes"
	case high != "":
		text = "at most " + high + " of them"
	case f.tag.Get("enum") != "":
		text = "one of " + strings.ReplaceAll(f.tag.Get("enum"), ",", ", ")
	}
	if alias := f.tag.Get("alias"); alias != "" {
		text += " (" + strings.NewReplacer("=", " for ", ",", ", ").Replace(alias) + ")"
	}
	return text
}
