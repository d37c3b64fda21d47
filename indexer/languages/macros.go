package languages

import (
	"bytes"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// macros adds the macros of a C or C++ file that the grammar does not see: uses that
// maskMacros has blanked, and definitions in a part of the file with a syntax error.
func (b *builder) macros(content, readable []byte) {
	for _, at := range maskedMacros(content, readable) {
		b.refs = append(b.refs, Ref{Name: b.slice(at), Kind: record.EdgeReads, Span: at, Decl: -1})
	}
	b.conditions(content, readable)
	if b.broken == 0 {
		return
	}
	slices.SortFunc(b.comments, outerFirst)
	for start := 0; start < len(content); {
		i := start
		for i < len(content) && (content[i] == ' ' || content[i] == '\t') {
			i++
		}
		end := directiveEnd(content, i)
		if name := definedMacro(content[i:end]); !empty(name) && !b.commented(i) {
			at := record.Span{Start: i + name.Start, End: i + name.End}
			b.decls = append(b.decls, rawDecl{Decl: Decl{Name: b.slice(at), Kind: record.KindMacro, Parent: -1, Span: record.Span{Start: i, End: end}, NameSpan: at}})
		}
		start = end + 1
	}
}

// conditions adds the names in the conditions of the preprocessor inside of functions. At the top
// of a file a condition belongs to no declaration.
func (b *builder) conditions(content, readable []byte) {
	var bodies []record.Span
	for i := range b.decls {
		if d := &b.decls[i]; IsCallable(d.Kind) && bytes.IndexByte(content[d.Body.Start:d.Body.End], '#') >= 0 {
			bodies = append(bodies, d.Body)
		}
	}
	slices.SortFunc(bodies, outerFirst)
	at := 0
	for _, body := range bodies {
		for at = max(at, body.Start); at < body.End; {
			end := directiveEnd(content, at)
			if n := condition(content[at:end]); n > 0 && len(bytes.TrimSpace(readable[at:end])) == 0 {
				b.names(record.Span{Start: at + n, End: end})
			}
			at = end + 1
		}
	}
}

// names adds a use for each name in a condition.
func (b *builder) names(in record.Span) {
	for at := in.Start; at < in.End; {
		name := record.Span{Start: at, End: at + max(1, plainName(b.text[at:in.End]))}
		if c := b.text[at]; c > '9' && isNameByte(c) && b.slice(name) != "defined" {
			b.refs = append(b.refs, Ref{Name: b.slice(name), Kind: record.EdgeReads, Span: name, Decl: -1})
		}
		at = name.End
	}
}

// condition returns the offset of the condition in a line that starts one, 0 for another line.
func condition(line []byte) int {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
	if !ok {
		return 0
	}
	rest = bytes.TrimLeft(rest, " \t")
	word := plainName(string(rest[:min(len(rest), maxNameBytes)]))
	switch string(rest[:word]) {
	case "if", "elif", "ifdef", "ifndef":
		return len(line) - len(rest) + word
	}
	return 0
}

// directiveEnd returns the end of the line at start, with the lines that continue it.
func directiveEnd(content []byte, start int) int {
	for end := start; ; end++ {
		i := bytes.IndexByte(content[end:], '\n')
		if i < 0 {
			return len(content)
		}
		if end += i; end == 0 || content[end-1] != '\\' {
			return end
		}
	}
}

// definedMacro returns the span of the name that a directive defines, an empty one for
// another line.
func definedMacro(line []byte) record.Span {
	if len(line) == 0 || line[0] != '#' {
		return record.Span{}
	}
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line[1:], " \t"), []byte("define"))
	name := bytes.TrimLeft(rest, " \t")
	if !ok || len(name) == len(rest) {
		return record.Span{}
	}
	start := len(line) - len(name)
	return record.Span{Start: start, End: start + plainName(string(name[:min(len(name), maxNameBytes)]))}
}

// maxNameBytes bounds the name of a macro.
const maxNameBytes = 200

// maskedMacros returns the names of the macros that maskMacros has blanked before or behind
// a declaration, and the names among their arguments. It leaves out lines that are blanked as a
// whole, which are branches and markers, but for a macro with arguments and one right above code.
func maskedMacros(content, readable []byte) []record.Span {
	if len(content) == 0 || &content[0] == &readable[0] {
		return nil
	}
	var out []record.Span
	for start := 0; start < len(content); {
		end := len(content)
		if i := bytes.IndexByte(content[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := readable[start:end]
		whole := len(bytes.TrimSpace(line)) == 0
		for i := start; i < end && !bytes.Equal(content[start:end], line); i++ {
			if content[i] == readable[i] || i > start && content[i-1] != readable[i-1] {
				continue
			}
			name := i
			for name < end && isWordByte(content[name]) && content[name] != readable[name] {
				name++
			}
			w := content[i:name]
			first := len(w) > 0 && len(bytes.TrimSpace(content[start:i])) == 0
			switch {
			case whole && !(first && isCapitals(w) && (wholeMacro(content[i:end], w) || aboveCode(content, readable, name, end))):
			case isCapitals(w):
				out = append(out, record.Span{Start: i, End: name})
				out = append(out, maskedNames(content[:end], readable, name)...)
			case first && w[0] > '9' && !isTypeWord(w): // local int f(void)
				out = append(out, record.Span{Start: i, End: name})
			}
			if whole {
				break
			}
		}
		start = end
	}
	return out
}

// wholeMacro reports whether a line is a macro with arguments.
func wholeMacro(line, name []byte) bool {
	return line[len(name)%len(line)] == '(' && bytes.HasSuffix(bytes.TrimSpace(line), []byte(")"))
}

// aboveCode reports whether the name that ends at an offset is the last of its line, and the next
// line, which starts at next, begins with a word in the readable text.
func aboveCode(content, readable []byte, name, next int) bool {
	below, _, _ := bytes.Cut(readable[next:], []byte("\n"))
	below = bytes.TrimSpace(below)
	return len(bytes.TrimSpace(content[name:next])) == 0 && len(below) > 0 && isWordByte(below[0])
}

// maskedNames returns the names among the arguments at an offset that are blank in the readable
// text: in `REQUIRES((is_same<T, U>)) int f();` is_same, T and U.
func maskedNames(content, readable []byte, at int) (out []record.Span) {
	if at == len(content) || content[at] != '(' {
		return nil
	}
	for i := at; i < len(content) && readable[i] == ' '; {
		switch end := (&masker{src: content}).wordEnd(i); {
		case content[i] == '"' || content[i] == '\'':
			i = skipQuoted(content, i)
		case end == i:
			i++
		default:
			if w := content[i:end]; w[0] > '9' && !isCapitals(w) && !isTypeWord(w) && !typeKeywords[string(w)] && string(w) != "typename" {
				out = append(out, record.Span{Start: i, End: end})
			}
			i = end
		}
	}
	return out
}

// conversion names the operator of C++ that converts to a type: `operator bool`.
func conversion(d *Decl, _ string) {
	if i := strings.IndexByte(d.Name, '('); i > 0 && strings.HasPrefix(d.Name, "operator ") {
		d.Name = strings.TrimSpace(d.Name[:i])
		d.NameSpan.End = d.NameSpan.Start + len(d.Name)
	}
}
