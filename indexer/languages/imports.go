package languages

import (
	"strings"

	"ambit/vectors/record"
)

// useTree reads a nested list of paths as Rust writes it: `a::{b, c as d, e::*}`.
func useTree(s string, line int) []record.Import {
	var out []record.Import
	var walk func(prefix, s string, depth int)
	walk = func(prefix, s string, depth int) {
		s = strings.TrimSpace(s)
		if depth > 16 || s == "" {
			return
		}
		if i := strings.IndexByte(s, '{'); i >= 0 && strings.HasSuffix(s, "}") {
			prefix = joinPath(prefix, strings.TrimSuffix(strings.TrimSpace(s[:i]), "::"))
			for _, part := range splitTop(s[i+1 : len(s)-1]) {
				walk(prefix, part, depth+1)
			}
			return
		}
		s, alias, _ := strings.Cut(s, " as ")
		path, name := CutLast(joinPath(prefix, strings.TrimSpace(s)))
		if name == "self" {
			path, name = CutLast(path)
		}
		i := record.Import{Path: path, Name: name, Local: name, Line: line}
		if alias != "" {
			i.Local = strings.TrimSpace(alias)
		}
		if name == "*" {
			i.Local = ""
		}
		out = append(out, i)
	}
	walk("", s, 0)
	return out
}

func joinPath(a, b string) string {
	b = strings.ReplaceAll(b, "::", ".")
	if a == "" || b == "" {
		return a + b
	}
	return a + "." + b
}

// splitTop splits s at the commas that stand outside brackets.
func splitTop(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{', '(', '[', '<':
			depth++
		case '>':
			if i == 0 || s[i-1] != '-' && s[i-1] != '=' { // not an arrow
				depth--
			}
		case '}', ')', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, s[start:i])
				start = i + 1
			}
		}
	}
	return append(out, s[start:])
}

// goImport sets the local name of a Go import: the last segment of the path that is not
// a version.
func goImport(i record.Import) record.Import {
	if i.Local == "." {
		i.Name, i.Local = "*", ""
	}
	if i.Local != "" || i.Name != "" {
		return i
	}
	segments := strings.Split(i.Path, "/")
	name := segments[len(segments)-1]
	if len(segments) > 1 && len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = segments[len(segments)-2]
	}
	name, _, _ = strings.Cut(name, ".v")
	i.Local = strings.TrimPrefix(strings.TrimSuffix(name, "-go"), "go-")
	return i
}

// pythonImport sets the local path of `import a.b`, as code writes it: a.b.
func pythonImport(i record.Import) record.Import {
	if i.Name == "" && i.Local == "" {
		i.Local = i.Path
	}
	return i
}

// javaImport splits the class or static member off the path.
func javaImport(i record.Import) record.Import {
	if i.Name == "" {
		i.Path, i.Name = CutLast(i.Path)
		i.Local = i.Name
	}
	return i
}
