package languages

import "strings"

// FunctionType returns the function type that the signature of a declaration writes, as text: of a function
// its parameters and what follows them, of a value or an alias its type. For result it is what a call
// returns. It is "" for none.
func FunctionType(signature, name string, result bool) string {
	at := wordIn(signature, name)
	if at < 0 {
		return ""
	}
	rest := behindGenerics(strings.TrimLeft(signature[at+len(name):], "?! "))
	if value, ok := strings.CutPrefix(rest, "="); ok && !strings.HasPrefix(rest, "=>") { // an alias, or a function as a value
		rest = strings.TrimSpace(value)
		for _, word := range []string{"async ", "function"} {
			rest = strings.TrimLeft(strings.TrimPrefix(rest, word), " *")
		}
		rest = behindGenerics(rest)
	}
	if written, ok := strings.CutPrefix(rest, ":"); ok {
		rest = strings.TrimSpace(written)
		if i := topIndex(rest, '='); i >= 0 {
			rest = rest[:i]
		}
	}
	if !result {
		return rest
	}
	end := closing(rest, 0)
	if !strings.HasPrefix(rest, "(") || end < 0 {
		return ""
	}
	rest = strings.TrimSpace(strings.TrimLeft(rest[end+1:], " :=>-"))
	return strings.TrimSpace(strings.TrimSuffix(rest, "{"))
}

// FunctionParameter returns the written type of the n-th parameter of a function type, "" for a parameter
// without one. ok is false for a type that is not a function's: a name, or a union without a function.
func FunctionParameter(written string, n int) (t string, ok bool) {
	const maxNested = 8
	for range maxNested {
		written = strings.Trim(written, " \t\r\n:|")
		written = behindGenerics(written)
		end := -1
		if strings.HasPrefix(written, "(") {
			end = closing(written, 0)
		}
		i := topIndex(written, '|')
		switch {
		case end < 0 && i < 0:
			return "", false
		case end < 0 || i >= 0 && i < end:
			written = written[i+1:]
			continue
		}
		after := strings.TrimLeft(written[end+1:], " \t\r\n")
		if after != "" && after[0] == '|' || after == "" && strings.Contains(written[:end], "=>") { // only parentheses
			if t, ok = FunctionParameter(written[1:end], n); ok || i < 0 {
				return t, ok
			}
			written = written[i+1:]
			continue
		}
		return parameterType(written[1:end], n), true
	}
	return "", false
}

// parameterType returns the written type of the n-th of a list of parameters.
func parameterType(list string, n int) string {
	parts := splitTop(list)
	if len(parts) > 0 && strings.HasPrefix(strings.TrimSpace(parts[0]), "this:") { // no parameter
		parts = parts[1:]
	}
	if n >= len(parts) {
		return ""
	}
	p := strings.TrimSpace(parts[n])
	if i := topIndex(p, ':'); i >= 0 { // name: Type
		p = strings.TrimSpace(p[i+1:])
		if i := topIndex(p, '='); i >= 0 {
			p = p[:i]
		}
		return strings.TrimSpace(p)
	}
	i := strings.LastIndexByte(p, ' ')
	if i < 0 || topIndex(p, '=') >= 0 {
		return ""
	}
	for _, word := range []string{"final ", "..."} { // Type name
		p, i = strings.TrimPrefix(p, word), strings.LastIndexByte(strings.TrimPrefix(p, word), ' ')
	}
	return strings.TrimSpace(p[:max(i, 0)])
}

// cutTypeArguments cuts a named type into its path and its arguments. The path is "" for a type without a
// name.
func cutTypeArguments(written string) (path string, arguments []string) {
	i := 0
	for i < len(written) && (isNameByte(written[i]) || written[i] == '.') {
		i++
	}
	path, rest := written[:i], strings.TrimSpace(written[i:])
	switch {
	case rest == "":
		return path, nil
	case rest[0] == '<' && strings.HasSuffix(rest, ">") && genericsEnd(rest) == len(rest):
		arguments = splitTop(rest[1 : len(rest)-1])
		for i, a := range arguments {
			a = strings.TrimSpace(a)
			for _, word := range []string{"? super ", "? extends "} {
				a = strings.TrimPrefix(a, word)
			}
			arguments[i] = a
		}
		return path, arguments
	}
	return "", nil
}

// NamedType is cutTypeArguments for the type that a function is of, which can be one of a union.
func NamedType(written string) (path string, arguments []string) {
	for _, part := range strings.Split(written, " | ") {
		if path, arguments = cutTypeArguments(strings.TrimSpace(part)); path != "" && path != "undefined" && path != "null" {
			return path, arguments
		}
	}
	return "", nil
}

// TypePath reads a written type as a path of names, "" for a type without a name.
func TypePath(written string) string { return typePath(written) }

// TypeParameterNames returns the names of the type parameters behind a name in a signature, in order.
func TypeParameterNames(signature, name string) []string {
	at := wordIn(signature, name)
	if at < 0 || !strings.HasPrefix(signature[at+len(name):], "<") {
		return nil
	}
	list := signature[at+len(name):]
	names := splitTop(strings.TrimSuffix(list[1:genericsEnd(list)], ">"))
	for i, p := range names {
		words := strings.Fields(p)
		for len(words) > 1 && (words[0] == "in" || words[0] == "out" || words[0] == "const") {
			words = words[1:]
		}
		names[i] = ""
		if len(words) > 0 {
			names[i], _, _ = strings.Cut(words[0], ":")
		}
	}
	return names
}

// YieldsParameter reports whether the result of a function is of a type parameter of it.
func YieldsParameter(signature, name string) bool {
	return YieldsOneOf(signature, name, TypeParameterNames(signature, name))
}

// YieldsOneOf reports whether the result of a function is of one of some type parameters.
func YieldsOneOf(signature, name string, parameters []string) bool {
	at := wordIn(signature, name)
	if at < 0 || len(parameters) == 0 {
		return false
	}
	after := behindGenerics(signature[at+len(name):])
	if end := closing(after, 0); strings.HasPrefix(after, "(") && end > 0 {
		after = after[end+1:]
	}
	after, _, _ = strings.Cut(after, " where ")
	for _, n := range parameters {
		if wordIn(signature[:at], n) >= 0 || wordIn(after, n) >= 0 {
			return true
		}
	}
	return false
}

// genericsEnd is typeGroupEnd, but len(s) when the type arguments do not end.
func genericsEnd(s string) int {
	if end := typeGroupEnd(s); end > 0 {
		return end
	}
	return len(s)
}

// behindGenerics returns s without the type arguments that it may start with, and blanks behind them.
func behindGenerics(s string) string {
	if strings.HasPrefix(s, "<") {
		return strings.TrimLeft(s[genericsEnd(s):], " ")
	}
	return s
}

// topIndex returns the offset of a sign outside of brackets, -1 for none. The sign of an arrow is none.
func topIndex(s string, sign byte) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case depth == 0 && c == sign && (i+1 == len(s) || s[i+1] != '>'):
			return i
		case c == '(' || c == '[' || c == '{' || c == '<':
			depth++
		case c == ')' || c == ']' || c == '}' || c == '>' && (i == 0 || s[i-1] != '=' && s[i-1] != '-'):
			depth--
		}
	}
	return -1
}
