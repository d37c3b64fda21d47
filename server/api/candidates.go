package api

import (
	"fmt"
	"strings"
)

// CandidateText lists the declarations that a symbol may mean, for a person or a model that has
// to choose. path is where the symbol was looked for, "" for everywhere; more is the number of
// declarations that are not listed.
func CandidateText(symbol, path string, shown []Link, more int) string {
	var t strings.Builder
	if n := len(shown) + more; n == 1 {
		fmt.Fprintf(&t, "No declaration is named exactly %s%s. This one has the same last name; ask again with its name:\n", symbol, Within(path))
	} else {
		fmt.Fprintf(&t, "%s%s may be one of %d declarations. Ask again with the path, and the line if need be:\n", symbol, Within(path), n)
	}
	for _, d := range shown {
		fmt.Fprintf(&t, "- %s:%d %s %s\n", d.Path, d.Line, d.Kind, d.Identifier)
	}
	if more > 0 {
		fmt.Fprintf(&t, "- and %d more\n", more)
	}
	return t.String()
}

// Within says in a message where a symbol was looked for: " in path", or "" for everywhere.
func Within(path string) string {
	if path == "" {
		return ""
	}
	return " in " + path
}
