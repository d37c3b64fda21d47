package languages

import (
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// outline puts everything in its place.
func (b *builder) outline(path record.Path) Outline {
	decls := b.settleDecls()
	slices.SortStableFunc(b.imports, func(x, y record.Import) int { return cmp.Compare(x.Line, y.Line) })
	o := Outline{Decls: decls, Imports: b.imports, Package: b.pkg, Broken: b.broken}
	b.settleLocals(&o)
	b.settleDirectives(path, &o)
	b.settleRefs(&o)
	slices.Sort(b.breaks)
	o.Breaks = slices.Compact(b.breaks)
	return o
}

// settleLocals gives each local the span in which it is visible: the innermost
// scope or declaration around it.
func (b *builder) settleLocals(o *Outline) {
	if len(b.locals)+len(b.narrowed) == 0 {
		return
	}
	scopes := b.scopes
	for i := range o.Decls {
		scopes = append(scopes, o.Decls[i].Span)
	}
	slices.SortFunc(scopes, outerFirst)
	// Of several readings of one place the one that tells the type stays.
	slices.SortFunc(b.locals, func(x, y local) int {
		return cmp.Or(cmp.Compare(x.Scope.Start, y.Scope.Start), cmp.Compare(boolInt(y.written), boolInt(x.written)), cmp.Compare(len(y.Type), len(x.Type)))
	})
	b.locals = slices.CompactFunc(b.locals, func(x, y local) bool { return x.Scope.Start == y.Scope.Start })
	b.locals = b.undeclared(o.Decls)
	o.Bindings = make([]Binding, 0, len(b.locals)+len(b.narrowed))
	var stack []record.Span
	next := 0
	for i := range b.locals {
		l := &b.locals[i]
		for ; next < len(scopes) && scopes[next].Start <= l.Scope.Start; next++ {
			stack = append(popped(stack, scopes[next].Start), scopes[next])
		}
		stack = popped(stack, l.Scope.Start)
		l.At = l.Scope.Start
		visible := record.Span{Start: l.Scope.Start, End: len(b.text)}
		if n := len(stack); n > 0 {
			around := stack[n-1]
			if l.field && n > 1 { // a parameter that is a field as well: its scope is the constructor
				around = stack[n-2]
			}
			visible.End = around.End
			if b.row.hoisted {
				visible.Start = around.Start
			}
		}
		if !b.row.hoisted && l.Scope.End > l.Scope.Start+len(l.Name) {
			visible.Start = min(l.Scope.End, visible.End)
		}
		l.Scope = visible
		o.Bindings = append(o.Bindings, l.Binding)
	}
	o.Bindings = append(o.Bindings, b.narrowed...)
	slices.SortStableFunc(o.Bindings, func(x, y Binding) int { return cmp.Compare(x.Scope.Start, y.Scope.Start) })
}

// undeclared returns the locals, ordered by place, without those that are
// declarations or imports at the same place.
func (b *builder) undeclared(decls []Decl) []local {
	taken := make([]int, 0, len(decls)+len(b.importAt))
	taken = append(taken, b.importAt...)
	var fields []int
	for i := range decls {
		switch d := &decls[i]; {
		case d.Kind == record.KindField:
			fields = append(fields, d.NameSpan.Start)
		case isValue(d.Kind):
			taken = append(taken, d.NameSpan.Start)
		}
	}
	slices.Sort(taken)
	slices.Sort(fields)
	kept := b.locals[:0]
	for _, l := range b.locals {
		at := l.Scope.Start
		if _, ok := slices.BinarySearch(taken, at); ok {
			continue
		}
		_, l.field = slices.BinarySearch(fields, at)
		kept = append(kept, l)
	}
	return kept
}

func popped(stack []record.Span, offset int) []record.Span {
	for len(stack) > 0 && stack[len(stack)-1].End <= offset {
		stack = stack[:len(stack)-1]
	}
	return stack
}

// settleRefs orders the references, keeps one for each place, drops the names that
// are being declared, and finds the declaration around each.
func (b *builder) settleRefs(o *Outline) {
	declared := b.localAt
	for i := range o.Decls {
		at := o.Decls[i].NameSpan.Start
		if b.text[at] == '~' || b.text[at] == ':' || b.text[at] == '#' { // a destructor, a symbol, a private name
			at++
		}
		declared = append(declared, at)
	}
	slices.Sort(declared)
	builtins := b.builtins(o)
	kept := make([]Ref, 0, len(b.refs))
	var stack []int
	nextDecl, nextName, importEnd := 0, 0, 0
	for _, key := range b.refOrder() {
		r := &b.refs[key&(1<<refBits-1)]
		at := r.Span.Start
		if at < importEnd {
			continue // part of the path of an import
		}
		if r.Kind == record.EdgeImports {
			importEnd = r.Span.End
		}
		if n := len(kept); n > 0 && kept[n-1].Span.Start == at {
			if kept[n-1].Receiver == "" {
				kept[n-1].Receiver = r.Receiver
			}
			continue
		}
		for nextName < len(declared) && declared[nextName] < at {
			nextName++
		}
		if nextName < len(declared) && declared[nextName] == at {
			continue
		}
		for ; nextDecl < len(o.Decls) && o.Decls[nextDecl].Span.Start <= at; nextDecl++ {
			for n := len(stack); n > 0 && o.Decls[stack[n-1]].Span.End <= o.Decls[nextDecl].Span.Start; n = len(stack) {
				stack = stack[:n-1]
			}
			stack = append(stack, nextDecl)
		}
		for len(stack) > 0 && o.Decls[stack[len(stack)-1]].Span.End <= at {
			stack = stack[:len(stack)-1]
		}
		if n := len(stack); n > 0 {
			r.Decl = stack[n-1]
		}
		kept = append(kept, *r)
	}
	o.Refs = slices.DeleteFunc(kept, func(r Ref) bool { return builtins.cover(&r) })
}

// refBits and weightBits lay out the keys of refOrder: offset, weight, index.
const (
	refBits    = 28
	weightBits = 3
)

// refOrder returns the order of the references: by start, and of one place what
// says more first. The index stands in the low refBits of each key. Sorting keys
// costs a third of sorting references.
func (b *builder) refOrder() []uint64 {
	b.refs = b.refs[:min(len(b.refs), 1<<refBits-1)]
	keys := make([]uint64, len(b.refs))
	for i := range b.refs {
		r := &b.refs[i]
		keys[i] = uint64(r.Span.Start)<<(refBits+weightBits) | uint64(weightless(r.Kind))<<refBits | uint64(i)
	}
	slices.Sort(keys)
	return keys
}

// weightless orders the readings of one place: what says more has the lower number.
func weightless(k record.EdgeKind) int {
	switch k {
	case record.EdgeExtends, record.EdgeImports, record.EdgeAssociates:
		return 0
	case record.EdgeCreates:
		return 1
	case record.EdgeCalls:
		return 2
	case record.EdgeType:
		return 3
	}
	return 4
}
