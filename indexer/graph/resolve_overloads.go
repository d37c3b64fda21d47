package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// callRules are the rules of a language in which functions of one name differ by the types
// of their parameters.
type callRules struct {
	supertypes map[string]string // of the types of the standard library, separated by blanks
	results    map[string]string // of the methods of the standard library by name
	wider      []string          // numbers, the narrower first
	boxes      map[string]string // the class of a primitive type
}

// maxOverloads bounds the functions of one name among which a call chooses.
const maxOverloads = 48

// overloaded keeps of the functions of one name those that a call can mean by the number and
// the types of its arguments. Inherited ones are among them.
//
// Source: The Java Language Specification, 15.12.2, with types that are not evident.
func (q *Query) overloaded(at place, e *record.Edge, a answer) answer {
	rules := at.lang().calls
	if rules == nil || e.Arguments == "" || len(a.things) == 0 {
		return a
	}
	c := call{q: q, at: at, rules: rules, arguments: q.argumentTypes(at, e)}
	best, cost := c.cheapest(a.things)
	if cost < 0 || cost >= costSubtype {
		inherited := q.inheritedOverloads(a.things, e.Name)
		if others, other := c.cheapest(inherited); other >= 0 && (cost < 0 || other < cost) {
			best, cost = others, other
		}
	}
	if cost < 0 {
		return a
	}
	for i := range best {
		switch {
		case len(best) > 2:
			best[i].prob *= guessProbability
		case i > 0:
			best[i].prob *= basedProbability
		}
	}
	a.things = best
	return a
}

// Constructors returns the constructors of the type that an edge of a file creates: those that
// its arguments fit best.
func (q *Query) Constructors(g *record.FileGraph, e *record.Edge, t Target) []int {
	tg := q.Graph(t.Path)
	all := Constructors(tg, t.Symbol)
	r, ok := q.v.find(g.Path)
	in, found := q.v.find(t.Path)
	if len(all) < 2 || e.Arguments == "" || languageOf(g.Language).calls == nil || !ok || !found {
		return all
	}
	things := make([]thing, len(all))
	for i, symbol := range all {
		things[i] = thing{at: in, symbol: symbol, prob: t.Probability}
	}
	at := place{ref: r, FileGraph: g, v: q.v}
	c := call{q: q, at: at, rules: at.lang().calls, arguments: q.argumentTypes(at, e)}
	best, cost := c.cheapest(things)
	if cost < 0 {
		return all
	}
	all = all[:0]
	for _, b := range best {
		all = append(all, b.symbol)
	}
	return all
}

// inheritedOverloads returns the functions of a name in the bases of the types that declare
// some functions.
func (q *Query) inheritedOverloads(things []thing, name string) []thing {
	var types, out []thing
	for _, t := range things {
		if s := q.symbol(t); s != nil && s.Parent >= 0 && languages.IsCallable(s.Kind) {
			types = append(types, thing{at: t.at, symbol: s.Parent, prob: t.prob})
		}
	}
	same := func(x, y thing) bool { return x.at == y.at && x.symbol == y.symbol }
	types = slices.CompactFunc(types, same)
	for range maxDepth {
		types = q.bases(answer{things: types}).things
		types = types[:min(len(types), maxTargets)]
		for _, t := range types {
			out = append(out, q.ownMembers(t, name)...)
		}
		if len(types) == 0 || len(out) >= maxOverloads {
			break
		}
	}
	return out[:min(len(out), maxOverloads)]
}

// call is one call of an overloaded function.
type call struct {
	q         *Query
	at        place
	rules     *callRules
	arguments []string
}

// The costs of passing an argument to a parameter: the lower, the better they fit.
const (
	costWider    = 1 // for each step between numbers
	costNull     = 1
	costVariable = 5
	costSubtype  = 10 // and one for each step
	costBox      = 30
	costDoubt    = 40 // a type whose bases are not known
	costObject   = 50
	costSeveral  = 1000 // a parameter that takes several arguments
)

// cheapest returns the functions that a call fits best, and the cost of the call; -1 when it
// fits none.
func (c *call) cheapest(things []thing) (best []thing, cost int) {
	cost = -1
	for _, t := range things[:min(len(things), maxOverloads)] {
		n := c.cost(t)
		switch {
		case n < 0 || cost >= 0 && n > cost:
			continue
		case n != cost:
			best, cost = best[:0], n
		}
		best = append(best, t)
	}
	return best, cost
}

// cost returns the cost of a call of one function, -1 when it does not fit.
func (c *call) cost(t thing) int {
	s := c.q.symbol(t)
	if s == nil || !languages.IsCallable(s.Kind) {
		return -1
	}
	parameters, ok := languages.Parameters(s.Signature, s.Name)
	if !ok {
		return costDoubt
	}
	variables := c.q.typeVariables(c.q.place(t.at), t.symbol)
	n := len(parameters)
	if n == len(c.arguments) {
		total := c.sum(parameters, variables)
		if total >= 0 {
			return total
		}
	}
	if n == 0 || !strings.HasSuffix(parameters[n-1], "...") || len(c.arguments) < n-1 {
		return -1
	}
	repeated := slices.Clone(parameters[:n-1])
	for range len(c.arguments) - (n - 1) {
		repeated = append(repeated, strings.TrimSuffix(parameters[n-1], "..."))
	}
	if total := c.sum(repeated, variables); total >= 0 {
		return total + costSeveral
	}
	return -1
}

// sum adds the costs of the arguments, which are as many as the parameters.
func (c *call) sum(parameters []string, variables map[string]string) int {
	total := 0
	for i, p := range parameters {
		if element, ok := strings.CutSuffix(p, "..."); ok {
			p = element + "[]"
		}
		n := c.pass(c.arguments[i], p, variables)
		if n < 0 {
			return -1
		}
		total += n
	}
	return total
}

// pass returns the cost of passing an argument to a parameter, -1 when it cannot be passed.
func (c *call) pass(argument, parameter string, variables map[string]string) int {
	element := strings.TrimRight(parameter, "[]")
	extra := 0
	if bound, ok := variables[element]; ok {
		if bound == "" {
			bound = "Object"
		}
		parameter, extra = bound+parameter[len(element):], costVariable
		element = bound
	}
	primitive := slices.Contains(c.rules.wider, parameter) || parameter == "boolean"
	switch {
	case argument == parameter, argument == languages.NoArgument:
		return extra
	case argument == languages.NullArgument && parameter == "Object":
		return 2 * costNull
	case argument == languages.NullArgument && !primitive:
		return costNull + extra
	case argument == languages.FunctionArgument && !primitive && parameter == element && element != "Object" && c.rules.boxOf(element) == "":
		return costNull + extra
	case argument == languages.NullArgument, argument == languages.FunctionArgument:
		return -1
	}
	if n := c.reference(argument, parameter, element, primitive); n >= 0 {
		return n + extra
	}
	return -1
}

// boxOf returns the primitive type of a class, "" for another one; a string is as final.
func (r *callRules) boxOf(class string) string {
	for primitive, box := range r.boxes {
		if box == class {
			return primitive
		}
	}
	return ""
}

// reference is pass for types that differ.
func (c *call) reference(argument, parameter, element string, primitive bool) int {
	from, to := slices.Index(c.rules.wider, argument), slices.Index(c.rules.wider, parameter)
	box, isPrimitive := c.rules.boxes[argument]
	switch {
	case isPrimitive && primitive:
		if from < 0 || to <= from || parameter == "char" {
			return -1
		}
		return costWider * (to - from)
	case isPrimitive:
		if n := c.pass(box, parameter, nil); n >= 0 && n < costObject {
			return costBox + n
		} else if n >= 0 {
			return costBox + costObject
		}
		return -1
	case primitive:
		if plain := c.rules.boxOf(argument); plain != "" {
			if n := c.pass(plain, parameter, nil); n >= 0 {
				return costBox + n
			}
		}
		return -1
	}
	fromArray, toArray := strings.HasSuffix(argument, "[]"), element != parameter
	switch {
	case fromArray && toArray:
		from, to := strings.TrimSuffix(argument, "[]"), strings.TrimSuffix(parameter, "[]")
		if c.rules.boxes[from] != "" || c.rules.boxes[to] != "" {
			return -1 // arrays of other numbers
		}
		return c.pass(from, to, nil)
	case toArray:
		return -1
	case parameter == "Object":
		return costObject
	case fromArray:
		return -1
	}
	return c.q.subtype(c.rules, argument, parameter)
}
