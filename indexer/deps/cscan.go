package deps

import (
	"bytes"
	"slices"
	"strings"
)

// cTag stands before the name of a type that a line defines: "struct stat" beside the function stat.
const cTag = "struct "

// cNames returns the names that the lines of a header can declare, and what it includes. A name
// that a line only uses is one too many, and can cost a parse. The name of a struct, a class, a
// union or an enum is there with cTag, too.
func cNames(text []byte) (names []string, includes []cInclude) {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if directive, ok := bytes.CutPrefix(line, []byte("#")); ok {
			directive = bytes.TrimLeft(directive, " \t")
			word := leadingWord(directive)
			rest := bytes.TrimLeft(directive[len(word):], " \t")
			switch string(word) {
			case "define":
				names = append(names, string(leadingWord(rest)))
			case "include", cNextInclude, "import":
				if name := bytes.Trim(rest, "<\""); len(rest) > 1 && (rest[0] == '<' || rest[0] == '"') {
					if end := bytes.IndexAny(name, ">\""); end >= 0 {
						name = name[:end]
					}
					includes = append(includes, cInclude{string(name), n, string(word) == cNextInclude})
				}
			}
			continue
		}
		names = cDeclared(line, names)
	}
	slices.Sort(names)
	return slices.Compact(names), includes
}

// cStatement are the words with which a line of code starts that declares nothing.
var cStatement = map[string]bool{"return": true, "if": true, "else": true, "while": true, "for": true, "switch": true, "case": true, "throw": true, "delete": true}

// cDeclared adds the names in a line that stand where a declaration has its name: before a mark of
// one, behind a keyword of a type, and in a list without parentheses, as the constants of an enum do.
// Parameters stand elsewhere.
func cDeclared(line []byte, names []string) []string {
	before := ""
	if cStatement[string(leadingWord(line))] {
		return names
	}
	parentheses := bytes.ContainsAny(line, "()")
	for i := 0; i < len(line); {
		word := leadingWord(line[i:])
		if len(word) == 0 {
			if line[i] == '/' && i+1 < len(line) && (line[i+1] == '/' || line[i+1] == '*') {
				break
			}
			if line[i] != ' ' && line[i] != '\t' && line[i] != '*' && line[i] != '&' {
				before = ""
			}
			i++
			continue
		}
		isMember := i > 0 && (line[i-1] == '.' || line[i-1] == '>' || line[i-1] == ':')
		isPointer := i > 1 && line[i-1] == '*' && line[i-2] == '('
		i += len(word)
		rest := bytes.TrimLeft(line[i:], " \t")
		isTag := before == "struct" || before == "class" || before == "union" || before == "enum"
		behindType := isTag || before == "namespace" || before == "using"
		if before = string(word); isMember {
			continue
		}
		marks := "(;=[{:"
		switch {
		case !parentheses:
			marks += ",}"
		case isPointer:
			marks += ")"
		}
		if isTag && (len(rest) == 0 || rest[0] == '{') {
			names = append(names, cTag+string(word))
		}
		if behindType || len(rest) == 0 || strings.IndexByte(marks, rest[0]) >= 0 {
			names = append(names, before)
		}
	}
	return names
}
