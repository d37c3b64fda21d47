package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ambit/server/api"
)

// luaNames are the names of the classes whose names differ from those of the Go types.
var luaNames = map[string]string{
	"Answer": "ContextResult", "Matches": "SearchResult", "Chunks": "ChunksResult", "StatusAnswer": "StatusResult",
	"Status": "FolderStatus", "State": "Status", "Reindexed": "ReindexResult",
}

// luaIntros say which function of the plugin has a class as its result.
var luaIntros = map[string]string{
	"Answer": "The result of |ambit.context()|.", "Matches": "The result of |ambit.search()| and |ambit.related()|.",
	"Explanation": "The result of |ambit.explain()|.", "Chunks": "The result of |ambit.chunks()|.",
	"StatusAnswer": "The result of |ambit.status()|.", "Reindexed": "The result of |ambit.reindex()|.",
	"State": "The progress of an index.",
}

const luaHead = `---@meta
-- Generated from server/api by "go generate ./server/api"; do not edit.
-- The answers of the server, as the server sends them. Lines are 1-based and
-- inclusive, paths relative to the workspace with "/"; ranges are those of the Language
-- Server Protocol, in the encoding that ` + "`offset_encoding`" + ` names.
`

// lua returns types.lua: the classes of the answers.
func lua(m *model) string {
	var b strings.Builder
	b.WriteString(luaHead)
	types := luaTypes(m)
	answers := &model{docs: m.docs, values: m.values}
	for _, c := range commands {
		answers.add(c.answer)
	}
	for _, t := range answers.types {
		if t.Kind() == reflect.String || slices.Contains([]string{"Range", "Position"}, t.Name()) {
			continue
		}
		b.WriteString("\n")
		doc := luaIntros[t.Name()]
		if doc == "" {
			doc = m.docs[t.Name()]
		}
		for _, line := range wrapped(doc, 90) {
			b.WriteString("---" + line + "\n")
		}
		b.WriteString("---@class " + luaName(t))
		if base := embedded(t); base != nil {
			b.WriteString(": " + luaName(base))
		}
		b.WriteString("\n")
		for _, f := range m.fields(t) {
			typ := types.write(f.typ)
			if f.optional {
				typ += "?"
			}
			b.WriteString(strings.TrimSpace(fmt.Sprintf("---@field %s %s %s", f.name, typ, sentence(f))) + "\n")
		}
		if slices.Contains([]string{"Answer", "Matches", "Chunks"}, t.Name()) {
			b.WriteString("---@field offset_encoding string of the ranges; the plugin adds it\n")
		}
	}
	return b.String()
}

func luaName(t reflect.Type) string {
	name := t.Name()
	if other, ok := luaNames[name]; ok {
		name = other
	}
	return "ambit." + name
}

// luaTypes returns the notation of types in Lua.
func luaTypes(m *model) *notation {
	named := func(t reflect.Type) string {
		switch {
		case t == reflect.TypeFor[api.Range]():
			return "lsp.Range"
		case t.Kind() == reflect.Struct:
			return luaName(t)
		case t.Kind() == reflect.String && m.values[t.Name()] != nil:
			return strings.ReplaceAll(quoted(m.values[t.Name()]), " ", "")
		}
		return ""
	}
	return &notation{named, "%s[]", "table<string, %s>", "integer[]", "integer", "number"}
}
