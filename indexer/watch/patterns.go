package watch

import "strings"

// Patterns chooses files by their paths alone, in the syntax of an ignore file. It is
// immutable and safe for concurrent use.
type Patterns struct{ list *ruleList }

// ParsePatterns reads one pattern a line. A pattern that means nothing matches
// nothing.
func ParsePatterns(lines []string) *Patterns {
	return &Patterns{parseIgnore([]byte(strings.Join(lines, "\n")), ruleList{})}
}

// Match reports whether the patterns choose the file at path, relative to the root
// with "/": by its name, or by that of a directory that it is in. Of several that
// match, one for the file counts more than one for a directory, one for an inner
// directory more than one for an outer, and of two for the same the later, as with
// [Options].Include.
func (p *Patterns) Match(path string) bool {
	chosen := false
	for at := 0; ; {
		name, _, inside := strings.Cut(path[at:], "/")
		if r := p.list.last(path[:at], name, inside); r != nil {
			chosen = !r.negated
		}
		if !inside {
			return chosen
		}
		at += len(name) + 1
	}
}
