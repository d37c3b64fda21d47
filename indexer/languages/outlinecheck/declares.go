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

// ocamlForeign matches lines that declare none of what ctags takes from them: constraints of an included
// signature, constructors added to a type of another module, and exceptions that are matched.
var ocamlForeign = regexp.MustCompile(`\b(?:with|and) type\b.*=|\bwith module\b|\+=|\bexception \w+ ->`)

// ocamlDeclares refuses the module that a file is, constructors of polymorphic variants,
// opened modules and local values. Signatures are types.
func ocamlDeclares(d decl, line, before string) bool {
	switch {
	case ocamlForeign.MatchString(line) && !strings.HasPrefix(line, "and type"):
		return false
	case d.group != "type" && d.group != "module" && ocamlLocal(line, before):
		return false
	case d.group == "module" && (d.line == 1 || strings.Contains(line, "module type ") || regexp.MustCompile(`\bopen\b`).MatchString(line)):
		return false
	case strings.Contains(line, "`"+d.name), strings.HasSuffix(strings.TrimSpace(line), " in"):
		return false
	}
	return true
}

// ocamlLocal reports whether a value stands inside of another one: the nearest line before it with less
// indentation opens no module.
func ocamlLocal(line, before string) bool {
	indented := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	own := indented(line)
	if own == 0 || !strings.HasPrefix(strings.TrimLeft(line, " "), "let ") && !strings.HasPrefix(strings.TrimLeft(line, " "), "and ") {
		return false
	}
	lines := strings.Split(before, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if s := strings.TrimRight(lines[i], " "); s != "" && indented(s) < own {
			return !strings.HasSuffix(s, "struct") && !strings.HasSuffix(s, "sig") && !strings.HasSuffix(s, "object") && !strings.HasSuffix(s, "begin")
		}
	}
	return false
}

// bashDeclares refuses arrays: `list=()`.
func bashDeclares(d decl, _, _ string) bool { return !strings.HasSuffix(d.name, "=") }

// luaDeclares refuses what is no function with a name of its own: values of calls, fields by
// brackets, and code in strings.
func luaDeclares(d decl, line, _ string) bool {
	name := regexp.QuoteMeta(d.name)
	return regexp.MustCompile(`function\s+[\w.:]*` + name + `\s*\(|` + name + `\s*=\s*function\b`).MatchString(line)
}
