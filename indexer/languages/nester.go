package languages

import (
	"slices"
	"strings"

	"ambit/vectors/record"
)

// nester finds the parents of declarations. The caller passes them in the order of the
// text, outer before inner.
type nester struct {
	b      *builder
	decls  []Decl
	stack  []int // the declarations around the current offset
	fields map[field]bool
	scopes nesting
}

// field names a member of a type that its first assignment declares.
type field struct {
	class int
	name  string
}

// place adds one declaration, or makes a local of it.
func (n *nester) place(d *Decl) {
	for len(n.stack) > 0 && n.decls[n.top()].Span.End <= d.Span.Start {
		n.stack = n.stack[:len(n.stack)-1]
	}
	if len(n.stack) > 0 && n.decls[n.top()].Span == d.Span {
		other := &n.decls[n.top()]
		switch { // two matches of one declaration, or several names in one declaration
		case d.Kind == record.KindTest && other.Kind == record.KindFunction:
			d.Parent = other.Parent
			*other = n.finished(d)
			return
		case other.Kind == record.KindTest && d.Kind == record.KindFunction, d.Name == other.Name:
			return
		}
		if chained(other, d) {
			d.Kind = other.Kind
		}
		n.stack = n.stack[:len(n.stack)-1]
	}
	for len(n.stack) > 0 && chained(&n.decls[n.top()], d) {
		d.Kind = n.decls[n.top()].Kind
		n.stack = n.stack[:len(n.stack)-1]
	}
	if len(n.stack) > 0 && !within(d, n.decls[n.top()].Span) {
		return
	}
	scopes := n.scopes.at(d.Span.Start)
	if n.constructed(d) {
		n.b.initArgs = append(n.b.initArgs, record.Span{Start: d.NameSpan.End, End: d.Span.End})
		n.b.addLocal(Binding{Name: d.Name, Scope: d.NameSpan, Type: d.Type})
		return
	}
	if isValue(d.Kind) && n.local(d, scopes) {
		n.b.addLocal(Binding{Name: d.Name, Scope: d.NameSpan, Type: d.Type})
		return
	}
	d.Parent = -1
	if len(n.stack) > 0 {
		d.Parent = n.top()
		t := typeAround(n.decls, d.Parent)
		static := n.b.row.preprocessed && n.decls[d.Parent].Kind == record.KindModule // int A::x; in a name space
		if d.Container != "" && isValue(d.Kind) && inBody(&n.decls[d.Parent], d) && !static {
			if t < 0 || n.fields[field{t, d.Name}] {
				return // self.field = …: the first assignment declares the field
			}
			n.declareField(t, d)
			return
		}
		if t >= 0 && d.Kind == record.KindField && d.Parent != t && IsCallable(n.decls[d.Parent].Kind) {
			d.Container = n.decls[t].Name // a parameter of the constructor declares the field
		}
	} else if d.Container != "" && d.Kind == record.KindField {
		return // self.field outside of a method
	}
	n.stack = append(n.stack, len(n.decls))
	n.decls = append(n.decls, n.finished(d))
}

// within ends a declaration where the one around it ends, which is too early if the grammar
// could not read that. It returns false if nothing is left of it.
func within(d *Decl, around record.Span) bool {
	d.Span.End, d.Body.End = min(d.Span.End, around.End), min(d.Body.End, around.End)
	d.Body.Start = min(d.Body.Start, d.Body.End)
	return d.NameSpan.End <= d.Span.End
}

// chained reports whether a declaration is a later name of an assignment to several: "b" in
// "a = b = 1", which is beside "a" and not in it.
func chained(outer, d *Decl) bool {
	return isValue(outer.Kind) && isValue(d.Kind) && outer.Span.End == d.Span.End && outer.NameSpan.End <= d.NameSpan.Start &&
		empty(outer.Body) && empty(d.Body)
}

func (n *nester) top() int { return n.stack[len(n.stack)-1] }

// local reports whether a value lies in the body of a function or in a block of
// statements. scopes are the scopes around it.
func (n *nester) local(d *Decl, scopes []record.Span) bool {
	if d.Container != "" {
		return false
	}
	floor := -1
	var module record.Span // the body of the module around d: what stands in it is no local
	if len(n.stack) > 0 {
		p := &n.decls[n.top()]
		if p.Kind == record.KindModule {
			module = p.Body
		}
		if IsCallable(p.Kind) && (inBody(p, d) || d.Kind != record.KindField) { // C also declares parameters behind the list
			return true
		}
		floor = p.Span.Start
	}
	if d.Kind == record.KindField && !n.b.row.oneForm {
		return false
	}
	return slices.ContainsFunc(scopes, func(s record.Span) bool {
		return s.Start > floor && s.Start < d.Span.Start && d.Span.End <= s.End && s != module
	})
}

// constructed reports whether what the grammar reads as a function is a variable in the body of a
// function, and its parameters are the arguments of a constructor.
func (n *nester) constructed(d *Decl) bool {
	if !n.b.row.constructs || d.Kind != record.KindFunction || !empty(d.Body) || d.Type == "" || len(n.stack) == 0 {
		return false
	}
	p := &n.decls[n.top()]
	return IsCallable(p.Kind) && inBody(p, d) && !strings.HasPrefix(n.b.slice(d.Span), "extern")
}

// inBody reports whether d starts in the body of p.
func inBody(p, d *Decl) bool { return !empty(p.Body) && d.Span.Start >= p.Body.Start }

// declareField adds a field that a method of type t assigns.
func (n *nester) declareField(t int, d *Decl) {
	if n.fields == nil {
		n.fields = map[field]bool{}
	}
	n.fields[field{t, d.Name}] = true
	d.Container = n.decls[t].Name
	f := n.finished(d)
	f.Exported = n.b.row.exported(d.Name, "")
	n.decls = append(n.decls, f)
}

// finished returns d with its header and the fields that depend on it.
func (n *nester) finished(d *Decl) Decl {
	if body := n.b.slice(d.Body); body == "{" || body != "" && n.b.row.data { // the grammar has no node for the whole body
		d.Body.End = d.Span.End
	}
	d.Header = n.b.header(d)
	if d.Kind == record.KindField && n.b.row.oneForm && d.Parent < 0 && d.Container == "" {
		d.Kind = record.KindVariable
	}
	if d.Kind == record.KindFunction && d.Parent >= 0 && IsType(n.decls[d.Parent].Kind) {
		d.Kind = record.KindMethod
	}
	d.Exported = n.b.row.exported(d.Name, n.b.slice(d.Header))
	if d.Parent >= 0 {
		switch k := n.decls[d.Parent].Kind; {
		case n.b.row.preprocessed && IsType(k):
			d.Exported = true // static in a class of C++ does not hide the member
		case k == record.KindInterface || k == record.KindEnum: // the members are as visible as the type
			d.Exported = d.Exported || !strings.Contains(n.b.slice(d.Header), "private ")
		}
	}
	return *d
}
