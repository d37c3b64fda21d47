package languages

import "strings"

// maxPathBytes bounds the expressions that become a path: longer ones are chains of calls
// with closures, whose type is not evident.
const maxPathBytes = 400

// unknown is the path of an expression whose type is not evident.
const unknown = "?"

// pathOf reads an expression as a path of plain names: "a.b().c" from
// `a?.b(x)->c`, "Foo" from `&Foo{…}` and `new Foo(…)`. It drops indexes, because ambit
// does not distinguish a container from its elements. Other expressions are unknown.
func pathOf(s string) string {
	if isLiteral(s) {
		return Builtin
	}
	if plainName(s) == len(s) && s != "" {
		return s
	}
	if len(s) > maxPathBytes {
		return unknown
	}
	r := pathReader{s: s}
	r.blanks()
	created := false
	for {
		switch {
		case r.castPrefix():
			return r.path(created)
		case r.word("unsafe"):
			if r.blanks(); !r.eat("{") {
				return unknown
			}
		case r.eat("&"), r.eat("*"), r.eat("\\"), r.eat("("), r.eat("!"), r.word("await"), r.word("mut"), r.word("yield"):
		case r.word("new"):
			created = true
		default:
			return r.path(created)
		}
		r.blanks()
	}
}

// isLiteral reports whether an expression is a string or a number.
func isLiteral(s string) bool {
	if s == "" {
		return false
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		return true
	case c == '"', c == '\'', c == '`':
		return strings.IndexByte(s[1:], c) == len(s)-2
	}
	return false
}

// pathReader scans one expression from left to right.
type pathReader struct {
	s string
	i int
	b strings.Builder
}

func (r *pathReader) blanks() {
	for r.i < len(r.s) && (r.s[r.i] == ' ' || r.s[r.i] == '\n' || r.s[r.i] == '\t' || r.s[r.i] == '\r') {
		r.i++
	}
}

func (r *pathReader) eat(p string) bool {
	if strings.HasPrefix(r.s[r.i:], p) {
		r.i += len(p)
		return true
	}
	return false
}

// word eats p if a blank follows.
func (r *pathReader) word(p string) bool {
	rest := r.s[r.i:]
	if strings.HasPrefix(rest, p) && len(rest) > len(p) && (rest[len(p)] == ' ' || rest[len(p)] == '\n') {
		r.i += len(p)
		return true
	}
	return false
}

func (r *pathReader) path(created bool) string {
	if r.b.Len() == 0 && !r.name() {
		return unknown
	}
	switch r.b.String() {
	case "func", "function", "fn", "lambda", "async", "if", "match", "switch", "not", "class", "struct", "typeof", "delete":
		return unknown
	}
	if casts[r.b.String()] && r.i < len(r.s) && r.s[r.i] == '<' {
		if !r.cast() {
			return unknown
		}
	}
	for r.blanks(); r.i < len(r.s); r.blanks() {
		switch c := r.s[r.i]; {
		case c == '(':
			if !r.balanced('(', ')') {
				return unknown
			}
			if !created {
				r.b.WriteString("()")
			}
			created = false
		case c == '[':
			if !r.balanced('[', ']') {
				return unknown
			}
		case c == '<':
			at := r.i
			if !r.balanced('<', '>') {
				return unknown
			}
			if !created && r.i < len(r.s) && r.s[r.i] == '(' {
				r.b.WriteString(typeArgumentOf(r.s[at+1 : r.i-1]))
			}
		case c == '{': // a composite literal has the type before it
			return r.b.String()
		case c == '!' || c == '?' && !strings.HasPrefix(r.s[r.i:], "?."):
			r.i++
		case r.eat("?.") || r.eat("->") || r.eat("::") || r.eat(".") || r.eat("\\"):
			dot := r.s[r.i-1] == '.' && (r.i < 2 || r.s[r.i-2] != '?')
			r.blanks()
			switch {
			case r.i < len(r.s) && r.s[r.i] == '(' && dot: // a.(T)
				open := r.i
				if !r.balanced('(', ')') {
					return unknown
				}
				if to := typePath(r.s[open+1 : r.i-1]); to != "" && to != "type" {
					r.b.Reset()
					r.b.WriteString(to)
				}
				continue
			case r.i < len(r.s) && (r.s[r.i] == '(' || r.s[r.i] == '<' || r.s[r.i] == '['): // a?.(x), A::<T>
				continue
			}
			if strings.HasSuffix(r.s[:r.i], "::") {
				r.eat("$") // a static property of PHP
			}
			n := r.b.Len()
			if r.place() {
				continue
			}
			r.b.WriteByte('.')
			if !r.name() {
				return unknown
			}
			if strings.HasSuffix(r.b.String()[n:], ".await") {
				s := r.b.String()[:n]
				r.b.Reset()
				r.b.WriteString(s)
			}
		case c == ')' || c == '}': // closes a parenthesis or a block that pathOf skipped
			r.i++
		case r.word("as"): // (a as T).b
			to := typePath(strings.TrimLeft(r.operand(), "!?"))
			if to == "" || to == "const" {
				return unknown
			}
			r.b.Reset()
			r.b.WriteString(to)
		default:
			return unknown
		}
	}
	return r.b.String()
}

// typeArgumentOf returns the type argument of a call as a path has it: "<Item>" for get<Item>(). It is "" for
// several ones. The names of its own path are joined by ":".
func typeArgumentOf(list string) string {
	if topIndex(list, ',') >= 0 {
		return ""
	}
	path := typePath(list)
	if path == "" || path == "_" || strings.IndexFunc(path, func(c rune) bool { return c != '.' && !isNameByte(byte(c)) }) >= 0 {
		return ""
	}
	return "<" + strings.ReplaceAll(path, ".", ":") + ">"
}

// castPrefix reads a cast before its operand, (T) a, whose value has the type in the
// parentheses. It reports whether there is one.
func (r *pathReader) castPrefix() bool {
	const maxType = 80 // bytes; what is longer is an expression
	if r.i >= len(r.s) || r.s[r.i] != '(' {
		return false
	}
	end := strings.IndexByte(r.s[r.i:], ')')
	if end < 2 || end > maxType {
		return false
	}
	to := r.s[r.i+1 : r.i+end]
	if strings.IndexFunc(to, func(c rune) bool { return !isNameByte(byte(c)) && !strings.ContainsRune(" .:<>[]?,*&", c) }) >= 0 || !isNameByte(to[0]) {
		return false
	}
	after := strings.TrimLeft(r.s[r.i+end+1:], " \t\n")
	pointer := to[len(to)-1] == '*'
	switch {
	case after == "" || !isNameByte(after[0]) && !(pointer && after[0] == '(' || pointer && after[0] == '&'):
		return false
	case operatorWords[after[:plainName(after)]]:
		return false
	}
	path := typePath(to)
	if path == "" {
		return false
	}
	r.i += end + 1
	r.operand()
	r.b.WriteString(path)
	return true
}

// operatorWords are the operators that are words: what stands before them is no cast.
var operatorWords = wordsOf("as is in if of or and not else then unless satisfies instanceof until while for do")

// operand skips to the parenthesis that closes around the cursor, or to the end, and returns
// what it skips.
func (r *pathReader) operand() string {
	start, depth := r.i, 0
	for ; r.i < len(r.s); r.i++ {
		switch r.s[r.i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return r.s[start:r.i]
			}
		}
	}
	return r.s[start:r.i]
}

// casts are the operators of C++ whose value has the type between their angle brackets.
var casts = wordsOf("static_cast dynamic_cast reinterpret_cast const_cast")

// cast replaces the name of a cast by the type that it casts to, and skips its operand.
func (r *pathReader) cast() bool {
	at := r.i
	if !r.balanced('<', '>') {
		return false
	}
	to := typePath(r.s[at+1 : r.i-1])
	if r.blanks(); to == "" || !r.balanced('(', ')') {
		return false
	}
	r.b.Reset()
	r.b.WriteString(to)
	return true
}

// place reads the number of a part of a tuple, as in a.0: a field of that name, or one of the
// values of a call. It reports whether there is one.
func (r *pathReader) place() bool {
	if r.i >= len(r.s) || r.s[r.i] < '0' || r.s[r.i] > '9' || plainName(r.s[r.i:]) != 1 {
		return false
	}
	digit := r.s[r.i]
	r.i++
	switch called := strings.HasSuffix(r.b.String(), "()"); {
	case !called:
		r.b.WriteString("." + string(digit))
	case digit > '0':
		r.b.WriteString("[" + string(digit) + "]")
	}
	return true
}

// name appends the identifier at the cursor.
func (r *pathReader) name() bool {
	start := r.i
	for r.i < len(r.s) && isNameByte(r.s[r.i]) {
		r.i++
	}
	if r.i == start || r.s[start] >= '0' && r.s[start] <= '9' {
		return false
	}
	r.b.WriteString(r.s[start:r.i])
	return true
}

// balanced skips from an opening bracket to the matching closing one.
func (r *pathReader) balanced(open, end byte) bool {
	depth := 0
	for ; r.i < len(r.s); r.i++ {
		switch r.s[r.i] {
		case open:
			depth++
		case end:
			if depth--; depth == 0 {
				r.i++
				return true
			}
		}
	}
	return false
}

// isNameByte reports whether c can stand in an identifier of any of the languages.
func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '@' || c == '#' || c >= 0x80
}

// CutLast cuts the last name off a path: "a.b", "c" from "a.b.c".
func CutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

// wrappers maps generic types that stand for one of their type arguments to the index of
// that argument: promises, options, pointers and collections.
var wrappers = map[string]int{
	"Promise": 0, "Awaitable": 0, "PromiseLike": 0, "Array": 0, "ReadonlyArray": 0, "Readonly": 0, "Partial": 0, "Required": 0, "Set": 0,
	"ReadonlySet": 0, "Iterable": 0, "Iterator": 0, "IterableIterator": 0, "AsyncIterable": 0, "AsyncIterator": 0, "Generator": 0,
	"AsyncGenerator": 0, "Map": 1, "Record": 1, "ReadonlyMap": 1, "WeakMap": 1, "NonNullable": 0, "MaybePromise": 0,
	"Omit": 0, "Pick": 0, "Exclude": 0, "Extract": 0, "Awaited": 0, "DistributiveOmit": 0, "DistributivePick": 0, // the last two are common names of what projects write
	"Optional": 0, "List": 0, "list": 0, "Sequence": 0, "MutableSequence": 0, "Tuple": 0, "tuple": 0, "set": 0, "FrozenSet": 0, "frozenset": 0,
	"Dict": 1, "dict": 1, "Mapping": 1, "MutableMapping": 1, "Union": 0, "Type": 0, "type": 0, "ClassVar": 0, "Final": 0, "Annotated": 0,
	"Coroutine": 2, "Callable": 1, "Collection": 0, "Deque": 0, "deque": 0, "DefaultDict": 1,
	"Option": 0, "Result": 0, "Box": 0, "Rc": 0, "Arc": 0, "Vec": 0, "RefCell": 0, "Cell": 0, "Mutex": 0, "RwLock": 0, "Cow": 0, "Pin": 0,
	"HashMap": 1, "BTreeMap": 1, "HashSet": 0, "BTreeSet": 0, "VecDeque": 0, "Weak": 0,
	"ArrayList": 0, "LinkedList": 0, "Supplier": 0, "CompletableFuture": 0, "Future": 0, "Stream": 0, "TreeMap": 1, "LinkedHashMap": 1,
	"ConcurrentMap": 1, "ConcurrentHashMap": 1, "Class": 0, "ThreadLocal": 0, "AtomicReference": 0, "WeakReference": 0,
	"unique_ptr": 0, "shared_ptr": 0, "weak_ptr": 0, "vector": 0, "optional": 0, "map": 1, "unordered_map": 1, "span": 0,
	"Pointer": 0, "Atomic": 0, "atomic": 0,
}

// typePath reads a written type as a path: "Command" from `[]*Command`,
// "http.Request" from `*http.Request`, "User" from `Promise<User | null>`. The path of a
// function type is the path of its result. The parts of a tuple are joined by ",". The
// path of a type without a name is "".
func typePath(s string) string {
	if len(s) > maxPathBytes {
		return ""
	}
	s = strings.TrimLeft(s, " \t\r\n:->")
	if s != "" && (s[0] == '(' || s[0] == '[') && strings.IndexByte(s, ',') > 0 && closing(s, 0) == len(s)-1 {
		return tuplePath(s[1:len(s)-1], s[0] == '(')
	}
	if i := strings.IndexByte(s, '['); i > 0 && s[len(s)-1] == ']' && !strings.Contains(s, "...") {
		if _, last := CutLast(s[:i]); last == "tuple" || last == "Tuple" {
			return tuplePath(s[i+1:len(s)-1], false)
		}
	}
	return typePathDepth(s, 0)
}

// tuplePath joins the paths of the parts of a tuple. If named is set, the parts can have
// names, as in Go.
func tuplePath(s string, named bool) string {
	const maxParts = 3
	parts := splitTop(s)
	parts = parts[:min(len(parts), maxParts)]
	for i := len(parts) - 1; i >= 0; i-- {
		p := strings.TrimSpace(parts[i])
		if n := plainName(p); named && n > 0 && n < len(p) && p[n] == ' ' && !typeKeyword(p[:n]) {
			p = p[n+1:]
			for k := i - 1; k >= 0 && plainName(strings.TrimSpace(parts[k])) == len(strings.TrimSpace(parts[k])); k-- {
				parts[k] = p // a, b T
			}
		}
		parts[i] = p
	}
	for i, p := range parts {
		parts[i] = typePathDepth(p, 1)
	}
	return strings.Join(parts, ",")
}

func typeKeyword(s string) bool {
	switch s {
	case "chan", "func", "map", "interface", "struct", "dyn", "impl", "mut", "readonly", "keyof", "typeof":
		return true
	}
	return false
}

func typePathDepth(s string, depth int) string {
	if depth > 8 || len(s) > maxPathBytes {
		return ""
	}
	s = strings.Trim(s, " \t\r\n")
	for {
		before := s
		for _, p := range typePrefixes {
			s = strings.TrimPrefix(s, p)
		}
		s = strings.TrimLeft(s, " *&:?.~^\t\n\r\\")
		if strings.HasPrefix(s, "'") && !strings.HasSuffix(s, "'") { // &'a T
			_, s, _ = strings.Cut(s, " ")
		}
		s = strings.TrimLeft(s, "\"'")
		switch {
		case strings.HasPrefix(s, "<"): // <T>(a: T) => Result
			if rest := strings.TrimSpace(s[groupOf([]byte(s), 0, '<', '>'):]); strings.HasPrefix(rest, "(") {
				s = rest
			}
		case strings.HasPrefix(s, "map["), strings.HasPrefix(s, "["):
			if i := closing(s, strings.IndexByte(s, '[')); i > 0 {
				s = s[i+1:]
			}
		case strings.HasPrefix(s, "("), strings.HasPrefix(s, "func("), strings.HasPrefix(s, "fn("), strings.HasPrefix(s, "Fn("), strings.HasPrefix(s, "FnMut("), strings.HasPrefix(s, "FnOnce("):
			open := strings.IndexByte(s, '(')
			end := closing(s, open)
			if end < 0 {
				return ""
			}
			rest := strings.TrimSpace(s[end+1:])
			switch {
			case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, "->"):
				return typePathDepth(rest[2:], depth+1)
			case open > 0:
				return typePathDepth(rest, depth+1)
			}
			s = s[1:end]
		}
		if s == before {
			break
		}
	}
	return namedPath(s, depth)
}

// namedPath reads a type that starts with its name.
func namedPath(s string, depth int) string {
	r := pathReader{s: s}
	if !r.name() {
		return ""
	}
	for r.i < len(s) && (r.eat("::") || r.eat(".") || r.eat("\\")) {
		r.b.WriteByte('.')
		if !r.name() {
			return ""
		}
	}
	path := r.b.String()
	_, last := CutLast(path)
	if arg, ok := wrappers[last]; ok && r.i < len(s) && (s[r.i] == '<' || s[r.i] == '[') {
		if inner := typeArgument(s[r.i:], arg); inner != "" {
			return typePathDepth(inner, depth+1)
		}
	}
	switch last {
	case "None", "null", "undefined", "void", "nullptr", "nil":
		if _, rest, ok := strings.Cut(s, "|"); ok {
			return typePathDepth(rest, depth+1)
		}
		return ""
	case "func", "function", "fn", "interface", "struct", "any", "Any", "unknown", "object":
		return ""
	}
	return path
}

var typePrefixes = []string{"chan ", "<-chan ", "chan<- ", "const ", "mut ", "dyn ", "impl ", "readonly ", "unsigned ", "struct ", "enum ", "union ", "static ",
	"volatile ", "final ", "keyof ", "typeof ", "asserts ", "->", "inline ", "extern ", "constexpr ", "virtual ", "explicit ", "abstract ", "extends ", "super ", "public ", "private ", "protected ", "async ", "typename ", "some ", "any "}

// typeArgument returns the n-th argument of the bracketed list at the start of s, or the
// last one if there are fewer.
func typeArgument(s string, n int) string {
	depth, start := 0, 1
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<', '[', '(', '{':
			depth++
		case '>', ']', ')', '}':
			if depth--; depth == 0 {
				return s[start:i]
			}
		case ',':
			if depth == 1 {
				if n == 0 {
					return s[start:i]
				}
				n--
				start = i + 1
			}
		}
	}
	return ""
}

// closing returns the index of the bracket that closes the one at open, or -1.
func closing(s string, open int) int {
	depth := 0
	for i := open; i >= 0 && i < len(s); i++ {
		switch s[i] {
		case '[', '(', '{':
			depth++
		case ']', ')', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
