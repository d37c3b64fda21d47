package chunk

import (
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxDependencies is the number of used names in the prefix.
const maxDependencies = 3

// usage counts the uses of names and imports, chunk by chunk.
type usage struct {
	ready      bool
	imports    map[string]int // local name → index into Outline.Imports
	ids        map[string]int // name → index into names and counts
	names      []string
	counts     []int32
	defined    []int32                  // the last round that defines the name
	touched    []int                    // ids counted in this round
	declared   map[string]bool          // the names that the file declares
	directives map[string]bool          // the words of a framework that the file uses
	inside     []bool                   // of each import: see isInside
	locals     map[string][]record.Span // the scopes of each local name
	round      int32                    // number of the current chunk
	top        []string                 // the most used names of this round
}

// of returns the import paths that a piece uses, and sets top to the names that it uses most.
func (u *usage) of(s *splitter, p *piece) []string {
	if !u.ready {
		u.prepare(s)
	}
	u.round++
	u.top, u.touched = u.top[:0], u.touched[:0]
	for span := range p.spans() {
		for i, last := s.declsIn(span); i < last; i++ {
			u.defined[u.id(s.o.Decls[i].Name)] = u.round
		}
	}
	if p.decl >= 0 {
		u.defined[u.id(s.o.Decls[p.decl].Name)] = u.round
	}
	var paths []string
	for span := range p.spans() {
		paths = u.countIn(s, span, paths)
	}
	u.rank()
	return paths
}

// countIn counts the names that a span uses, and adds the import paths that it uses to paths.
func (u *usage) countIn(s *splitter, span record.Span, paths []string) []string {
	seen := -1
	refs := s.o.Refs
	i, _ := slices.BinarySearchFunc(refs, span.Start, func(r languages.Ref, at int) int { return r.Span.Start - at })
	for ; i < len(refs) && refs[i].Span.Start < span.End; i++ {
		r := &refs[i]
		if strings.HasPrefix(r.Receiver, languages.Library) {
			continue
		}
		name, base := r.Name, r.Name
		if r.Receiver != "" {
			base, _, _ = strings.Cut(r.Receiver, ".")
		}
		if k, ok := u.imports[base]; ok {
			if k != seen && !slices.Contains(paths, s.o.Imports[k].Path) {
				paths = append(paths, s.o.Imports[k].Path)
			}
			seen = k
			if base == r.Receiver {
				name = base + "." + name
			}
		}
		switch r.Kind {
		case record.EdgeCalls, record.EdgeCreates, record.EdgeType, record.EdgeExtends, record.EdgeAssociates:
			if u.own(s, r, base) {
				u.count(name)
			}
		}
	}
	return paths
}

func (u *usage) prepare(s *splitter) {
	u.ready = true
	u.ids = make(map[string]int, len(s.o.Refs)/4+len(s.o.Decls))
	u.imports = make(map[string]int, len(s.o.Imports))
	u.declared = make(map[string]bool, len(s.o.Decls))
	for i := range s.o.Decls {
		u.declared[s.o.Decls[i].Name] = true
	}
	u.directives = map[string]bool{}
	for i := range s.o.Directives {
		u.directives[s.o.Directives[i].Name] = true
	}
	u.locals = map[string][]record.Span{}
	for i := range s.o.Bindings {
		b := &s.o.Bindings[i]
		u.locals[b.Name] = append(u.locals[b.Name], b.Scope)
	}
	u.inside = make([]bool, len(s.o.Imports))
	for i := range s.o.Imports {
		im := &s.o.Imports[i]
		u.inside[i] = s.isInside(im.Path)
		local := im.Local
		if local == "" {
			local = im.Name
		}
		if _, taken := u.imports[local]; local != "" && local != "*" && !taken {
			u.imports[local] = i
		}
	}
}

// own reports whether a use can mean a declaration of the workspace, as far as the file
// tells: the file declares the name, or nothing says that it comes from elsewhere. The word
// of a framework, a local name, a member of any value but the own one, and what is imported
// from outside come from elsewhere. base is the first name of the expression.
func (u *usage) own(s *splitter, r *languages.Ref, base string) bool {
	if u.declared[r.Name] {
		return true
	}
	if k, ok := u.imports[base]; ok {
		return (r.Receiver == "" || r.Receiver == base) && u.inside[k]
	}
	return !u.directives[r.Name] && (r.Receiver == "" || selfWords[r.Receiver]) && !u.isLocal(r) && !s.o.Foreign(r)
}

// maxLooked bounds the scopes of a name that isLocal examines.
const maxLooked = 64

// isLocal reports whether a name is local where it is used.
func (u *usage) isLocal(r *languages.Ref) bool {
	scopes := u.locals[r.Name]
	return r.Receiver == "" && slices.ContainsFunc(scopes[:min(len(scopes), maxLooked)], func(scope record.Span) bool { return within(r.Span, scope) })
}

// selfWords name the value that a method belongs to.
var selfWords = map[string]bool{"self": true, "this": true, "cls": true, "super": true, "@this": true, "Self": true, "crate": true}

// isInside reports whether an import can be of the workspace: its path is relative, starts
// with two names of the file's own package or with a directory of its own path, or is the URL
// of a Go module.
func (s *splitter) isInside(path string) bool {
	isSeparator := func(r rune) bool { return strings.ContainsRune(`/.:\\`, r) }
	names := strings.FieldsFunc(path, isSeparator)
	if len(names) == 0 || isSeparator(rune(path[0])) || selfWords[names[0]] || strings.ContainsAny(path[:1], "@~#") && path[1:2] == "/" {
		return true
	}
	if own := strings.FieldsFunc(s.o.Package, isSeparator); len(own) > 1 {
		return len(names) > 1 && slices.Equal(own[:2], names[:2])
	}
	host, _, _ := strings.Cut(path, "/")
	return strings.Contains(host, ".") && host != path || slices.Contains(strings.Split(string(s.o.Path), "/"), names[0])
}

func (u *usage) id(name string) int {
	i, ok := u.ids[name]
	if !ok {
		i = len(u.names)
		u.ids[name] = i
		u.names, u.counts, u.defined = append(u.names, name), append(u.counts, 0), append(u.defined, 0)
	}
	return i
}

func (u *usage) count(name string) {
	i := u.id(name)
	if u.counts[i] == 0 {
		u.touched = append(u.touched, i)
	}
	u.counts[i]++
}

// rank fills top with the most used names that the piece does not define; of equally used
// names the first wins.
func (u *usage) rank() {
	for range maxDependencies {
		best := -1
		for _, i := range u.touched {
			if u.defined[i] != u.round && u.counts[i] > 0 && (best < 0 || u.counts[i] > u.counts[best]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		u.top = append(u.top, u.names[best])
		u.counts[best] = 0
	}
	for _, i := range u.touched {
		u.counts[i] = 0
	}
}
