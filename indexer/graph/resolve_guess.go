package graph

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// anyMember guesses the member of an unknown receiver: the members of that name in the
// workspace, the nearest first.
func (q *Query) anyMember(at place, name string, kind record.EdgeKind) answer {
	wanted := memberDef
	if kind == record.EdgeCalls {
		wanted = calledDef
	}
	a := q.guess(at, name, false, wanted)
	if len(a.things) == 0 && at.lang().gathers && kind == record.EdgeCalls {
		a = q.guess(at, name, false, exportedDef)
	}
	if at.lang().commonNames && kind != record.EdgeType { // no builtin class has the constants of the workspace
		for i := range a.things {
			a.things[i].prob *= commonProbability
		}
	}
	return a
}

// memberByName finds a member of a value whose type the names in its path tell.
func (q *Query) memberByName(at place, path, name string) answer {
	if a := q.memberByLocal(at, path, name); len(a.things) > 0 {
		return a
	}
	return q.memberByField(at, path, name)
}

// memberByField finds a member of the type of the last field of a path whose start is unknown:
// state.table_cache.get is TableCache.get if the workspace has one field table_cache, whose
// type is TableCache.
func (q *Query) memberByField(at place, path, name string) answer {
	const least = 3 // bytes; a shorter name is that of any field
	before, last := languages.CutLast(path)
	c := componentOf(last)
	if before == "" || len(c.name) < least || transparent[c.name] || at.lang().commonNames {
		return answer{}
	}
	wanted := fieldDef
	if c.called {
		wanted = calledDef
	}
	fields := q.guess(at, c.name, false, wanted)
	return q.members(at, q.valueOf(fields, c, 1), name, 1)
}

// memberByLocal finds a member of the type that a local without a known type is named
// after: subscriber.next is Subscriber.next.
func (q *Query) memberByLocal(at place, path, name string) answer {
	local, rest, more := strings.Cut(path, ".")
	t := answer{}
	if class := typeName(local); class != "" {
		t = q.plain(at, -1, class, 0)
	}
	t.things = slices.DeleteFunc(t.things, func(t thing) bool {
		s := q.symbol(t)
		return s == nil || !languages.IsType(s.Kind) || t.prob < guessProbability
	})
	for i := range t.things {
		t.things[i].prob *= basedProbability
	}
	for more && len(t.things) > 0 {
		local, rest, more = strings.Cut(rest, ".")
		c := componentOf(local)
		t = q.valueOf(q.members(at, t, c.name, 0), c, 1)
	}
	return q.members(at, t, name, 0)
}

// typeName returns the name of the type that a local is named after: "HttpClient" for
// httpClient and http_client. It is "" for a short name, which can be that of anything.
func typeName(local string) string {
	const least = 4 // bytes
	if len(local) < least {
		return ""
	}
	var b strings.Builder
	for _, word := range strings.FieldsFunc(local, func(r rune) bool { return r == '_' || r == '$' || r == '@' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// wanted says which definitions of a name a guess takes.
type wanted uint8

const (
	topDef wanted = iota // no members
	anyDef
	memberDef   // members
	calledDef   // members that can be called
	fieldDef    // members that hold values
	exportedDef // functions that a module offers
)

func (w wanted) takes(d def) bool {
	switch kind := kinds[d.kind]; w {
	case topDef:
		return d.container == 0
	case memberDef:
		return d.container != 0
	case calledDef:
		return d.container != 0 && (languages.IsCallable(kind) || kind == record.KindField)
	case fieldDef:
		return d.container != 0 && (kind == record.KindField || kind == record.KindVariable || kind == record.KindConstant)
	case exportedDef:
		return languages.IsCallable(kind) && d.flags&flagExported != 0
	}
	return true
}

// option is a definition that a name may mean.
type option struct {
	thing
	near  int
	group int // the same for the overloads of a name in one type or file
}

// seekKey identifies the definitions that a guess chooses from.
type seekKey struct {
	name   string
	family string // "" for any
	test   bool   // tests count
	wanted wanted
}

// guessKey identifies the guesses of files that do not define the name.
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
	group  []int // by thing, see option
	groups int
}

// guess returns the wanted definitions of a name, the nearest first. A single one has
// uniqueProbability, several share guessProbability. The guesses of the files of one
// directory are the same.
func (q *Query) guess(at place, name string, outside bool, w wanted) answer {
	own := q.v.file(at.ref)
	key := guessKey{seekKey{name, family(at.Language), own.test, w}, dirOf(string(own.path)), outside}
	if languages.IsProse(at.Language) {
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
		first = insert(first, option{t, n, o.group[i]})
	}
	a := shared(first, o.groups, outside)
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
	number, groups := map[string]int{}, map[grouped]int{}
	q.v.eachDef(key.name, func(r ref, d def) bool {
		f := q.v.file(r)
		if key.family != "" && family(f.language) != key.family || !key.wanted.takes(d) || kinds[d.kind] == record.KindImpl || f.test && !key.test {
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
		in := grouped{r, d.container}
		if _, ok := groups[in]; !ok {
			groups[in] = len(groups)
		}
		o.group = append(o.group, groups[in])
		o.dir = append(o.dir, n)
		return len(o.things) < maxDefinitions
	})
	o.groups = len(groups)
	q.sought[key] = o
	return o
}

// grouped identifies the overloads of a name: the definitions in one type of a file, or at
// the top of it.
type grouped struct {
	ref
	container uint32
}

// insert adds an option to the nearest ones, by nearness; equally near options keep their
// order. It keeps one option more than an answer has: if that one is as near as the others,
// they are less likely.
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

// shared returns the nearest of n groups of options with their probabilities. The overloads in
// a group are as likely as one another, as the name alone does not tell them apart.
func shared(nearest []option, n int, outside bool) answer {
	var out answer
	rank := map[int]int{} // by group
	for _, o := range nearest[:min(len(nearest), maxTargets)] {
		place, again := rank[o.group]
		if !again {
			place = len(rank)
			rank[o.group] = place
		}
		p := uniqueProbability
		if n > 1 {
			p = guessProbability / float64(n)
			if o.near > nearest[len(nearest)-1].near {
				p = guessProbability / float64(place+1)
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

// sameFile is the nearness of a file to itself.
const sameFile = 1000

// nearness returns sameFile for one file, else six for each shared directory, minus one for
// each directory of either path.
func nearness(a, b record.Path) int {
	if a == b {
		return sameFile
	}
	return dirNearness(dirOf(string(a)), dirOf(string(b)))
}

// dirNearness returns the nearness of two files by their directories.
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
