package languages

import (
	"cmp"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// outline returns the outline of the captures.
func (b *builder) outline(path record.Path) Outline {
	decls, refs := spare()
	decls = b.settleDecls(decls)
	slices.SortStableFunc(b.imports, func(x, y record.Import) int { return cmp.Compare(x.Line, y.Line) })
	o := Outline{Decls: decls, Imports: b.imports, Package: b.pkg, Comments: b.comments, Broken: b.broken}
	b.settleLocals(&o)
	b.settleDirectives(path, &o)
	b.readArguments()
	b.settleRefs(refs, &o)
	slices.Sort(b.breaks)
	o.Breaks = slices.Compact(b.breaks)
	return o
}

// readArguments makes values of the types among the arguments of constructors.
func (b *builder) readArguments() {
	if len(b.initArgs) == 0 {
		return
	}
	for i := range b.refs {
		r := &b.refs[i]
		if r.Kind != record.EdgeType {
			continue
		}
		_, found := slices.BinarySearchFunc(b.initArgs, r.Span.Start, func(s record.Span, o int) int {
			return boolInt(s.Start > o) - boolInt(s.End <= o)
		})
		if !found {
			continue
		}
		r.Kind = record.EdgeReads
		if strings.HasPrefix(strings.TrimLeft(b.text[r.Span.End:], " \t\n"), "(") {
			r.Kind = record.EdgeCalls
		}
	}
}

// settleLocals sets the scope of each local: the innermost scope or declaration around it.
func (b *builder) settleLocals(o *Outline) {
	if len(b.locals)+len(b.narrowed) == 0 {
		return
	}
	scopes := b.scopes
	for i := range o.Decls {
		scopes = append(scopes, o.Decls[i].Span)
	}
	slices.SortFunc(scopes, outerFirst)
	// Of several locals at one offset, keep one with a type.
	slices.SortFunc(b.locals, func(x, y local) int {
		return cmp.Or(cmp.Compare(x.Scope.Start, y.Scope.Start), cmp.Compare(boolInt(y.written), boolInt(x.written)), cmp.Compare(len(y.Type), len(x.Type)), cmp.Compare(len(y.Passed), len(x.Passed)))
	})
	b.locals = slices.CompactFunc(b.locals, func(x, y local) bool { return x.Scope.Start == y.Scope.Start })
	b.locals = b.undeclared(o.Decls)
	o.Bindings = make([]Binding, 0, len(b.locals)+len(b.narrowed))
	nested := nesting{next: scopes}
	for i := range b.locals {
		l := &b.locals[i]
		open := nested.at(l.Scope.Start)
		l.At = l.Scope.Start
		visible := record.Span{Start: l.Scope.Start, End: len(b.text)}
		if n := len(open); n > 0 {
			around := open[n-1]
			if l.field && n > 1 { // the scope of a parameter that declares a field is the constructor
				around = open[n-2]
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
	b.settleBounds(o.Bindings)
}

// settleBounds gives each type parameter its first bound that is not built in as its type.
func (b *builder) settleBounds(bindings []Binding) {
	if len(b.bounds) == 0 {
		return
	}
	const maxTries = 64 // type parameters of one name; those of other functions can stand between
	named := map[string][]int{}
	for i := range bindings {
		named[bindings[i].Name] = append(named[bindings[i].Name], i)
	}
	for _, bound := range b.bounds {
		list := named[bound.Name]
		n, _ := slices.BinarySearchFunc(list, bound.At+1, func(i, at int) int { return bindings[i].Scope.Start - at })
		for i := n - 1; i >= max(0, n-maxTries); i-- {
			if p := &bindings[list[i]]; bound.At < p.Scope.End {
				if p.Type == "" || p.Type == Builtin {
					p.Type = cmp.Or(bound.Type, p.Type)
				}
				break
			}
		}
	}
}

// undeclared returns the locals, which are ordered by offset, without the names that
// declare a value or an import.
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
	clear(b.locals[len(kept):])
	return kept
}

// nesting finds the spans around offsets that ascend.
type nesting struct {
	next []record.Span // not reached yet; outer before inner
	open []record.Span
}

// at returns the spans that hold an offset, outer before inner. They are valid until the
// next call.
func (n *nesting) at(offset int) []record.Span {
	for len(n.next) > 0 && n.next[0].Start <= offset {
		n.close(n.next[0].Start)
		n.open, n.next = append(n.open, n.next[0]), n.next[1:]
	}
	n.close(offset)
	return n.open
}

// close drops the spans that end at offset or before.
func (n *nesting) close(offset int) {
	for len(n.open) > 0 && n.open[len(n.open)-1].End <= offset {
		n.open = n.open[:len(n.open)-1]
	}
}

// settleRefs orders the references, keeps one for each offset, drops the names of
// declarations and locals, and finds the declaration around each. They are put in the memory of
// kept, which has none.
func (b *builder) settleRefs(kept []Ref, o *Outline) {
	declared := b.localAt
	for i := range o.Decls {
		at := o.Decls[i].NameSpan.Start
		if b.text[at] == '~' || b.text[at] == ':' || b.text[at] == '#' { // a destructor, a symbol, a private name
			at++
		}
		declared = append(declared, at)
	}
	slices.Sort(declared)
	slices.SortFunc(b.packageAt, outerFirst)
	builtins := b.builtins(o)
	kept = slices.Grow(kept, len(b.refs))
	var stack []int
	nextDecl, nextName, nextPackage, importEnd := 0, 0, 0, 0
	for _, key := range b.refOrder() {
		r := &b.refs[key&(1<<refBits-1)]
		if r.Name == "" { // the grammar misses it
			continue
		}
		at := r.Span.Start
		for nextPackage < len(b.packageAt) && b.packageAt[nextPackage].End <= at {
			nextPackage++
		}
		if at < importEnd || nextPackage < len(b.packageAt) && at >= b.packageAt[nextPackage].Start {
			continue // part of the path of an import or of a package
		}
		if r.Kind == record.EdgeImports {
			importEnd = r.Span.End
		}
		if n := len(kept); n > 0 && kept[n-1].Span.Start == at {
			k := &kept[n-1]
			k.Receiver, k.Arguments = cmp.Or(k.Receiver, r.Receiver), cmp.Or(k.Arguments, r.Arguments)
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
	o.Refs = kept[:0]
	for i := range kept {
		if r := &kept[i]; b.row.library(r, builtins) || !builtins.cover(r) {
			o.Refs = append(o.Refs, *r)
		}
	}
	clear(kept[len(o.Refs):])
}

// refBits and weightBits lay out the keys of refOrder: offset, weight, index.
const (
	refBits    = 28
	weightBits = 3
)

// refOrder returns the order of the references: by start, and at one offset the more
// specific kind first. The low refBits of each key hold the index. Sorting keys takes a
// third of the time of sorting references.
func (b *builder) refOrder() []uint64 {
	b.refs = b.refs[:min(len(b.refs), 1<<refBits-1)]
	keys := make([]uint64, len(b.refs))
	for i := range b.refs {
		r := &b.refs[i]
		keys[i] = uint64(r.Span.Start)<<(refBits+weightBits) | uint64(refWeight(r.Kind))<<refBits | uint64(i)
	}
	slices.Sort(keys)
	return keys
}

// refWeight orders the references at one offset: a more specific kind has a lower weight.
func refWeight(k record.EdgeKind) int {
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
