package graph

import (
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Globals is the module, in [Wants], of names that need no import: those of the library of
// JavaScript's environment. No file imports it.
const Globals = "globalThis"

// GlobalLead returns the lead which says that the file at a path, outside of the workspace,
// declares a global, or with the name "" that it declares one at all.
func GlobalLead(p record.Path, name string) Lead { return Lead{p, Globals + "." + name} }

// global finds a name that needs no import in the files outside of the workspace.
func (q *Query) global(name string) (out []thing) {
	if q.wanted != nil {
		q.wanted.Modules[WantedModule{"", Globals, name}] = true
	}
	if q.v.leads == nil {
		return nil
	}
	q.v.eachDef(name, func(r ref, d def) bool {
		p := q.v.file(r).path
		if _, ok := q.v.leads[GlobalLead(p, name)]; ok && kinds[d.kind] != record.KindImpl && q.atTop(r, int(d.symbol)) {
			out = append(out, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		}
		return len(out) < maxParts
	})
	return out
}

// atTop reports whether a symbol stands at the top of a file or of a module in it.
func (q *Query) atTop(r ref, symbol int) bool {
	symbols := q.place(r).Symbols
	return symbol < len(symbols) && (symbols[symbol].Parent < 0 || symbols[symbols[symbol].Parent].Kind == record.KindModule)
}

// unscoped finds a global of the environment before it guesses.
func (scriptRules) unscoped(q *Query, at place, name string, outside bool) answer {
	if things := q.global(name); len(things) > 0 {
		return answer{things: things}
	}
	return defaultRules{}.unscoped(q, at, name, outside)
}

// extensions finds a member in the other declarations of a global: several files can declare
// parts of one interface or name space.
func (scriptRules) extensions(q *Query, at place, of thing, name string) []thing {
	if _, ok := q.v.leads[GlobalLead(at.Path, "")]; !ok || !q.atTop(of.at, of.symbol) {
		return nil
	}
	var out []thing
	s := q.symbol(of)
	for _, part := range q.global(s.Name) {
		out = append(out, q.ownMembers(part, name)...)
	}
	if q.wanted != nil {
		q.wanted.Modules[WantedModule{"", Globals, name}] = true
	}
	return out
}

// isGlobal reports whether a thing is a global outside of the workspace, or a part of one.
func (q *Query) isGlobal(t thing) bool {
	s := q.symbol(t)
	if s == nil || q.v.leads == nil || !q.atTop(t.at, t.symbol) {
		return false
	}
	_, ok := q.v.leads[GlobalLead(q.v.file(t.at).path, s.Name)]
	return ok
}

// usedParts drops the declarations of globals that a use does not need: a name space, of which
// nothing but a member is used, the value where a type is named, and the type where a value is.
func (q *Query) usedParts(things []thing, kind record.EdgeKind) []thing {
	if q.v.leads == nil {
		return things
	}
	isType := func(t thing) bool { return languages.IsType(q.symbol(t).Kind) }
	isValue := func(t thing) bool { return !isType(t) }
	out := slices.DeleteFunc(things, func(t thing) bool { return q.isGlobal(t) && q.symbol(t).Kind == record.KindModule })
	switch {
	case kind == record.EdgeType || kind == record.EdgeExtends:
		if slices.ContainsFunc(out, func(t thing) bool { return q.isGlobal(t) && isType(t) }) {
			out = slices.DeleteFunc(out, isValue)
		}
	case kind != record.EdgeCreates:
		if slices.ContainsFunc(out, func(t thing) bool { return q.isGlobal(t) && isValue(t) }) {
			out = slices.DeleteFunc(out, isType)
		}
	}
	return out
}
