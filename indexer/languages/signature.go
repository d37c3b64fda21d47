package languages

import "strings"

// erased returns a written type without its arguments, its package and annotations: "Map",
// "int[]". A parameter that takes several arguments keeps its "...".
func erased(s string) string {
	var b strings.Builder
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth > 0:
		case c == '@':
			for i+1 < len(s) && (isNameByte(s[i+1]) || s[i+1] == '.') {
				i++
			}
			if i+1 < len(s) && s[i+1] == '(' {
				if end := closing(s, i+1); end > 0 {
					i = end
				}
			}
		default:
			b.WriteByte(c)
		}
	}
	suffix := ""
	s = strings.TrimSpace(b.String())
	if t, ok := strings.CutSuffix(s, "..."); ok {
		s, suffix = strings.TrimSpace(t), "..."
	}
	for strings.HasSuffix(s, "]") {
		i := strings.LastIndexByte(s, '[')
		if i < 0 {
			break
		}
		s, suffix = strings.TrimSpace(s[:i]), "[]"+suffix
	}
	words := strings.Fields(s)
	if len(words) == 0 {
		return ""
	}
	_, last := CutLast(words[len(words)-1])
	return last + suffix
}

// Parameters returns the types of the parameters of a declaration, spelled as
// Ref.Arguments; the last one ends with "..." if it takes several arguments. ok is false when
// the signature has no whole parameter list.
func Parameters(signature, name string) (types []string, ok bool) {
	open := parametersAt(signature, name)
	if open < 0 {
		return nil, false
	}
	end := closing(signature, open)
	if end < 0 {
		return nil, false
	}
	list := strings.TrimSpace(signature[open+1 : end])
	if list == "" {
		return nil, true
	}
	for _, p := range splitTop(list) {
		p = strings.TrimSpace(p)
		dims := ""
		for strings.HasSuffix(p, "[]") {
			p, dims = strings.TrimSpace(p[:len(p)-2]), dims+"[]"
		}
		i := len(p)
		for i > 0 && isNameByte(p[i-1]) {
			i--
		}
		if i == 0 {
			return nil, false
		}
		types = append(types, erased(p[:i])+dims)
	}
	return types, true
}

// ParameterCount returns the number of parameters that a signature writes, -1 when it has no
// whole parameter list.
func ParameterCount(signature, name string) int {
	open := parametersAt(signature, name)
	if open < 0 {
		return -1
	}
	end := closing(signature, open)
	if end < 0 {
		return -1
	}
	n := 0
	for _, p := range splitTop(signature[open+1 : end]) {
		if strings.TrimSpace(p) != "" { // a comma may end the list
			n++
		}
	}
	return n
}

// parametersAt returns the offset of the parenthesis behind a name in a signature, or -1.
func parametersAt(signature, name string) int {
	for i := 0; i < len(signature); {
		j := strings.Index(signature[i:], name)
		if j < 0 {
			return -1
		}
		j += i
		i = j + len(name)
		rest := strings.TrimLeft(signature[i:], " ")
		if (j == 0 || !isNameByte(signature[j-1]) && signature[j-1] != '@') && strings.HasPrefix(rest, "(") {
			return len(signature) - len(rest)
		}
	}
	return -1
}

// wordIn returns the offset of a word in a text, -1 for none and for "".
func wordIn(text, word string) int {
	for i := 0; word != ""; {
		j := strings.Index(text[i:], word)
		if j < 0 {
			break
		}
		j += i
		i = j + len(word)
		if (j == 0 || !isNameByte(text[j-1])) && (i == len(text) || !isNameByte(text[i])) {
			return j
		}
	}
	return -1
}

// WrittenType returns the type that a signature writes before the name of a method or field,
// spelled as Ref.Arguments; "" for none.
func WrittenType(signature, name string) string {
	end := parametersAt(signature, name)
	if end >= 0 {
		end = len(strings.TrimRight(signature[:end], " ")) - len(name)
	} else if end = wordIn(signature, name); end < 0 {
		return ""
	}
	before := strings.TrimRight(signature[:end], " ")
	if strings.HasSuffix(before, ".") {
		return ""
	}
	return erased(before)
}

// TypeParameters returns the names of the type parameters that a signature declares, with
// their bounds, "" for none. They stand right behind the name of a type, and, for after "",
// before the result of a function.
func TypeParameters(signature, after string) map[string]string {
	open := strings.Index(signature, after+"<")
	if open += len(after); open < len(after) || after == "" && open > 0 && signature[open-1] != ' ' {
		return nil
	}
	end := typeGroupEnd(signature[open:])
	if end == 0 {
		return nil
	}
	var out map[string]string
	for _, p := range splitTop(signature[open+1 : open+end-1]) {
		name, bound, _ := strings.Cut(strings.TrimSpace(p), " extends ")
		if plainName(name) != len(name) || name == "" {
			continue
		}
		bound, _, _ = strings.Cut(bound, "&")
		if out == nil {
			out = map[string]string{}
		}
		out[name] = erased(bound)
	}
	return out
}

// Extends reports whether the signature of a class names a superclass, not only a bound of a
// type parameter.
func Extends(signature string) bool {
	depth := 0
	for i := 0; i < len(signature); i++ {
		switch signature[i] {
		case '<':
			depth++
		case '>':
			depth--
		case ' ':
			if depth == 0 && strings.HasPrefix(signature[i:], " extends ") {
				return true
			}
		}
	}
	return false
}

// PartType returns the path of the type of the n-th part of a tuple struct of Rust by its
// signature, "" when there is none: "http.Response" for struct Reply(pub http::Response<()>).
func PartType(signature, name string, n int) string {
	_, after, ok := strings.Cut(signature, "struct "+name)
	open := strings.IndexByte(after, '(')
	if !ok || open < 0 || strings.ContainsAny(strings.TrimSpace(after[:open]), "{;=") && !strings.HasPrefix(after, "<") {
		return ""
	}
	end := closing(after, open)
	if end < 0 {
		return ""
	}
	parts := splitTop(after[open+1 : end])
	if n >= len(parts) {
		return ""
	}
	part := strings.TrimSpace(parts[n])
	for strings.HasPrefix(part, "#") {
		stop := closing(part, strings.IndexByte(part, '['))
		if stop < 0 {
			return ""
		}
		part = strings.TrimSpace(part[stop+1:])
	}
	if rest, ok := strings.CutPrefix(part, "pub"); ok {
		part = strings.TrimSpace(rest)
		if strings.HasPrefix(part, "(") {
			part = part[closing(part, 0)+1:]
		}
	}
	return typePath(part)
}
