package retrieve

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Dependencies finds the sources of what the workspace imports. *deps.Finder satisfies it.
type Dependencies interface {
	// Find returns the files of the module that an import in the file at from names which
	// declare one of the names; "" stands for the module itself. file is the file of the workspace in question.
	Find(ctx context.Context, file, from record.Path, module string, names []string) deps.Found
	// Generated returns those of some generated files of the workspace that declare one of the names.
	Generated(ctx context.Context, files []record.Path, names []string) []*deps.File
	// Locate returns the file of a dependency with an absolute name. It returns an error for one of
	// a package that none of the files of the workspace can import.
	Locate(files []record.Path, name string) (*deps.Place, error)
	// Text returns the text of such a file, or of an entry of any archive with sources that tools keep.
	Text(files []record.Path, name string) ([]byte, error)
	// Search returns the declarations of the direct dependencies of files that words are about.
	Search(ctx context.Context, files []record.Path, query string, most int) []deps.Match
}

const (
	// maxExternalFiles bounds the files of dependencies that are read for one question.
	maxExternalFiles = 64
	// maxRounds bounds how often the uses are resolved. A base type and the type of a value
	// can each be in a file that only the round before asks for.
	maxRounds = 8
	// leastExternal is the least probability: a member of the fourth base type in a row has more,
	// and a guess by the name alone, which tells nothing of a package, has less.
	leastExternal = 0.65
)

// beyond is the search for what the units in question use outside of the workspace. It resolves
// their uses, reads the files that were missing, and does so again until none is.
type beyond struct {
	*lookup
	view  *graph.View         // the names of the workspace and of the files
	last  *graph.Query        // has what was read of the workspace
	fresh []record.FileRecord // the files that the view does not have yet
	files map[record.Path]*deps.File
	leads map[graph.Lead]record.Path
	dirs  map[string]wanted          // the import that leads to a directory of files
	needs map[wanted]map[string]bool // the names that the last resolving missed
	asked map[wanted]map[string]bool // the names that were looked for
	found map[place]*externalUse

	generated map[string][]record.Path // by directory, see addGenerated
}

// wanted is an import of a module outside of the workspace.
type wanted struct {
	from   record.Path // the file with the import
	module string
}

// externalUse is how the subjects use a declaration outside of the workspace.
type externalUse struct {
	why   map[string]float64 // the worth of each kind of use
	count int
}

// beyondReader reads the workspace and the files of dependencies.
type beyondReader struct {
	Reader
	files map[record.Path]*deps.File
}

// Graph implements [graph.Reader].
func (r beyondReader) Graph(ctx context.Context, p record.Path) (record.FileGraph, error) {
	if f, ok := r.files[p]; ok {
		return f.Record.Graph, nil
	}
	return r.Reader.Graph(ctx, p)
}

// GraphTo implements [graph.Reader].
func (r beyondReader) GraphTo(ctx context.Context, p record.Path, name string) (record.FileGraph, error) {
	if f, ok := r.files[p]; ok {
		return f.Record.Graph, nil
	}
	return r.Reader.GraphTo(ctx, p, name)
}

// externals returns the declarations outside of the workspace that the subjects use, the most
// useful first.
func (l *lookup) externals() []External {
	if l.cur.Dependencies == nil || len(l.subject) == 0 {
		return nil
	}
	b := newBeyond(l)
	b.search(func() { b.resolveUses() })
	return b.ranked()
}

func newBeyond(l *lookup) beyond {
	b := beyond{lookup: l, view: l.ix.Names, last: l.q, files: map[record.Path]*deps.File{}, leads: map[graph.Lead]record.Path{}, dirs: map[string]wanted{}, asked: map[wanted]map[string]bool{}}
	b.addGenerated()
	return b
}

// search calls resolve, which notes what it needs, and reads the files of that until there are no
// new ones.
func (b *beyond) search(resolve func()) {
	for range maxRounds {
		if resolve(); !b.read() {
			break
		}
	}
}

// query returns a query of the names of the workspace and of the files that are read so far.
func (b *beyond) query() *graph.Query {
	b.view, b.fresh = b.view.WithOutside(b.leads, b.fresh...), nil
	q := b.view.Query(b.q.Context(), beyondReader{b.ix.Files, b.files})
	q.Recall(b.last, func(p record.Path) bool { return b.files[p] == nil })
	b.last = q
	q.Wants() // it resolves what is outside only when it notes what is missing
	return q
}

// resolveUses resolves the uses of the subjects with the files that are read so far.
func (b *beyond) resolveUses() *graph.Query {
	b.needs, b.found = map[wanted]map[string]bool{}, map[place]*externalUse{}
	q := b.query()
	for _, s := range b.subject {
		if s.path == b.g.Path {
			q.Put(b.g)
		}
		g := q.Graph(s.path)
		edges := q.Edges(s.path)
		for i := range edges {
			if e := &edges[i]; inside(g, e.From, s.symbol) && e.Kind != record.EdgeImports && e.Name != "_" {
				b.resolveUse(q, s, g, e)
			}
		}
	}
	return q
}

// resolveUse resolves one use. One that leads to the workspace needs no file.
func (b *beyond) resolveUse(q *graph.Query, s subject, g *record.FileGraph, e *record.Edge) {
	b.wants(q, e, func() bool {
		for _, t := range q.Resolve(g, e) {
			if t.Probability < leastExternal {
				continue
			}
			if b.files[t.Path] == nil {
				return false
			}
			if e.Kind != record.EdgeType || q.Graph(t.Path).Symbols[t.Symbol].Kind != record.KindModule { // a name space tells nothing
				b.use(q, s, e, t)
			}
		}
		return true
	})
}

// wants notes what resolve, which resolves an edge, has looked up in vain. resolve returns false when
// nothing is missing.
func (b *beyond) wants(q *graph.Query, e *record.Edge, resolve func() bool) {
	wants := q.Wants()
	if !resolve() {
		return
	}
	for m := range wants.Modules {
		w := wanted{m.From, m.Path}
		b.need(w, m.Name)
		b.need(w, e.Name)
		for _, part := range strings.FieldsFunc(strings.TrimPrefix(e.Receiver, languages.Library), func(r rune) bool { return r == '.' || r == '?' }) {
			if name, _, _ := strings.Cut(part, "("); name != "" {
				b.need(w, name)
			}
		}
	}
	for n := range wants.Names {
		if w, ok := b.dirs[n.Dir]; ok {
			b.need(w, n.Name)
		}
		if dir := path.Clean(n.Dir); len(b.generated[dir]) > 0 {
			b.need(wanted{record.Path(dir), generatedModule}, n.Name)
		}
	}
}

// use records a use of a declaration.
func (b *beyond) use(q *graph.Query, s subject, e *record.Edge, t graph.Target) {
	g := q.Graph(t.Path)
	at := place{t.Path, externalShown(g, t.Symbol)}
	if b.found[at] == nil {
		b.found[at] = &externalUse{why: map[string]float64{}}
	}
	worth := s.sure * worthOfUse(e.Kind, g, t.Symbol) * t.Probability * (1 - 0.5/float64(1+e.Count))
	u := b.found[at]
	u.why[string(e.Kind)] = max(u.why[string(e.Kind)], worth)
	u.count += e.Count
}

// need notes a name that a module may declare, or "" for the module itself, unless it was looked
// for.
func (b *beyond) need(w wanted, name string) {
	if b.asked[w][name] {
		return
	}
	if b.needs[w] == nil {
		b.needs[w] = map[string]bool{}
	}
	b.needs[w][name] = true
}

// read reads the files that declare what is needed. It reports whether there are any new ones.
func (b *beyond) read() bool {
	order := slices.SortedFunc(maps.Keys(b.needs), func(x, y wanted) int {
		return strings.Compare(string(x.from)+"\x00"+x.module, string(y.from)+"\x00"+y.module)
	})
	more := false
	for _, w := range order {
		if b.asked[w] == nil {
			b.asked[w] = map[string]bool{}
		}
		maps.Copy(b.asked[w], b.needs[w])
		found := b.find(w, slices.Sorted(maps.Keys(b.needs[w])))
		for lead, p := range found.Leads {
			more = more || b.leads[lead] != p
			b.leads[lead] = p
		}
		for _, f := range found.Files {
			p := f.Record.File.Path
			if old := b.files[p]; old != nil && (f.Bare || !old.Bare) || old == nil && len(b.files) >= maxExternalFiles {
				continue
			}
			b.add(f)
			if more = true; w.module != generatedModule {
				b.dirs[path.Dir(string(p))] = w
			}
		}
	}
	return more
}

// add adds a file to the next view, in place of a bare one.
func (b *beyond) add(f *deps.File) {
	p := f.Record.File.Path
	if b.files[p] != nil {
		b.fresh = slices.DeleteFunc(b.fresh, func(r record.FileRecord) bool { return r.File.Path == p })
	}
	b.files[p] = f
	b.fresh = append(b.fresh, f.Record)
}
