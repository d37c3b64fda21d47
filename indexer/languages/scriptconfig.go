package languages

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
)

// The keys of what a configuration of TypeScript maps, beside the patterns of its paths.
const (
	ScriptBase    = "baseUrl"
	ScriptExtends = "extends"
)

const (
	maxMappings     = 256 // of one configuration
	maxMappingBytes = 512 // of one of them
)

// scriptConfig returns what package.json, tsconfig.json and jsconfig.json say of the names of
// modules: the name of the package on the first line, and on each further line a name, a tab,
// and a path that the name means. It is "" when they say nothing, and for another file.
func scriptConfig(base string, content []byte) string {
	var m mappings
	switch {
	case base == "package.json":
		m.manifest(content)
	case base == "jsconfig.json", strings.HasPrefix(base, "tsconfig") && path.Ext(base) == ".json":
		m.compiler(PlainJSON(content))
	}
	return m.b.String()
}

// mappings writes the lines of scriptConfig.
type mappings struct {
	b strings.Builder
	n int
}

func (m *mappings) add(name, target string) {
	if m.n++; m.n > maxMappings || len(name)+len(target) > maxMappingBytes || strings.ContainsAny(name+target, "\t\n") || target == "" {
		return
	}
	m.b.WriteString("\n" + name + "\t" + target)
}

// manifest reads package.json.
//
// Source: https://nodejs.org/api/packages.html.
func (m *mappings) manifest(content []byte) {
	var p struct {
		Name                          string
		Source, Module, Main          any
		Types, Typings                any
		Exports, Imports, Development any
	}
	_ = json.Unmarshal(content, &p) // what can be read of a broken manifest counts
	m.b.WriteString(p.Name)
	m.targets(".", p.Exports)
	for _, entry := range []any{p.Source, p.Module, p.Main, p.Types, p.Typings} {
		if s, ok := entry.(string); ok {
			m.add(".", s)
		}
	}
	m.targets("", p.Imports)
}

// targets adds what a value of "exports" or "imports" maps a name to: a path, a list, or
// paths by condition.
func (m *mappings) targets(name string, value any) {
	switch v := value.(type) {
	case string:
		m.add(name, v)
	case []any:
		for _, x := range v {
			m.targets(name, x)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if strings.HasPrefix(key, ".") || strings.HasPrefix(key, "#") {
				m.targets(key, v[key])
			} else if name != "" {
				m.targets(name, v[key])
			}
		}
	}
}

// compiler reads tsconfig.json.
//
// Source: https://www.typescriptlang.org/tsconfig/.
func (m *mappings) compiler(content []byte) {
	var c struct {
		Extends         any
		CompilerOptions struct {
			BaseURL string `json:"baseUrl"`
			Paths   map[string][]string
		}
	}
	_ = json.Unmarshal(content, &c) // as above
	switch e := c.Extends.(type) {
	case string:
		m.add(ScriptExtends, e)
	case []any:
		for _, x := range e {
			if s, ok := x.(string); ok {
				m.add(ScriptExtends, s)
			}
		}
	}
	m.add(ScriptBase, c.CompilerOptions.BaseURL)
	for _, pattern := range slices.Sorted(maps.Keys(c.CompilerOptions.Paths)) {
		for _, target := range c.CompilerOptions.Paths[pattern] {
			m.add(pattern, target)
		}
	}
}

// PlainJSON returns JSON with comments and trailing commas as plain JSON.
func PlainJSON(content []byte) []byte {
	out := make([]byte, 0, len(content))
	for i := 0; i < len(content); i++ {
		c := content[i]
		switch {
		case c == '"':
			end := i + 1
			for end < len(content) && content[end] != '"' {
				if content[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(content))
			out = append(out, content[i:end]...)
			i = end - 1
			continue
		case c == '/' && bytes.HasPrefix(content[i:], []byte("//")):
			for i+1 < len(content) && content[i+1] != '\n' {
				i++
			}
			continue
		case c == '/' && bytes.HasPrefix(content[i:], []byte("/*")):
			end := bytes.Index(content[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
			continue
		case c == '}' || c == ']':
			if before := bytes.TrimRight(out, " \t\r\n"); bytes.HasSuffix(before, []byte(",")) {
				out = before[:len(before)-1]
			}
		}
		out = append(out, c)
	}
	return out
}
