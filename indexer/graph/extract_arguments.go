package graph

import (
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// arguments returns the arguments of a reference, with the types of local names. Values that
// another place declares stay paths.
func (x *extractor) arguments(r *languages.Ref) string {
	if !strings.ContainsAny(r.Arguments, languages.ValueArgument+languages.NumberArgument) {
		return r.Arguments
	}
	list := splitArguments(r.Arguments)
	for i, a := range list {
		list[i] = x.argument(a, r)
	}
	return "(" + strings.Join(list, ",") + ")"
}

// splitArguments returns the arguments of a call.
func splitArguments(s string) []string {
	if s == "()" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(s, "("), ")"), ",")
}

// argument returns an argument with the types of local names.
func (x *extractor) argument(a string, r *languages.Ref) string {
	mark, path, elements := cutArgument(a)
	if mark == "" {
		return a
	}
	switch b := x.local(path, r.Span.Start, -1); {
	case b >= 0 && x.o.Bindings[b].Written != "":
		return numeric(mark, elementOf(x.o.Bindings[b].Written, elements))
	case x.lang.isSelf(path):
		_, own := languages.CutLast(x.container(r.Decl))
		return own
	}
	p := x.expand(path, r.Span.Start, r.Decl, -1, 0)
	if isUnknown(p) || p == languages.Builtin {
		return languages.NoArgument
	}
	return mark + p + strings.Repeat("[]", elements)
}

// cutArgument cuts an argument into its mark, its path and the number of times that it takes
// an element. The mark is "" for an argument with a written type.
func cutArgument(a string) (mark, path string, elements int) {
	if !strings.HasPrefix(a, languages.ValueArgument) && !strings.HasPrefix(a, languages.NumberArgument) {
		return "", a, 0
	}
	path = a[1:]
	for strings.HasSuffix(path, "[]") {
		path, elements = path[:len(path)-2], elements+1
	}
	return a[:1], path, elements
}

// elementOf returns the type of the elements of an array, n dimensions down.
func elementOf(written string, n int) string {
	for ; n > 0; n-- {
		element, ok := strings.CutSuffix(written, "[]")
		if !ok {
			return languages.NoArgument
		}
		written = element
	}
	return written
}

// numeric returns the type of an argument with a mark: the sum of a small number and another
// one is an int.
func numeric(mark, written string) string {
	if mark == languages.NumberArgument {
		switch written {
		case "byte", "short", "char":
			return "int"
		}
	}
	return written
}

// constructor returns the name and the receiver of the constructor that a call of "this" or
// "super" in a constructor calls, "" for another call.
func (x *extractor) constructor(r *languages.Ref) (name, receiver string) {
	if x.lang.calls == nil || r.Receiver != "" || r.Name != "this" && r.Name != superName {
		return "", ""
	}
	for i := r.Decl; i >= 0; i = x.syms[i].Parent {
		s := &x.syms[i]
		switch {
		case !languages.IsType(s.Kind):
		case r.Name == "this":
			return s.Name, s.Qualified
		case len(s.Bases) > 0:
			_, base := languages.CutLast(s.Bases[0])
			return base, s.Qualified + "." + superName
		default:
			return "", ""
		}
	}
	return "", ""
}

// superclasses adds an edge from each constructor to the superclass, whose constructor it
// calls, named or not.
func (x *extractor) superclasses(edges []record.Edge) []record.Edge {
	if x.lang.calls == nil {
		return edges
	}
	for i := range x.syms {
		s := &x.syms[i]
		if s.Kind != record.KindMethod || s.Parent < 0 || x.syms[s.Parent].Name != s.Name {
			continue
		}
		if class := &x.syms[s.Parent]; len(class.Bases) > 0 && languages.Extends(class.Signature) {
			_, base := languages.CutLast(class.Bases[0])
			edges = append(edges, record.Edge{From: i, Name: base, Kind: record.EdgeType, Count: 1, Lines: []int{s.NameLine}})
		}
	}
	return edges
}
