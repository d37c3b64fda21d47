package languages

import (
	"strings"

	"ambit/vectors/record"
)

// Ref.Arguments and Binding.Written spell types as overloads distinguish them: "int",
// "String[]", "Map" from `Map<K, V>`. The spellings of other arguments are:
const (
	// NoArgument is an argument whose type is not evident.
	NoArgument = "?"
	// NullArgument is null, which any type but a primitive one takes.
	NullArgument = "null"
	// FunctionArgument is a lambda or a method reference.
	FunctionArgument = "->"
	// ValueArgument starts the path of a value, spelled as Ref.Receiver. Each "[]" behind
	// the path takes an element of it.
	ValueArgument = "="
	// NumberArgument starts like ValueArgument; the argument is the sum of the value and a
	// number.
	NumberArgument = "#"
)

// maxCallArguments bounds the arguments of a call; a call with more has unknown ones.
const maxCallArguments = 32

// argumentSpans appends the spans of the named children of a node.
func argumentSpans(nodes []node, at uint32, out []record.Span) []record.Span {
	for j := at + 1; j < nodes[at].next; j = nodes[j].next {
		if n := &nodes[j]; n.named() {
			out = append(out, record.Span{Start: int(n.start), End: int(n.end)})
		}
	}
	return out
}

// arguments spells the arguments of a call: "(int,=c.size(),?)". It is "" for too many.
func (b *builder) arguments() string {
	var s strings.Builder
	n := 0
	for _, at := range b.args {
		a := b.slice(at)
		if strings.HasPrefix(a, "//") || strings.HasPrefix(a, "/*") {
			continue
		}
		if n++; n > maxCallArguments {
			return ""
		}
		s.WriteByte("(,"[min(n, 2)-1])
		s.WriteString(b.argument(a))
	}
	if n == 0 {
		return "()"
	}
	s.WriteByte(')')
	return s.String()
}

// argument spells one argument.
func (b *builder) argument(s string) string {
	if len(s) > maxPathBytes {
		switch {
		case arrowAhead(s):
			return FunctionArgument
		case strings.HasPrefix(s, "new "):
			return createdType(s[:maxPathBytes])
		}
		return NoArgument
	}
	switch t := literalType(s); {
	case t != "":
		return t
	case strings.HasPrefix(s, "new "):
		return createdType(s)
	case arrowAhead(s):
		return FunctionArgument
	case s[0] == '(':
		end := closing(s, 0)
		if end == len(s)-1 {
			return b.argument(trimBlanks(strings.TrimLeft(s[1:end], " \t\r\n")))
		}
		if end > 0 {
			if t, rest := erased(s[1:end]), strings.TrimLeft(s[end+1:], " \t\r\n"); castable(t, rest) {
				return t
			}
		}
	}
	return b.computed(s)
}

// computed spells an argument that is neither a literal nor a new object.
func (b *builder) computed(s string) string {
	left, op := firstOperator(s)
	switch op {
	case "":
	case "+", "-", "*", "/", "%":
		if op == "+" && strings.IndexByte(s, '"') >= 0 && closesOutside(s, '"') {
			return "String"
		}
		if p := b.row.path(trimBlanks(left)); p != unknown && p != Builtin && p != "" {
			return NumberArgument + p
		}
		return NoArgument
	case "?", "=":
		return NoArgument
	default:
		return "boolean"
	}
	if s[0] == '!' {
		return "boolean"
	}
	if strings.HasSuffix(s, ".class") {
		return "Class"
	}
	base, suffix := s, ""
	for strings.HasSuffix(base, "]") {
		i := strings.LastIndexByte(base, '[')
		if i <= 0 {
			return NoArgument
		}
		base, suffix = base[:i], suffix+"[]"
	}
	if strings.IndexByte(base, ',') >= 0 && strings.IndexByte(base, '(') < 0 {
		return NoArgument
	}
	if p := b.row.path(base); p != unknown && p != Builtin && p != "" && !strings.ContainsAny(p, ",#") {
		return ValueArgument + p + suffix
	}
	return NoArgument
}

// literalType returns the type of a literal, "" for another expression.
func literalType(s string) string {
	switch s {
	case "":
		return NoArgument
	case "true", "false":
		return "boolean"
	case "null":
		return NullArgument
	}
	switch n := strings.TrimLeft(s, "-+ "); {
	case n == "":
		return ""
	case n[0] >= '0' && n[0] <= '9' || n[0] == '.' && len(n) > 1 && n[1] >= '0' && n[1] <= '9':
		return numberType(n)
	case s[0] == '\'' && strings.LastIndexByte(s, '\'') == len(s)-1 && len(s) <= 8:
		return "char"
	case s[0] == '"' && closesAt(s) == len(s)-1:
		return "String"
	}
	return ""
}

// numberType returns the type of a number, "" when more than a number stands there.
func numberType(s string) string {
	hex := strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")
	real := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isNameByte(c):
		case c == '.' || (c == '-' || c == '+') && !hex && (s[i-1] == 'e' || s[i-1] == 'E'):
			real = true
		default:
			return ""
		}
	}
	switch last := s[len(s)-1]; {
	case last == 'l' || last == 'L':
		return "long"
	case hex:
		return "int"
	case last == 'f' || last == 'F':
		return "float"
	case last == 'd' || last == 'D' || real || strings.ContainsAny(s, "eE"):
		return "double"
	}
	return "int"
}

// closesAt returns the offset of the quote that closes the one at the start, -1 for none.
func closesAt(s string) int {
	if strings.HasPrefix(s, `"""`) {
		if i := strings.Index(s[3:], `"""`); i >= 0 {
			return i + 5
		}
		return -1
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i
		}
	}
	return -1
}

// closesOutside reports whether a quote stands outside of all brackets.
func closesOutside(s string, quote byte) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			if c == quote && depth == 0 {
				return true
			}
			end := closesAt(s[i:])
			if end < 0 {
				return false
			}
			i += end
		}
	}
	return false
}

// arrowAhead reports whether an expression is a lambda or a method reference.
func arrowAhead(s string) bool {
	i := 0
	if s[0] == '(' {
		if i = closing(s, 0) + 1; i == 0 {
			return false
		}
	} else {
		i = plainName(s)
	}
	if strings.HasPrefix(strings.TrimLeft(s[i:], " \t\r\n"), "->") {
		return true
	}
	at := strings.LastIndex(s, "::")
	return at > 0 && plainName(s[at+2:]) == len(s)-at-2
}

// createdType returns the type of `new A<B>(…)` or `new int[n]`.
func createdType(s string) string {
	s = strings.TrimLeft(s[len("new "):], " \t\r\n")
	i := 0
	for i < len(s) && (isNameByte(s[i]) || s[i] == '.') {
		i++
	}
	_, name := CutLast(s[:i])
	if name == "" {
		return NoArgument
	}
	rest := behindGenerics(strings.TrimLeft(s[i:], " "))
	for strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			break
		}
		name, rest = name+"[]", strings.TrimLeft(rest[end+1:], " ")
	}
	return name
}

// typeGroupEnd returns the end of the type arguments that s starts with, 0 when they do not end. The
// arrow of a function type closes nothing.
func typeGroupEnd(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if i > 0 && (s[i-1] == '=' || s[i-1] == '-') {
				break
			}
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// written spells the written type of a local whose name ends at an offset.
func (b *builder) written(at record.Span, end int) string {
	t := erased(b.slice(at)) + dimensions(b.text[end:])
	if strings.HasPrefix(strings.TrimLeft(b.text[at.End:], " "), "...") {
		t += "[]"
	}
	return t
}

// dimensions returns the brackets that stand behind the name of an array: `int a[]`.
func dimensions(s string) (out string) {
	for strings.HasPrefix(s, "[]") {
		s, out = s[2:], out+"[]"
	}
	return out
}

// castable reports whether a type in parentheses before the rest of an expression is a cast.
func castable(t, rest string) bool {
	if t == "" || rest == "" {
		return false
	}
	for i := 0; i < len(t); i++ {
		if !isNameByte(t[i]) && t[i] != '[' && t[i] != ']' {
			return false
		}
	}
	switch c := rest[0]; {
	case primitiveTypes[strings.TrimRight(t, "[]")]:
		return true
	default:
		return isNameByte(c) || c == '(' || c == '"' || c == '\'' || c == '!'
	}
}

var primitiveTypes = wordsOf("boolean byte short char int long float double")

// firstOperator returns the text before the first binary operator outside of brackets and
// strings, and the operator: a comparison or a logical one before an arithmetic one.
func firstOperator(s string) (left, op string) {
	depth, at := 0, -1
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '"', '\'':
			end := closesAt(s[i:])
			if end < 0 {
				return "", ""
			}
			i += end
		case '?', '=', '<', '>', '&', '|', '+', '-', '*', '/', '%', '!':
			if depth > 0 || i == 0 {
				break
			}
			if s[i-1] == '.' && c == '<' { // a.<T>b()
				i += max(typeGroupEnd(s[i:])-1, 0)
				break
			}
			if strings.IndexByte("+-*/%", c) >= 0 {
				if at < 0 {
					at = i
				}
				break
			}
			if c == '=' && s[i-1] != '=' && (i+1 == len(s) || s[i+1] != '=') && strings.IndexByte("<>!", s[i-1]) < 0 {
				return s[:i], "="
			}
			if c == '?' {
				return s[:i], "?"
			}
			if (c == '&' || c == '|') && i+1 < len(s) && s[i+1] != c && s[i-1] != c { // of bits
				if at < 0 {
					at = i
				}
				break
			}
			if questionAhead(s[i:]) {
				return s[:i], "?"
			}
			return s[:i], "<"
		case ' ':
			if depth == 0 && strings.HasPrefix(s[i:], " instanceof ") && !questionAhead(s[i:]) {
				return s[:i], "<"
			}
		}
	}
	if at > 0 {
		return s[:at], "+"
	}
	return "", ""
}

// questionAhead reports whether a conditional operator may follow.
func questionAhead(s string) bool { return strings.Contains(s, "? ") || strings.Contains(s, "\n?") }
