package retrieve

import (
	"context"
	"path"
	"slices"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/server/api"
	"ambit/vectors/record"
)

// maxUserFiles bounds the files of the workspace in which the users of a declaration of a
// dependency are looked for: each can have imports of its own to follow.
const maxUserFiles = 100

// visit is a question at a cursor in a file of a dependency.
type visit struct {
	beyond
	file    *deps.File
	pointed *record.Edge // that the identifier under the cursor makes; nil on a declaration
	own     []External   // what is at the cursor and around it
}

// atDependency is [At] for a cursor in a file of a dependency. What is at the cursor and what its unit
// uses of the same package are externals, with the roles that they would have as units of the
// workspace. The users in the workspace are candidates.
func atDependency(ctx context.Context, ix Index, cur Cursor) (Result, error) {
	at := cur.In
	c, err := newCandidates(ctx, ix, Filter{Path: cur.Keep})
	if err != nil {
		return Result{}, err
	}
	cur.Path = at.From
	l := &lookup{candidates: c, g: &at.File.Record.Graph, o: &at.Outline, cur: cur, content: at.File.Text, away: true}
	v := visit{beyond: newBeyond(l), file: at.File}
	v.add(at.File)
	v.dirs[path.Dir(string(l.g.Path))] = wanted{l.g.Path, at.Module}
	v.subjects()
	l.pinAll(cur.Pinned)
	uses := v.used()
	v.users()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	r := l.result()
	r.Externals = append(v.own, uses...)
	if len(v.own) > 0 {
		r.Symbol, r.Query = &v.own[0].Unit, v.own[0].Unit.Identifier
	}
	return r, nil
}

// subjects finds the unit around the cursor and what the identifier under the cursor means, which
// comes first.
func (v *visit) subjects() {
	symbol := graph.SymbolAt(v.g, v.content, v.cur.Offset)
	if symbol < 0 || !touches(v.g.Symbols[symbol].NameSpan, v.cur.Offset) {
		if ref := graph.ReferenceAt(v.o, v.cur.Offset); ref != nil {
			if e, ok := graph.Resolve(v.o, ref); ok {
				e.From = symbol
				v.pointed = &e
			}
		}
	}
	if symbol >= 0 {
		v.addSubject(place{v.g.Path, shown(v.g, symbol)}, 1)
	}
	v.search(v.resolveOwn)
	if v.pointed != nil {
		for _, t := range v.query().Resolve(v.g, v.pointed) {
			if f := v.files[t.Path]; f != nil && t.Probability >= leastExternal && len(v.own) < maxSubjects {
				v.define(place{t.Path, t.Symbol}, signal("definition", worthSelf*t.Probability))
			}
		}
	}
	switch {
	case symbol >= 0 && len(v.own) > 0:
		v.subject[0].sure = sureEnclosing
		v.include(v.subject[0].place, RoleEnclosing, signal("around the cursor", worthEnclosing))
	case symbol >= 0:
		v.include(v.subject[0].place, RoleDefinition, signal("at the cursor", worthSelf))
		v.addSubject(place{v.g.Path, symbol}, 1)
	case len(v.own) == 0:
		u := v.around()
		u.Path, u.Identifier = v.file.Path, string(v.file.Path)
		v.keep(External{Candidate: Candidate{Unit: u, Role: RoleEnclosing, Why: []api.Signal{signal("around the cursor", worthEnclosing)}}, Package: v.file.Package, File: v.file.Name, Text: v.file.Text, InArchive: v.file.InArchive})
	}
}

// define adds the declaration that the identifier under the cursor means.
func (v *visit) define(p place, why api.Signal) {
	v.include(place{p.path, shown(v.query().Graph(p.path), p.symbol)}, RoleDefinition, why)
	v.addSubject(p, 1)
}

// include adds a declaration as a whole to what is at the cursor.
func (v *visit) include(p place, role Role, why api.Signal) {
	f := v.files[p.path]
	x := externalOf(f, p.symbol)
	id, name := x.Unit.ID, x.Unit.Identifier
	x.Unit = unitOf(&f.Record.Graph, p.symbol)
	x.Unit.Path, x.Unit.ID, x.Unit.Identifier = f.Path, id, name
	x.Role, x.Why = role, []api.Signal{why}
	v.keep(x)
}

// keep adds a declaration to what is at the cursor, once.
func (v *visit) keep(x External) {
	x.Relevance, x.Frequency = x.Why[0].Score, record.Unknown
	x.Probability = x.Relevance // it is not measured
	if !slices.ContainsFunc(v.own, func(o External) bool { return o.Unit.ID == x.Unit.ID }) {
		v.own = append(v.own, x)
	}
}

// resolveOwn resolves what the unit around the cursor uses, and the identifier under the cursor.
func (v *visit) resolveOwn() {
	q := v.resolveUses()
	if v.pointed != nil {
		q.Put(v.g)
		v.resolveUse(q, subject{place{v.g.Path, v.pointed.From}, 1}, v.g, v.pointed)
	}
}

// used returns what the unit around the cursor uses of the package, without what is at the cursor.
func (v *visit) used() []External {
	all := v.ranked()
	for i := range v.own {
		if v.own[i].Pin = 1 + slices.IndexFunc(v.cur.Pinned, func(p Pin) bool { return p.ID == v.own[i].Unit.ID }); v.own[i].Pin > 0 {
			v.lost = slices.DeleteFunc(v.lost, func(p Pin) bool { return p.ID == v.own[i].Unit.ID })
		}
	}
	all = slices.DeleteFunc(all, func(x External) bool {
		return x.Package != v.file.Package || slices.ContainsFunc(v.own, func(o External) bool { return o.Unit.ID == x.Unit.ID || o.shows(&x) })
	})
	for i := range all {
		all[i].Role = RoleUses
	}
	return all
}

// users adds the users of the subjects in the workspace. Those that a guess by the name alone finds
// do not count.
func (v *visit) users() {
	v.search(func() {
		v.needs = map[wanted]map[string]bool{}
		q := v.query()
		for _, s := range v.subject {
			v.resolveUsers(q, v.files[s.path].Record.Graph.Symbols[s.symbol].Name)
		}
	})
	v.q = v.query()
	keep := v.cur.Keep
	v.q.Keep(func(p record.Path) bool { return v.files[p] == nil && (keep == nil || keep(p)) })
	for _, s := range v.subject {
		v.lookup.users(s)
	}
}

// resolveUsers resolves the uses of a name in the workspace, for what they need.
func (v *visit) resolveUsers(q *graph.Query, name string) {
	for i, p := range q.UserFiles(name) {
		if i == maxUserFiles || v.q.Context().Err() != nil {
			return
		}
		if v.files[p] != nil {
			continue
		}
		g := q.Graph(p)
		edges := q.Edges(p)
		for j := range edges {
			if e := &edges[j]; e.Name == name && e.Kind != record.EdgeImports {
				v.wants(q, e, func() bool { return v.missing(q.Resolve(g, e)) })
			}
		}
	}
}

// missing reports whether targets of an edge of the workspace leave open whether it leads outside.
func (v *visit) missing(targets []graph.Target) bool {
	return !slices.ContainsFunc(targets, func(t graph.Target) bool { return t.Probability >= leastExternal && v.files[t.Path] == nil })
}
