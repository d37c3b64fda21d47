package languages

import (
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

const maxMarks = 32 // of one declaration

// settleActions finds the methods of the classes of a framework that are actions. A method
// that a directive of its class names is a filter or a callback.
func (b *builder) settleActions(o *Outline, known []*class) {
	defer b.settlePermits(o)
	class, end := -1, 0 // the last class, and where its public members end
	called := map[string]bool{}
	for i := range o.Decls {
		d := &o.Decls[i]
		if d.Kind != record.KindMethod || d.Parent < 0 || known[d.Parent] == nil || !known[d.Parent].acts || o.Decls[d.Parent].Role == "" {
			continue
		}
		if d.Parent != class {
			class, end = d.Parent, o.PublicEnd(d.Parent)
			clear(called)
			for v := range o.DirectivesOf(class, o.Decls[class].Span) {
				for _, name := range v.Methods {
					called[name] = true
				}
			}
		}
		if b.isAction(known[class], d) && d.Span.Start < end && !called[d.Name] {
			d.Role = RoleAction
			if route := b.row.framework.route; route != nil {
				d.Route = route(b.marksOf(&o.Decls[class]), b.marksOf(d))
			}
		}
	}
}

// isAction reports whether a method of such a class can be an action.
func (b *builder) isAction(c *class, d *Decl) bool {
	if len(c.actions) > 0 {
		return b.hasMark(d, c.actions)
	}
	modifiers := b.text[d.Header.Start:max(d.Header.Start, d.NameSpan.Start)]
	return d.Exported && !strings.Contains(modifiers, "protected ") && !slices.Contains(c.helpers, d.Name)
}

// settlePermits sets the parameters that actions permit, themselves or by a method of their
// class that they call.
func (b *builder) settlePermits(o *Outline) {
	permits := b.row.framework.permits
	if permits == nil {
		return
	}
	found := map[int][]int{} // the methods of a class that permit parameters
	for i := range o.Decls {
		d := &o.Decls[i]
		if d.Kind != record.KindMethod || d.Parent < 0 || o.Decls[d.Parent].Role != RoleController || len(found[d.Parent]) == maxMarks {
			continue
		}
		if d.Permits = permits(b.slice(d.Body)); d.Permits != "" {
			found[d.Parent] = append(found[d.Parent], i)
		}
	}
	for i := range o.Decls {
		d := &o.Decls[i]
		if d.Role != RoleAction || d.Permits != "" {
			continue
		}
		for _, k := range found[d.Parent] {
			if wordIn(b.slice(d.Body), o.Decls[k].Name) >= 0 {
				d.Permits = o.Decls[k].Permits
				break
			}
		}
	}
}

// marksOf returns the text in front of the name of a declaration.
func (b *builder) marksOf(d *Decl) string {
	return b.text[d.Span.Start:max(d.Span.Start, d.NameSpan.Start)]
}

var markName = lazy.Regexp(`@([\w.]+)`)

// hasMark reports whether a declaration has one of some decorators or annotations.
func (b *builder) hasMark(d *Decl, marks []string) bool {
	if len(marks) == 0 {
		return false
	}
	for _, m := range markName().FindAllStringSubmatch(b.marksOf(d), maxMarks) {
		if slices.Contains(marks, m[1]) {
			return true
		}
	}
	return false
}
