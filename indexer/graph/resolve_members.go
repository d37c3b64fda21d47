package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// path evaluates a receiver to the types and modules that have its members.
func (q *Query) path(at place, from int, path string, depth int) answer {
	if depth > q.deepest() || path == "" || isUnknown(path) {
		return answer{}
	}
	if rooted(path, languages.Builtin) {
		return answer{outside: true}
	}
	cur, c, rest, more := q.root(at, from, path, depth)
	for same := false; ; {
		if c.of != "" && c.nth == 0 && (same || yieldsArgument(q, cur)) {
			outside := cur.outside
			cur, c = q.typeOf(at, from, c.of, depth+1), component{}
			cur.outside = cur.outside || outside
		}
		cur = q.valueOf(cur, c, depth+1)
		if !more || len(cur.things) == 0 {
			return cur
		}
		var first string
		first, rest, more = strings.Cut(rest, ".")
		c = componentOf(first)
		next := answer{}
		switch {
		case c.name == superName:
			next = q.bases(cur)
		case c.name != "" && c.name[0] >= '0' && c.name[0] <= '9':
			if next = q.part(cur, int(c.name[0]-'0'), depth+1); len(next.things) == 0 {
				continue // a tuple, whose type is that of its first part
			}
		default:
			next = q.members(at, cur, c.name, depth+1)
			if !c.called && c.params == "" {
				q.fit(at, &next, record.EdgeReads)
			}
		}
		same = len(next.things) == 0 && (transparent[c.name] || c.called && q.passesOn(at, c.name))
		if !same { // else still the same type
			cur = next
		}
	}
}

// typeOf evaluates the path of a type.
func (q *Query) typeOf(at place, from int, path string, depth int) answer {
	at.typed = true
	return q.path(at, from, path, depth)
}

// yieldsArgument reports whether a call of functions with a type argument yields a value of that type: when
// their result is of their type parameter, and when nothing is known of them.
func yieldsArgument(q *Query, functions answer) bool {
	for _, t := range functions.things {
		s := q.symbol(t)
		if s == nil || !languages.IsCallable(s.Kind) || !languages.YieldsParameter(s.Signature, s.Name) {
			return false
		}
	}
	return true
}

// part returns the types of the n-th part of tuple structs.
func (q *Query) part(of answer, n, depth int) answer {
	out := answer{outside: of.outside}
	for _, t := range of.things {
		s := q.symbol(t)
		if s == nil || s.Kind != record.KindStruct {
			continue
		}
		at := q.place(t.at)
		at.typed = true
		a := q.path(at, s.Parent, languages.PartType(s.Signature, s.Name, n), depth+1)
		out.outside = out.outside || a.outside
		for _, p := range a.things {
			p.prob *= t.prob
			out.things = append(out.things, p)
		}
	}
	return out
}

// transparent lists the methods of containers, options, pointers and classes that return
// the value itself or an element of it.
var transparent = map[string]bool{
	"new": true, "default": true, "this": true, "__class__": true, "class": true, "prototype": true, "constructor": true, // instances and classes, Outer.this
	"clone": true, "unwrap": true, "expect": true, "unwrap_or": true, "unwrap_or_else": true, "unwrap_or_default": true, "as_ref": true, "as_mut": true, "as_deref": true,
	"borrow": true, "borrow_mut": true, "lock": true, "read": true, "write": true, "iter": true, "iter_mut": true, "into_iter": true, "into": true, "ok": true, "ok_or": true,
	"to_owned": true, "get": true, "get_mut": true, "last": true, "first": true, "next": true, "take": true, "cloned": true, "collect": true, "rev": true, "enumerate": true,
	"skip": true, "chain": true, "filter": true, "values": true, "find": true, "at": true, "pop": true, "shift": true, "slice": true, "concat": true, "reverse": true,
	"Load": true, "items": true, "copy": true, "stream": true, "iterator": true, "begin": true, "back": true, "front": true, "each": true, "dup": true, "freeze": true, "tap": true,
	"then": true, "catch": true, "finally": true,
}

// root evaluates the first component of a path: an imported module, whose name can have
// dots, or a plain name. It returns that component and the rest of the path.
func (q *Query) root(at place, from int, path string, depth int) (a answer, c component, rest string, more bool) {
	first, rest, more := strings.Cut(path, ".")
	c = componentOf(first)
	if !c.called && declared(at, from, c.name) < 0 {
		best := -1
		for i := range at.Imports {
			imp := &at.Imports[i]
			if imp.Path == "" || imp.Name != "" && !(imp.Name == "*" && imp.Local != "") || imp.Local == "" || !rooted(path, imp.Local) {
				continue
			}
			if best < 0 || len(imp.Local) > len(at.Imports[best].Local) {
				best = i
			}
		}
		if best >= 0 {
			imp := &at.Imports[best]
			left := strings.TrimPrefix(strings.TrimPrefix(path, imp.Local), ".")
			next, _, _ := strings.Cut(left, ".")
			m := q.module(at.ref, imp.Path, componentOf(next).name)
			if len(m.files) == 0 {
				return answer{outside: m.outside}, component{}, left, left != ""
			}
			return moduleAnswer(m.files), component{}, left, left != ""
		}
	}
	if at.lang().lateModules {
		if a := q.plain(at, from, c.name, depth+1); len(a.things) > 0 {
			return a, c, rest, more
		}
	}
	if files, left, ok := at.lang().modulePath(q.v, at.Path, path); ok && declared(at, from, c.name) < 0 {
		return moduleAnswer(files), component{}, left, left != ""
	}
	a = q.plain(at, from, c.name, depth+1)
	if len(a.things) == 0 && more && at.lang().prototypes && !c.called && !q.knows(at, c.name) {
		first, rest, more = strings.Cut(rest, ".")
		c = componentOf(first)
		a = q.included(at, c.name)
	}
	return a, c, rest, more
}

// valueOf returns the types that have the members of symbols: a type itself, the result of a
// called function, the type of a variable or field.
func (q *Query) valueOf(a answer, c component, depth int) answer {
	if depth > q.deepest() {
		return answer{}
	}
	out := answer{outside: a.outside}
	for _, t := range a.things {
		if t.symbol < 0 {
			out.things = append(out.things, t)
			continue
		}
		at, s := q.place(t.at), q.symbol(t)
		if s == nil {
			continue
		}
		if c.params != "" {
			p := q.parameter(t, c, depth)
			out.outside = out.outside || p.outside
			out.things = append(out.things, p.things...)
			continue
		}
		typ := nthType(s.Type, c.nth)
		if typ == "" && s.Kind == record.KindField {
			typ = at.lang().fieldType(at, s)
		}
		switch {
		case languages.IsType(s.Kind) || s.Kind == record.KindModule:
			out.things = append(out.things, t)
		case typ == "" && s.Kind == record.KindField && s.Parent >= 0 && at.Symbols[s.Parent].Kind == record.KindEnum:
			out.things = append(out.things, thing{at: t.at, symbol: s.Parent, prob: t.prob})
		case typ == "" && (len(s.Bases) > 0 || hasMembers(at, t.symbol)):
			out.things = append(out.things, t) // an object that is its own type
		case typ == "" || languages.IsCallable(s.Kind) && !c.called && s.Kind != record.KindMethod:
			// a function that is not called has no members
		default:
			at.typed = true
			if b := at.lang().bound(at, t.symbol, typ); b != "" {
				typ = b
			}
			r := q.path(at, s.Parent, typ, depth+1)
			out.outside = out.outside || r.outside
			for _, n := range r.things {
				n.prob *= t.prob
				out.things = append(out.things, n)
			}
		}
		if len(out.things) >= maxTargets {
			break
		}
	}
	return out
}

// nthType returns the n-th of several types that are joined by ",".
func nthType(types string, n int) string {
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(types, ",")
		if !ok {
			if types == languages.Builtin {
				return ""
			}
			break // one type: the names are its elements
		}
		types = rest
	}
	t, _, _ := strings.Cut(types, ",")
	return t
}

// hasMembers reports whether a value has members.
func hasMembers(at place, i int) bool {
	name := at.Symbols[i].Name
	for j := range at.Symbols {
		if s := &at.Symbols[j]; s.Parent < 0 && s.Container != "" && s.Container == name {
			return true // a member outside of the value
		}
	}
	if i+1 < len(at.Symbols) && at.Symbols[i+1].Parent == i {
		return at.Symbols[i].Kind == record.KindVariable || at.Symbols[i].Kind == record.KindConstant || at.Symbols[i].Kind == record.KindField
	}
	return false
}

// members looks a name up in modules and types, and in the bases of the types.
func (q *Query) members(at place, recv answer, name string, depth int) answer {
	out := answer{outside: recv.outside}
	if depth > maxDepth+maxBases {
		return out
	}
	for _, t := range recv.things {
		if t.symbol < 0 {
			a := q.inModule(t.module, name, depth+1)
			for _, r := range t.module {
				if len(a.things) > 0 {
					break
				}
				f := q.v.file(r)
				if sub := languageOf(f.language).submodule(q.v, f, name); len(sub) > 0 {
					a = moduleAnswer(sub)
				}
			}
			out.things = append(out.things, a.things...)
			out.outside = out.outside || len(a.things) == 0 // the workspace has all names of the module
			continue
		}
		a := q.member(t, name, depth)
		out.things = append(out.things, a.things...)
		out.outside = out.outside || a.outside
	}
	return out
}

// member looks a name up in a type, then in its bases, depth first.
func (q *Query) member(t thing, name string, depth int) answer {
	at, s := q.place(t.at), q.symbol(t)
	if depth > maxDepth+maxBases || s == nil {
		return answer{}
	}
	out := answer{things: q.declaredMembers(t, name)}
	if len(out.things) > 0 {
		switch lang := at.lang(); {
		case lang.prototypes:
			out.things = q.linked(at, out.things, name)
		case lang.boundTypes:
			if s.Kind == record.KindType { // an alias has the name of a type in another module, or under another condition
				out.things = append(out.things, q.climb(at, t, name, depth).things...)
			}
			out.things = q.associated(out.things, name, depth+1)
		}
		return out
	}
	if s.Kind == record.KindModule && at.lang().selfModule {
		return q.passedOn(t.at, t.symbol, name, depth+1)
	}
	return q.climb(at, t, name, depth)
}

// declaredMembers returns the members of a name that a type does not inherit.
func (q *Query) declaredMembers(t thing, name string) []thing {
	at, s := q.place(t.at), q.symbol(t)
	out, reach := q.ownMembers(t, name), at.lang().members
	if len(out) > 0 || reach == ownFile {
		return out
	}
	hash, own := containerHash(s.Name), q.v.file(at.ref)
	q.wantName(at.ref, name)
	isPart := at.lang().isPart
	several := isPart != nil && isPart(s.Kind, s.Kind) // a type has several declarations
	q.v.eachReached(reach, own, name, func(r ref, d def) bool {
		if d.container == hash && at.sees(q.v.file(r)) && (several || r == at.ref || !q.declaresType(r, s.Name)) {
			out = append(out, thing{at: r, symbol: int(d.symbol), prob: t.prob})
		}
		return len(out) < maxTargets
	})
	return out
}

// declaresType reports whether a file has a type of its own with a name: the members of the
// name in it are not those of a type elsewhere.
func (q *Query) declaresType(r ref, name string) bool {
	return slices.ContainsFunc(q.v.defsIn(r, name), func(d def) bool {
		kind := kinds[d.kind]
		return languages.IsType(kind) && kind != record.KindImpl && kind != record.KindType
	})
}

// associated adds to the types that impls declare the types of the traits, which they stand for:
// the trait says what they are for.
func (q *Query) associated(things []thing, name string, depth int) []thing {
	out := things
	for _, t := range things {
		at, s := q.place(t.at), q.symbol(t)
		if s == nil || s.Kind != record.KindType || s.Parent < 0 || at.Symbols[s.Parent].Kind != record.KindImpl {
			continue
		}
		impl, bases := thing{at: t.at, symbol: s.Parent, prob: t.prob}, answer{}
		q.basesOf(&bases, impl, impl, depth)
		for _, d := range q.members(at, bases, name, depth+1).things {
			if !slices.ContainsFunc(out, func(o thing) bool { return o.at == d.at && o.symbol == d.symbol }) {
				out = append(out, d)
			}
		}
	}
	return out
}

// ownMembers returns the members of a name that the file of a type declares for it.
func (q *Query) ownMembers(t thing, name string) (out []thing) {
	at, s := q.place(t.at), q.symbol(t)
	if s == nil {
		return nil
	}
	for i, m := range at.named(name) {
		if i != t.symbol && m.Kind != record.KindImpl && (m.Parent == t.symbol || m.Container != "" && sameLast(m.Container, s.Name)) {
			out = append(out, thing{at: t.at, symbol: i, prob: t.prob})
		}
	}
	return out
}

// closed reports whether the types of a receiver are certain. The workspace then does not
// declare a member that they lack.
func (q *Query) closed(recv answer) bool {
	for _, t := range recv.things {
		s := q.symbol(t)
		if s == nil || t.prob < basedProbability || s.Kind == record.KindVariable || s.Kind == record.KindType {
			return false
		}
	}
	return len(recv.things) > 0
}

func sameLast(container, name string) bool {
	_, last := languages.CutLast(container)
	return last == name
}
