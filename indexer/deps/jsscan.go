package deps

import (
	"bytes"
	"slices"
)

// pass is a name that a module has from another one.
type pass struct {
	local  string // "*" for all names of the other module
	module string // as it is written
	name   string // in the other module; "*" for the module itself
}

// jsScan is what a text of JavaScript or TypeScript offers to those that import it.
type jsScan struct {
	names  []string // that it declares or exports, and perhaps some more
	passes []pass
	module bool // it has an import or an export of its own
}

// scanScript reads the words of a text, so that a file of which nothing is needed is not parsed. A
// name that is declared inside of another declaration is one too many, and costs a parse.
func scanScript(text []byte) jsScan {
	s := jsScanner{text: text}
	for s.next() {
		switch string(s.word) {
		case "export":
			s.export()
		case "import":
			s.scan.module = s.scan.module || s.depth == 0
		case "function", "class", "interface", "type", "const", "let", "var", "enum", "namespace", "module":
			s.declaration()
		}
	}
	slices.Sort(s.scan.names)
	s.scan.names = slices.Compact(s.scan.names)
	return s.scan
}

// jsScanner reads the words and signs of a text, without comments.
type jsScanner struct {
	text  []byte
	at    int
	word  []byte // the word, the literal with its quotes, or the sign that next found
	depth int    // of braces
	scan  jsScan
}

// next finds the next word, literal or sign.
func (s *jsScanner) next() bool {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		c := rest[0]
		n := 1
		switch {
		case c <= ' ':
			s.at++
			continue
		case bytes.HasPrefix(rest, []byte("//")):
			s.at += lengthUntil(rest, "\n")
			continue
		case bytes.HasPrefix(rest, []byte("/*")):
			s.at += 2 + lengthUntil(rest[2:], "*/")
			continue
		case c == '"' || c == '\'' || c == '`':
			n = literalLength(rest)
		case c == '{':
			s.depth++
		case c == '}':
			s.depth--
		default:
			n = max(1, wordLength(rest))
		}
		s.word = rest[:n]
		s.at += n
		return true
	}
	s.word = nil
	return false
}

// lengthUntil returns the length of a text up to the end of a mark, or all of it.
func lengthUntil(text []byte, mark string) int {
	if i := bytes.Index(text, []byte(mark)); i >= 0 {
		return i + len(mark)
	}
	return len(text)
}

// literalLength returns the length of the literal that a text starts with. One in single or double
// quotes ends with its line: what looks like one can be in a pattern.
func literalLength(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text)
}

func wordLength(text []byte) int {
	for i, c := range text {
		if c != '_' && c != '$' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c < 0x80 {
			return i
		}
	}
	return len(text)
}

func (s *jsScanner) add(name []byte) {
	if wordLength(name) == len(name) && len(name) > 0 {
		s.scan.names = append(s.scan.names, string(name))
	}
}

// declaration reads the name behind a keyword.
func (s *jsScanner) declaration() {
	before := *s
	if !s.next() {
		return
	}
	switch string(s.word) {
	case "*", "enum": // a generator; const enum
		s.next()
	}
	if wordLength(s.word) == 0 {
		*s = before // an object can be taken apart there
		return
	}
	s.add(s.word)
}

// export reads what follows the keyword export as far as it is no declaration.
func (s *jsScanner) export() {
	s.scan.module = s.scan.module || s.depth == 0
	before := *s
	if !s.next() {
		return
	}
	if string(s.word) == "type" {
		middle := *s
		if s.next(); string(s.word) != "{" && string(s.word) != "*" {
			*s = middle
		}
	}
	switch string(s.word) {
	case "default", "=":
		s.add([]byte("default"))
	case "*":
		s.star()
	case "{":
		s.list()
	default:
		*s = before
	}
}

// star reads what follows export *.
func (s *jsScanner) star() {
	p := pass{local: "*", name: "*"}
	s.next()
	if string(s.word) == "as" {
		s.next()
		p.local = string(bytes.Trim(s.word, `"'`))
		s.add(s.word)
		s.next()
	}
	if p.module = s.from(); p.module != "" {
		s.scan.passes = append(s.scan.passes, p)
	}
}

// list reads a list of exports in braces, and where it comes from.
func (s *jsScanner) list() {
	var passes []pass
	for s.next() && string(s.word) != "}" {
		if string(s.word) == "," {
			continue
		}
		if string(s.word) == "type" {
			middle := *s
			if s.next(); string(s.word) == "," || string(s.word) == "}" || string(s.word) == "as" {
				*s = middle
			}
		}
		p := pass{local: string(s.word), name: string(s.word)}
		middle := *s
		if s.next(); string(s.word) == "as" {
			s.next()
			p.local = string(s.word)
		} else {
			*s = middle
		}
		s.add([]byte(p.local))
		passes = append(passes, p)
	}
	before := *s
	s.next()
	module := s.from()
	if module == "" {
		*s = before
		return
	}
	for _, p := range passes {
		p.module = module
		s.scan.passes = append(s.scan.passes, p)
	}
}

// from returns the module behind the word from, "" when there is none.
func (s *jsScanner) from() string {
	if string(s.word) != "from" || !s.next() {
		return ""
	}
	n := len(s.word)
	if n < 3 || s.word[0] != '"' && s.word[0] != '\'' || s.word[n-1] != s.word[0] {
		return ""
	}
	return string(s.word[1 : n-1])
}
