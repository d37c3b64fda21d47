package languages

import "strings"

// maxAhead bounds the bytes between what tells the type of a parameter and the parameter: other
// arguments, or the statements before a function that is returned.
const maxAhead = 2000

// passed returns the path that tells the type of a parameter of a function which stands as an argument of
// a call or where a type is written. It is "" for another local, and when the type is written out: then it
// becomes the type of the local.
func (b *builder) passed(m *matched, l *local) string {
	callee, signature := m.at[roleCallee], m.at[roleSignature]
	at, path := max(callee.End, signature.End), ""
	if l.Type != "" || at == 0 || l.Scope.Start < at || l.Scope.Start-at > maxAhead {
		return ""
	}
	open := openBrackets(b.text[at:l.Scope.Start])
	member := "" // of the parameter
	if n := len(open); n > 1 && open[n-1].sign == '{' {
		open, member = open[:n-1], "."+l.Name
	}
	if n := len(open); n == 0 || open[n-1].sign != '(' {
		return ""
	}
	own := open[len(open)-1].commas
	switch {
	case empty(callee):
		written := b.slice(signature)
		if t, ok := FunctionParameter(written, own); ok {
			l.Type = b.row.typePath(t) + member
			l.written = t != ""
			return ""
		}
		path, _ = cutTypeArguments(strings.Trim(written, ": \t\r\n"))
	case len(open) > 2 || open[0].commas > maxParameter:
		return ""
	default:
		if recv := m.at[roleRecv]; !empty(recv) && recv.Start < callee.Start {
			callee.Start = recv.Start
		}
		path = b.row.path(b.slice(callee))
		if path == unknown || path == Builtin {
			return ""
		}
		path += ParameterOf(open[0].commas)
		if len(open) == 1 {
			own = 0 // x => …
		}
	}
	if path == "" || own > maxParameter {
		return ""
	}
	return path + ParameterOf(own) + member
}

// maxParameter bounds the place of a parameter in a path, which is one digit.
const maxParameter = 9

// ParameterOf returns the end of a path that stands for the type of the n-th parameter of what the path
// names: of a function, or of a function type.
func ParameterOf(n int) string { return "(" + string('0'+rune(n)) + ")" }

// bracket is an open bracket, with the commas directly behind it.
type bracket struct {
	sign   byte
	commas int
}

// openBrackets returns the brackets that a text leaves open.
func openBrackets(s string) []bracket {
	var open []bracket
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '(', '[', '{':
			open = append(open, bracket{sign: c})
		case ')', ']', '}':
			open = open[:max(len(open)-1, 0)]
		case ',':
			if n := len(open); n > 0 {
				open[n-1].commas++
			}
		case '"', '\'', '`':
			if end := closesAt(s[i:]); end > 0 {
				i += end
			}
		case '/':
			end := -1
			if strings.HasPrefix(s[i:], "//") {
				end = strings.IndexByte(s[i:], '\n')
			} else if strings.HasPrefix(s[i:], "/*") {
				end = strings.Index(s[i:], "*/")
			}
			i += max(end, 0)
		}
	}
	return open
}
