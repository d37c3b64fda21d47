package graph

import (
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// packaged finds a top-level name of a package in all files.
func (q *Query) packaged(at place, pkg, name string) answer {
	var a answer
	q.v.eachDef(name, func(r ref, d def) bool {
		if f := q.v.file(r); d.container == 0 && kinds[d.kind] != record.KindImpl && f.pkg == pkg && at.sees(f) {
			a.things = append(a.things, thing{at: r, symbol: int(d.symbol), prob: sureProbability})
		}
		return len(a.things) < maxTargets
	})
	return a
}

// hasPackage reports whether a file that the language of a place sees belongs to a package.
func (q *Query) hasPackage(at place, pkg string) bool {
	for _, r := range q.v.inPackage(pkg) {
		if at.sees(q.v.file(r)) {
			return true
		}
	}
	return false
}

// absolute finds what a path from the top level names: a name in the longest package that
// the path starts with, or a member of such a name.
func (q *Query) absolute(at place, path string, depth int) answer {
	for pkg, name := languages.CutLast(path); pkg != ""; pkg, name = languages.CutLast(pkg) {
		if !q.hasPackage(at, pkg) {
			continue
		}
		a := q.packaged(at, pkg, name)
		for rest := strings.TrimPrefix(path[len(pkg)+1+len(name):], "."); rest != "" && len(a.things) > 0; {
			name, rest, _ = strings.Cut(rest, ".")
			a = q.members(at, a, name, depth+1)
		}
		return a
	}
	return answer{outside: true}
}

// opened finds a name among the members of the type that an import of all names names.
func (q *Query) opened(at place, path, name string, depth int) answer {
	if !at.lang().opensTypes || depth > maxDepth {
		return answer{}
	}
	return q.members(at, q.absolute(at, path, depth), name, depth+1)
}
