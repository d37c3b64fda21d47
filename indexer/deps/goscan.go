package deps

import (
	"bytes"
	"slices"
)

// goNames returns the names that a Go file declares at its top and those of its methods. It reads
// lines, so that a file of which nothing is needed is not parsed; a name in a text literal or a
// member of a type in a group is one too many, and costs a parse.
func goNames(text []byte) []string {
	var names []string
	add := func(name []byte) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	group := false
	for line := range bytes.Lines(text) {
		switch {
		case group && line[0] == ')':
			group = false
		case group && line[0] == '\t':
			for rest := line[1:]; ; {
				name := leadingWord(rest)
				add(name)
				after, ok := bytes.CutPrefix(bytes.TrimLeft(rest[len(name):], " "), []byte(","))
				if len(name) == 0 || !ok {
					break
				}
				rest = bytes.TrimLeft(after, " ")
			}
		default:
			keyword := leadingWord(line)
			rest := bytes.TrimLeft(line[len(keyword):], " ")
			switch string(keyword) {
			case "func":
				if len(rest) > 0 && rest[0] == '(' {
					_, rest, _ = bytes.Cut(rest, []byte(")"))
					rest = bytes.TrimLeft(rest, " ")
				}
				add(leadingWord(rest))
			case "type", "var", "const":
				group = len(rest) > 0 && rest[0] == '('
				add(leadingWord(rest))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// leadingWord returns the letters, digits and underscores at the start of a line.
func leadingWord(line []byte) []byte {
	for i, c := range line {
		if c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return line[:i]
		}
	}
	return line
}
