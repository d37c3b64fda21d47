package main

import (
	"regexp"
	"strings"
)

// csharpDeclares refuses aliases of using, constraints, locals, and what stands inside of
// brackets: parameters, and classes with a constructor in their header.
func csharpDeclares(d decl, line, _ string) bool {
	line = strings.TrimSpace(line)
	for _, word := range []string{"using ", "where ", "var "} {
		if strings.HasPrefix(line, word) {
			return false
		}
	}
	if d.group == "type" {
		return true
	}
	before, _, _ := strings.Cut(line, d.name)
	return strings.Count(before, "(") == strings.Count(before, ")") && !regexp.MustCompile(`\b(?:class|struct|record)\s+`+regexp.QuoteMeta(d.name)).MatchString(line)
}

// elixirDeclares refuses code in strings of several lines, macros of names, and names that
// ctags cuts.
func elixirDeclares(d decl, line, before string) bool {
	_, after, _ := strings.Cut(line, d.name)
	cut := after != "" && (after[0] == '_' || after[0] >= 'a' && after[0] <= 'z')
	return strings.Count(before, `"""`)%2 == 0 && strings.Count(before, "'''")%2 == 0 && !strings.HasPrefix(line, "#") && d.name != "unquote" && !cut
}

// ocamlDeclares refuses the module that a file is, constructors of polymorphic variants,
// opened modules and local values. Signatures are types.
func ocamlDeclares(d decl, line, _ string) bool {
	switch {
	case d.group == "module" && (d.line == 1 || strings.Contains(line, "module type ") || regexp.MustCompile(`\bopen\b`).MatchString(line)):
		return false
	case strings.Contains(line, "`"+d.name), strings.HasSuffix(strings.TrimSpace(line), " in"):
		return false
	}
	return true
}

// bashDeclares refuses arrays: `list=()`.
func bashDeclares(d decl, _, _ string) bool { return !strings.HasSuffix(d.name, "=") }

// luaDeclares refuses what is no function with a name of its own: values of calls, fields by
// brackets, and code in strings.
func luaDeclares(d decl, line, _ string) bool {
	name := regexp.QuoteMeta(d.name)
	return regexp.MustCompile(`function\s+[\w.:]*` + name + `\s*\(|` + name + `\s*=\s*function\b`).MatchString(line)
}
