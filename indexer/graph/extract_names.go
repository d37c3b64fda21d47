package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// bindings fills the maps of local names and of renamed imports.
func (x *extractor) bindings() {
	x.locals = make(map[string][]int, len(x.o.Bindings)/2)
	for i := range x.o.Bindings {
		n := x.o.Bindings[i].Name
		x.locals[n] = append(x.locals[n], i)
	}
	for _, i := range x.o.Imports {
		if i.Local != i.Name && i.Local != "" && i.Name != "" && i.Name != "*" && i.Name != "default" {
			if x.rename == nil {
				x.rename = map[string]string{}
			}
			x.rename[i.Local] = i.Name
		}
	}
}

// local returns the index of the binding that name has at an offset, or -1: the innermost
// visible one, and within one scope the last before the offset. It skips the binding with
// index except.
func (x *extractor) local(name string, at, except int) int {
	found := -1
	list := x.locals[name]
	n, _ := slices.BinarySearchFunc(list, at+1, func(i, offset int) int { return x.o.Bindings[i].Scope.Start - offset })
	for i := n - 1; i >= max(0, n-maxLocals); i-- {
		b := &x.o.Bindings[list[i]]
		if at < b.Scope.Start || b.Scope.End <= at || list[i] == except {
			continue
		}
		if found >= 0 && x.o.Bindings[found].Scope != b.Scope {
			break
		}
		found = list[i]
		if b.At <= at {
			break
		}
	}
	return found
}

// maxLocals bounds the bindings of one name that local examines for one use. Bindings that
// end before the use can stand between it and its binding.
const maxLocals = 256

// receiver returns the receiver of a reference with local names replaced by their types.
// It returns false for a plain name that is local.
func (x *extractor) receiver(r *languages.Ref) (string, bool) {
	switch r.Receiver {
	case "":
		return "", x.local(r.Name, r.Span.Start, -1) < 0
	case unknown:
		return unknown, true
	}
	if strings.HasPrefix(r.Receiver, languages.Library) {
		return r.Receiver, true
	}
	if first, rest, _ := strings.Cut(r.Receiver+"."+r.Name, "."); x.namesModule(first, rest) {
		if x.lang.isSelf(first) || first == superName {
			return x.fromFile(r.Receiver, r.Decl), true
		}
		return r.Receiver, true
	}
	if value, ok := strings.CutPrefix(r.Receiver, languages.ValueArgument); ok {
		if p := x.expand(value, r.Span.Start, r.Decl, -1, 0); !isUnknown(p) && !rooted(p, languages.Builtin) {
			return languages.ValueArgument + p, true
		}
		return "", x.local(r.Name, r.Span.Start, -1) < 0
	}
	return x.expand(r.Receiver, r.Span.Start, r.Decl, -1, 0), true
}

// unknown starts a receiver whose type is not evident in the file. If the receiver starts with a
// local, the path follows; for a parameter of a function that is passed to another one, the path that
// tells its type, a second mark and the path.
const unknown = "?"

func isUnknown(receiver string) bool { return strings.HasPrefix(receiver, unknown) }

// maxExpand bounds the chain of locals that expand follows.
const maxExpand = 5

// expand replaces the first name of a path if it is a local or stands for the type around
// it.
func (x *extractor) expand(path string, at, decl, except, depth int) string {
	first, rest, _ := strings.Cut(path, ".")
	c := componentOf(first)
	root := ""
	switch b := x.local(c.name, at, except); {
	case x.lang.isSelf(c.name) && (b < 0 || x.o.Bindings[b].Type == ""):
		if root = x.container(decl); root == "" && x.lang.selfModule {
			return x.fromFile(path, decl) // self::name
		}
		if t, left := x.boundField(root, rest, at); t != "" && depth < maxExpand {
			return withRest(x.expand(t, at, decl, -1, depth+1), left)
		}
	case c.name == superName && x.lang.selfModule:
		return x.fromFile(path, decl)
	case c.name == superName:
		if root = x.container(decl); root != "" {
			root += "." + superName
		}
	case c.called && c.name != "" && c.name == x.lang.classOf: // type(self)
		root = x.container(decl)
	case b >= 0 && !x.namesModule(c.name, rest):
		l := &x.o.Bindings[b]
		if p := x.passed(l, decl, b, depth); p != "" {
			if depth == 0 && !c.called {
				return unknown + p + unknown + path
			}
			return withRest(p, rest)
		}
		if l.Type == "" && depth == 0 && !c.called {
			return unknown + path // the names can tell the type
		}
		if l.Type == "" || depth == maxExpand {
			return unknown
		}
		if root = x.expand(l.Type, max(l.At-1, 0), decl, b, depth+1); root != unknown {
			root += first[len(c.name):]
		}
	default:
		return path
	}
	if root == "" {
		return unknown
	}
	return withRest(root, rest)
}

// passed returns the path that tells the type of a parameter of a function which is passed to another one,
// "" for another local.
func (x *extractor) passed(l *languages.Binding, decl, except, depth int) string {
	if l.Type != "" || l.Passed == "" || depth == maxExpand {
		return ""
	}
	if p := x.expand(l.Passed, max(l.At-1, 0), decl, except, depth+1); !isUnknown(p) && !rooted(p, languages.Builtin) {
		return p
	}
	return ""
}

// namesModule reports whether the first name of a path is a module although a local has the
// name: a type, a variant or a constant follows, which no value has.
func (x *extractor) namesModule(first, rest string) bool {
	return x.lang.selfModule && rest != "" && !startsUpper(first) && startsUpper(rest)
}

func startsUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// withRest returns a path with the components that follow it.
func withRest(root, rest string) string {
	if isUnknown(root) || rest == "" {
		return root
	}
	return root + "." + rest
}

// boundField returns the bound of the type parameter that is the type of the first field of a
// path of fields, and the rest of the path. The field belongs to a type of the file, and at is
// the offset of the use: an impl bounds the parameters that the type leaves open.
func (x *extractor) boundField(typ, path string, at int) (bound, rest string) {
	if !x.lang.boundTypes || path == "" {
		return "", ""
	}
	if x.fields == nil {
		x.fields = map[string]int{}
		for i := range x.syms {
			if x.syms[i].Kind == record.KindField {
				x.fields[x.syms[i].Qualified] = i
			}
		}
	}
	first, rest, _ := strings.Cut(path, ".")
	i, ok := x.fields[typ+"."+first]
	if !ok {
		return "", ""
	}
	t := x.o.Decls[i].Type
	if b := x.local(t, at, -1); b >= 0 {
		return x.o.Bindings[b].Type, rest
	}
	return "", ""
}

// boundType returns the written type of a declaration with the bound of a type parameter for
// its name.
func (x *extractor) boundType(i int) string {
	if !x.lang.boundTypes {
		return x.fieldType(i)
	}
	d := &x.o.Decls[i]
	first, rest, _ := strings.Cut(d.Type, ".")
	if first == "" || x.lang.isSelf(first) {
		return d.Type
	}
	b := x.local(first, max(d.NameSpan.End, d.Header.End-1), -1)
	switch {
	case b < 0:
		return d.Type
	case x.o.Bindings[b].Type == "":
		return ""
	}
	return withRest(x.o.Bindings[b].Type, rest)
}

// fieldType returns the written type of a declaration. For a field that a method sets to a local,
// self.config = config, it is the type of the local.
func (x *extractor) fieldType(i int) string {
	d := &x.o.Decls[i]
	first, _, _ := strings.Cut(d.Type, ".")
	if d.Kind != record.KindField || first == "" || x.local(componentOf(first).name, d.NameSpan.Start, -1) < 0 {
		return d.Type
	}
	if t := x.expand(d.Type, d.NameSpan.Start, d.Parent, -1, 0); !isUnknown(t) {
		return t
	}
	return d.Type
}

// isSelf reports whether a name stands for the type around it.
func (l *language) isSelf(name string) bool {
	switch name {
	case "this":
		return !l.plainThis
	case "self", "cls", "Self", "@", "$this", "__MODULE__":
		return true
	}
	return false
}

// component is one component of a path: "name", "name()", "name<Type>()", "name()[1]" or "name(0)".
type component struct {
	name   string
	called bool
	of     string // the type argument of the call, a path
	nth    int    // the index of the value in a list of values
	params string // "(0)(1)" for the second parameter of the first one, see languages.ParameterOf
}

func componentOf(s string) component {
	c := component{name: s}
	if n := len(s); n > 3 && s[n-1] == ']' && s[n-3] == '[' {
		c.name, c.nth = s[:n-3], int(s[n-2]-'0')
	}
	if n := len(c.name); n > 3 && c.name[n-1] == ')' && c.name[n-2] != '(' {
		for i := strings.IndexByte(c.name, '('); i > 0; i++ {
			if c.name[i] == '(' && c.name[i+1] != ')' {
				c.name, c.params = c.name[:i], c.name[i:]
				break
			}
		}
	}
	for {
		name, ok := strings.CutSuffix(c.name, "()")
		if !ok {
			break
		}
		c.name, c.called = name, true
	}
	if name, of, ok := strings.Cut(c.name, "<"); ok && c.called {
		c.name, c.of = name, strings.ReplaceAll(strings.TrimSuffix(of, ">"), ":", ".")
	}
	return c
}

// results sets the Type of functions without a written type to the type of their result.
func (x *extractor) results() {
	for i := range x.o.Decls {
		if d := &x.o.Decls[i]; d.Type == "" && d.Result != "" {
			if t := x.expand(d.Result, max(d.Body.End-1, d.Body.Start), i, -1, 0); !isUnknown(t) {
				x.syms[i].Type = t
			}
		}
	}
}

// container returns the type whose member a declaration is.
func (x *extractor) container(decl int) string {
	for ; decl >= 0; decl = x.syms[decl].Parent {
		s := &x.syms[decl]
		if languages.IsType(s.Kind) {
			return s.Qualified
		}
		if s.Container != "" {
			return s.Container
		}
	}
	return ""
}
