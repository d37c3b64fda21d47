package gitignore

import "strings"

// Patterns chooses files by their paths alone, in the syntax of an ignore file. It is
// immutable and safe for concurrent use.
type Patterns struct{ rules *Rules }

// ParsePatterns parses one pattern per element. An empty pattern or a comment matches
// nothing.
func ParsePatterns(lines []string) *Patterns { return &Patterns{Parse(lines)} }

// Match reports whether the patterns choose the file at path, relative to the root with
// "/": by its name, or by the name of a directory above it. A pattern that matches the file
// is stronger than one that matches a directory, and an inner directory is stronger than
// an outer one. Of two patterns that match the same name the later one is stronger.
func (p *Patterns) Match(path string) bool {
	chosen := false
	for at := 0; ; {
		name, _, inside := strings.Cut(path[at:], "/")
		if m := p.rules.Match(path[:at], name, inside); m != Undecided {
			chosen = m == Ignored
		}
		if !inside {
			return chosen
		}
		at += len(name) + 1
	}
}
