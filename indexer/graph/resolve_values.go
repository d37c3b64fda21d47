package graph

import (
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// subtype returns the cost of passing a value of one type to a parameter of another one.
func (q *Query) subtype(rules *callRules, from, to string) int {
	const maxNames = 32
	names, depth := []string{from}, map[string]int{from: 0}
	certain := from != "Object" && rules.boxOf(to) == "" && to != "String"
	if !certain {
		return -1
	}
	for i := 0; i < len(names) && i < maxNames; i++ {
		bases, known := q.supertypes(rules, names[i])
		certain = certain && known
		for _, b := range bases {
			if b == to {
				return costSubtype + depth[names[i]]
			}
			if _, seen := depth[b]; !seen {
				depth[b] = depth[names[i]] + 1
				names = append(names, b)
			}
		}
	}
	if certain {
		return -1
	}
	return costDoubt
}

// supertypes returns the names of the bases of the type with a name. known says that the
// workspace or the standard library declares the type.
func (q *Query) supertypes(rules *callRules, name string) (bases []string, known bool) {
	if list, ok := rules.supertypes[name]; ok {
		return strings.Fields(list), true
	}
	if b, ok := q.supers[name]; ok {
		return b.names, b.known
	}
	q.v.eachDef(name, func(r ref, d def) bool {
		if !languages.IsType(kinds[d.kind]) {
			return true
		}
		known = true
		if s := q.symbol(thing{at: r, symbol: int(d.symbol)}); s != nil {
			for _, b := range s.Bases {
				_, last := languages.CutLast(b)
				bases = append(bases, last)
			}
		}
		return len(bases) == 0
	})
	q.supers[name] = supers{bases, known}
	return bases, known
}

// supers are the bases of a type.
type supers struct {
	names []string
	known bool
}

// typeVariables returns the type parameters that a symbol sees, with their bounds.
func (q *Query) typeVariables(at place, symbol int) map[string]string {
	var out map[string]string
	for i := symbol; i >= 0 && i < len(at.Symbols); i = at.Symbols[i].Parent {
		s := &at.Symbols[i]
		after := ""
		if languages.IsType(s.Kind) {
			after = s.Name
		}
		for name, bound := range languages.TypeParameters(s.Signature, after) {
			if out == nil {
				out = map[string]string{}
			}
			if _, hidden := out[name]; !hidden {
				out[name] = bound
			}
		}
	}
	return out
}

// argumentTypes returns the types of the arguments of a call.
func (q *Query) argumentTypes(at place, e *record.Edge) []string {
	list := splitArguments(e.Arguments)
	variables := q.typeVariables(at, e.From)
	for i, a := range list {
		if mark, path, elements := cutArgument(a); mark != "" {
			list[i] = numeric(mark, elementOf(q.writtenType(at, e.From, path), elements))
		}
		element := strings.TrimRight(list[i], "[]")
		if bound, ok := variables[element]; ok {
			if bound == "" {
				bound = "Object"
			}
			list[i] = bound + list[i][len(element):]
		}
	}
	return list
}

// writtenType returns the type of a value, spelled as in [record.Edge.Arguments].
func (q *Query) writtenType(at place, from int, path string) string {
	before, last := languages.CutLast(path)
	c := componentOf(last)
	var a answer
	switch {
	case before == "":
		a = q.plain(at, from, c.name, 1)
	case before != languages.Builtin:
		a = q.members(at, q.path(at, from, before, 1), c.name, 1)
	}
	out := ""
	for _, t := range a.things {
		s := q.symbol(t)
		if s == nil || languages.IsCallable(s.Kind) != c.called {
			continue
		}
		in := q.place(t.at)
		w := languages.WrittenType(s.Signature, s.Name)
		if w == "" && s.Kind == record.KindField && s.Parent >= 0 {
			w = in.Symbols[s.Parent].Name // a constant of an enum
		}
		if _, ok := q.typeVariables(in, t.symbol)[strings.TrimRight(w, "[]")]; ok || w == "" || out != "" && out != w {
			return languages.NoArgument
		}
		out = w
	}
	if rules := at.lang().calls; out == "" && len(a.things) == 0 && (c.called || c.name == "length") {
		out = rules.results[c.name]
	}
	if out == "" {
		return languages.NoArgument
	}
	return out
}
