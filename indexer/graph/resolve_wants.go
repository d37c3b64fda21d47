package graph

import (
	"maps"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Wants is what a query would have to know of files that its view does not have. A caller that
// knows where the sources of other modules lie adds the files to the view and asks again.
type Wants struct {
	Modules map[WantedModule]bool
	Names   map[WantedName]bool
}

// WantedModule is an import of a module of which the view has no file.
type WantedModule struct {
	From record.Path // the file with the import, "" for Globals
	Path string      // as it is written
	Name string      // that is looked up in the module; "" when the query did not get so far
}

// WantedName is a name that was looked up in a directory: at the top of its files, or among the
// members of their types.
type WantedName struct{ Dir, Name string }

// Wants makes the query note from now on what it looks up, and returns the notes.
func (q *Query) Wants() *Wants {
	q.wanted = &Wants{Modules: map[WantedModule]bool{}, Names: map[WantedName]bool{}}
	return q.wanted
}

// deepest is the depth at which the search for a value ends. In languages whose types have many
// bases a deeper search ends in their circles.
func (q *Query) deepest() int {
	if q.wanted != nil && q.deep {
		return maxDepth + outsideDepth
	}
	return maxDepth
}

// add adds the notes of an answer that the query remembers.
func (w *Wants) add(more *Wants) {
	if w == nil || more == nil {
		return
	}
	maps.Copy(w.Modules, more.Modules)
	maps.Copy(w.Names, more.Names)
}

// module is [View.module], noted when the view may not have the file of the module: there is none,
// or it is certainly outside of the workspace, or what remains of the path may be a module and not
// a type. It is remembered: each name that is looked for in a file of re-exports asks for them again.
func (q *Query) module(r ref, path, name string) module {
	key := moduleKey{r, path}
	m, ok := q.modules[key]
	if !ok {
		m = q.v.module(r, path)
		q.modules[key] = m
	}
	if q.wanted != nil && (len(m.files) == 0 || m.outside || m.rest != "") {
		q.wanted.Modules[WantedModule{q.v.file(r).path, path, name}] = true
	}
	return m
}

// wantName notes that a name is looked up in the directory of a file.
func (q *Query) wantName(r ref, name string) {
	if q.wanted != nil {
		q.wanted.Names[WantedName{dirOf(string(q.v.file(r).path)), name}] = true
	}
}

// wantPath notes that the receiver of an edge may be the path of a module, in languages whose
// code can name a module by its path without an import of it.
func (q *Query) wantPath(at place, e *record.Edge) {
	if q.wanted == nil || !at.lang().selfModule || e.Receiver == "" || isUnknown(e.Receiver) || strings.Contains(e.Receiver, "(") {
		return
	}
	path := strings.TrimPrefix(e.Receiver, languages.Library)
	first, rest, _ := strings.Cut(path, ".")
	for i := range at.Imports {
		if imp := &at.Imports[i]; imp.Local == first && imp.Path != "" && imp.Name != "" && imp.Name != "*" {
			path = strings.TrimSuffix(imp.Path+"."+imp.Name+"."+rest, ".")
			break
		}
	}
	q.wanted.Modules[WantedModule{at.Path, path, e.Name}] = true
}
