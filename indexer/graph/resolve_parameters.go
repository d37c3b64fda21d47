package graph

import (
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// functionType is a written function type, and the symbol whose signature writes it.
type functionType struct {
	at      place
	from    int
	written string
}

// parameter returns the type of a parameter of a function that is passed to another one, as the signature
// of that one tells it: "map(0)(1)" is the second parameter of the function that map takes first.
func (q *Query) parameter(t thing, c component, depth int) answer {
	s := q.symbol(t)
	if s.Kind == record.KindClass && !c.called { // its constructors are passed the function
		var out answer
		for _, i := range Constructors(q.place(t.at).FileGraph, t.symbol) {
			out.things = append(out.things, q.parameter(thing{at: t.at, symbol: i, prob: t.prob}, c, depth).things...)
		}
		return out
	}
	f := functionType{q.place(t.at), t.symbol, languages.FunctionType(s.Signature, s.Name, c.called)}
	for _, n := range c.params {
		if n >= '0' && n <= '9' && f.written != "" {
			f = q.parameterOf(f, int(n-'0'), depth)
		}
	}
	if f.written == "" || q.isTypeParameter(f) {
		return answer{}
	}
	f.at.typed = true
	a := q.path(f.at, f.from, languages.TypePath(f.written), depth+1)
	for i := range a.things {
		a.things[i].prob *= t.prob
	}
	return a
}

// isTypeParameter reports whether a type is a parameter of a declaration around it.
func (q *Query) isTypeParameter(f functionType) bool {
	path := languages.TypePath(f.written)
	for i := f.from; i >= 0; i = f.at.Symbols[i].Parent {
		if s := &f.at.Symbols[i]; slices.Contains(languages.TypeParameterNames(s.Signature, s.Name), path) {
			return true
		}
	}
	if f.at.lang().calls != nil { // <T> void f(T t)
		_, ok := q.typeVariables(f.at, f.from)[path]
		return ok
	}
	return false
}

// functionOf returns the function type that a type names: what an alias stands for, or the one method of
// an interface without a body.
func (q *Query) functionOf(t thing) functionType {
	f, s := functionType{at: q.place(t.at), from: t.symbol}, q.symbol(t)
	if s.Kind == record.KindType {
		f.written = languages.FunctionType(s.Signature, s.Name, false)
		return f
	}
	for i := t.symbol + 1; i < len(f.at.Symbols) && f.at.Symbols[i].Span.Start < s.Span.End; i++ {
		if m := &f.at.Symbols[i]; m.Parent == t.symbol && languages.IsCallable(m.Kind) && m.Body.End <= m.Body.Start {
			f.written = languages.FunctionType(m.Signature, m.Name, false)
			return f
		}
	}
	return f
}

// parameterOf returns the type of the n-th parameter of a function type. A type with a name is an alias:
// its parameters can be arguments of the name.
func (q *Query) parameterOf(f functionType, n, depth int) functionType {
	if t, ok := languages.FunctionParameter(f.written, n); ok {
		f.written = t
		return f
	}
	path, arguments := languages.NamedType(f.written)
	if path == "" || depth > q.deepest() {
		return functionType{}
	}
	f.at.typed = true
	named := q.path(f.at, f.from, path, depth+1)
	if len(named.things) == 0 && f.at.lang().calls != nil && len(arguments) > 0 { // Function<A, B> of the library
		f.written = arguments[min(n, len(arguments)-1)]
		return f
	}
	for _, t := range named.things {
		s := q.symbol(t)
		if s == nil || s.Kind != record.KindType && s.Kind != record.KindInterface {
			continue
		}
		of := q.parameterOf(q.functionOf(t), n, depth+1)
		if i := slices.Index(languages.TypeParameterNames(s.Signature, s.Name), of.written); i >= 0 && i < len(arguments) {
			f.written = arguments[i]
			return f
		}
		return of
	}
	return functionType{}
}
