package graph

import (
	"cmp"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// anyMember guesses what a member of an unknown receiver is: the members of that
// name in the workspace, the nearest first.
func (q *Query) anyMember(at place, name string, kind record.EdgeKind) answer {
	wanted := memberDef
	if kind == record.EdgeCalls {
		wanted = calledDef
	}
	a := q.guess(at, name, false, wanted)
	if lang := at.family(); len(a.things) == 0 && (lang == "javascript" || lang == "python") && kind == record.EdgeCalls {
		// Objects that gather the functions of modules: const z = {...schemas}.
		a = q.guess(at, name, false, exportedDef)
	}
	return a
}

// wanted says which definitions of a name a guess takes.
type wanted uint8

const (
	anyDef      wanted = iota
	topDef             // no members
	memberDef          // members
	calledDef          // members that can be called
	exportedDef        // functions that a module offers
)

func (w wanted) takes(d def) bool {
	switch kind := kinds[d.kind]; w {
	case topDef:
		return d.container == 0
	case memberDef:
		return d.container != 0
	case calledDef:
		return d.container != 0 && (languages.IsCallable(kind) || kind == record.KindField)
	case exportedDef:
		return languages.IsCallable(kind) && d.flags&flagExported != 0
	}
	return true
}

// option is a definition that a name may mean.
type option struct {
	thing
	near int
}

// seekKey is all that says which definitions a guess has to choose from.
type seekKey struct {
	name   string
	family string // "" for any
	test   bool   // tests count
	wanted wanted
}

// guessKey is all that a guess depends on, for a file that does not define the name.
type guessKey struct {
	seekKey
	dir     string
	outside bool
}

// options are the definitions that a guess chooses from, at most maxDefinitions.
type options struct {
	things []thing
	dir    []int // by thing; index into dirs
	dirs   []string
}

// guess returns the definitions of a name that are wanted, nearest first: one is
// likely, several share what is left. Files of one directory guess alike.
func (q *Query) guess(at place, name string, outside bool, w wanted) answer {
	own := q.v.file(at.ref)
	key := guessKey{seekKey{name, at.family(), own.test, w}, dirOf(string(own.path)), outside}
	if key.family == "markdown" || key.family == "text" {
		key.family = ""
	}
	defines := len(q.v.defsIn(at.ref, name)) > 0
	if a, ok := q.guessed[key]; ok && !defines {
		return answer{things: slices.Clone(a.things)}
	}
	o := q.seek(key.seekKey)
	near := make([]int, len(o.dirs))
	for i, dir := range o.dirs {
		near[i] = dirNearness(key.dir, dir)
	}
	first := make([]option, 0, maxTargets+2)
	for i, t := range o.things {
		n := near[o.dir[i]]
		if t.at == at.ref {
			n = sameFile
		}
		first = insert(first, option{t, n})
	}
	a := shared(first, len(o.things), outside)
	if !defines {
		q.guessed[key] = answer{things: slices.Clone(a.things)}
	}
	return a
}

// seek lists the definitions that a guess chooses from.
func (q *Query) seek(key seekKey) *options {
	if o, ok := q.sought[key]; ok {
		return o
	}
	o := &options{}
	number := map[string]int{}
	q.v.eachDef(key.name, func(r ref, d def) bool {
		f := q.v.file(r)
		if key.family != "" && family(f.language) != key.family || !key.wanted.takes(d) || f.test && !key.test {
			return true
		}
		dir := dirOf(string(f.path))
		n, ok := number[dir]
		if !ok {
			n = len(o.dirs)
			number[dir] = n
			o.dirs = append(o.dirs, dir)
		}
		o.things = append(o.things, thing{at: r, symbol: int(d.symbol)})
		o.dir = append(o.dir, n)
		return len(o.things) < maxDefinitions
	})
	q.sought[key] = o
	return o
}

// insert adds an option to the nearest ones, of which it keeps one more than an
// answer has: whether that is as near as they are tells how sure they are. Of two
// that are as near the first stays first.
func insert(nearest []option, o option) []option {
	i := len(nearest)
	for i > 0 && nearest[i-1].near < o.near {
		i--
	}
	if i > maxTargets {
		return nearest
	}
	nearest = slices.Insert(nearest, i, o)
	return nearest[:min(len(nearest), maxTargets+1)]
}

// shared gives the nearest of n options their probabilities.
func shared(nearest []option, n int, outside bool) answer {
	var out answer
	for i, o := range nearest[:min(len(nearest), maxTargets)] {
		p := uniqueProbability
		if n > 1 {
			p = guessProbability / float64(n)
			if o.near > nearest[len(nearest)-1].near {
				p = guessProbability / float64(i+1)
			}
		}
		if outside {
			p /= 2
		}
		o.prob = p
		out.things = append(out.things, o.thing)
	}
	return out
}

// linked resolves a plain name of C or C++ as a linker would: what is static in
// another source file is not meant, what a header declares and another file
// defines is one thing. Files that are included come first.
func (q *Query) linked(at place, name string) answer {
	own := q.v.file(at.ref)
	included := map[ref]bool{}
	for i := range at.Imports {
		if m := q.v.module(own, at.Imports[i].Path); len(m.files) > 0 {
			included[m.files[0]] = true
		}
	}
	var all []option
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if family(f.language) != "c" || f.test && !own.test || d.flags&flagExported == 0 && !isHeader(f.path) && r != at.ref {
			return true
		}
		near := nearness(own.path, f.path)
		if included[r] {
			near += 500
		}
		if d.flags&flagBodiless == 0 {
			near++
		}
		all = append(all, option{thing{at: r, symbol: int(d.symbol)}, near})
		return len(all) < maxDefinitions
	})
	all = q.atNamespace(all)
	var first []option
	for _, o := range all {
		first = insert(first, o)
	}
	a := shared(first, len(all), false)
	if q.oneThing(all) {
		for i := range a.things {
			a.things[i].prob = basedProbability
		}
	}
	return a
}

// constant resolves a constant of Ruby that the scopes around it do not have: when
// all classes and modules of the name are one, reopened, that is meant.
func (q *Query) constant(at place, name string) answer {
	if name == "" || name[0] < 'A' || name[0] > 'Z' {
		return answer{}
	}
	var a answer
	container, one := uint32(0), true
	q.v.eachDef(name, func(r ref, d def) bool {
		f := q.v.file(r)
		if k := kinds[d.kind]; f.language != "ruby" || k != record.KindClass && k != record.KindModule || f.test && !q.v.file(at.ref).test {
			return true
		}
		one = one && (len(a.things) == 0 || d.container == container)
		container = d.container
		a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: basedProbability})
		return one && len(a.things) < maxTargets
	})
	if !one {
		return answer{}
	}
	return a
}

// maxLinked bounds the definitions of one name that linked looks at closely.
const maxLinked = 32

// atNamespace keeps, of the nearest options, those that are no members of a class,
// when there are any: members of the own class were found before.
func (q *Query) atNamespace(all []option) []option {
	if len(all) < 2 {
		return all
	}
	slices.SortStableFunc(all, func(x, y option) int { return cmp.Compare(y.near, x.near) })
	all = all[:min(len(all), maxLinked)]
	var out []option
	for _, o := range all {
		s := q.place(o.at).Symbols
		if o.symbol >= len(s) {
			continue
		}
		p := s[o.symbol].Parent
		if p < 0 && s[o.symbol].Kind != record.KindMethod || p >= 0 && (s[p].Kind == record.KindModule || s[p].Kind == record.KindEnum) {
			out = append(out, o)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// oneThing reports whether options are the variants of one definition in one file,
// or one definition and its declarations.
func (q *Query) oneThing(all []option) bool {
	bodies, sameFile := 0, true
	for _, o := range all {
		if s := q.place(o.at).Symbols; o.symbol < len(s) && s[o.symbol].Body.End > s[o.symbol].Body.Start {
			bodies++
		}
		sameFile = sameFile && o.at == all[0].at
	}
	return sameFile || bodies == 1
}

func isHeader(p record.Path) bool {
	i := strings.LastIndexByte(string(p), '.')
	return i >= 0 && strings.HasPrefix(string(p[i:]), ".h")
}

// sameFile is how near a file is to itself.
const sameFile = 1000

// nearness tells how close two files are: sameFile for the same one, else four for
// each directory they share, less those they do not.
func nearness(a, b record.Path) int {
	if a == b {
		return sameFile
	}
	return dirNearness(dirOf(string(a)), dirOf(string(b)))
}

// dirNearness is nearness by the directories of two files.
func dirNearness(x, y string) int {
	shared, i := 0, 0
	for ; i < len(x) && i < len(y) && x[i] == y[i]; i++ {
		if x[i] == '/' {
			shared++
		}
	}
	if (i == len(x) || x[i] == '/') && (i == len(y) || y[i] == '/') {
		shared++
	}
	return 6*shared - (1 + strings.Count(x, "/")) - (1 + strings.Count(y, "/"))
}
