package deps

import (
	"path"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// rsType is a type that a module declares.
type rsType struct {
	in   rsModule
	name string
}

// declares reports whether the file of a module declares a name, and notes that it is a type.
func (w *rsWalk) declares(m rsModule, f *File, name string) (found bool) {
	for i := range f.Record.Graph.Symbols {
		s := &f.Record.Graph.Symbols[i]
		if s.Name != name {
			continue
		}
		if s.Kind == record.KindStruct || s.Kind == record.KindEnum {
			w.types = append(w.types, rsType{m, name})
			return true
		}
		found = true
	}
	return found
}

// maxBeside bounds the files of a directory that are read for blocks impl.
const maxBeside = 64

// rsImpl matches the start of a block impl without a trait.
var rsImpl = lazy.Regexp(`(?m)^impl(?:<[^\n{]*>)? (\w+)(?:<[^\n{]*>)?\s*(?:\{|where\b)`)

// addMembers adds the files beside that of a type which declare members of it, of names that the file of
// the type does not declare: a crate can have the blocks impl of a large type in several files.
func (w *rsWalk) addMembers(t rsType, names []string) {
	of := t.in.crate
	f := w.parsed(t.in)
	if f == nil || of.std { // whose types are used everywhere, and have their methods in their files
		return
	}
	var beside []string
	for _, name := range names {
		if name == "" || name == t.name || w.ctx.Err() != nil || f.hasMember(t.name, name) {
			continue
		}
		if beside == nil {
			if beside = w.implementers(of, path.Dir(t.in.file))[t.name]; len(beside) == 0 {
				return
			}
		}
		for _, file := range beside {
			if m := of.moduleOf(file); m.file != t.in.file {
				if g := w.parsed(m); g != nil && g.hasMember(t.name, name) {
					w.add(m)
				}
			}
		}
	}
}

// hasMember reports whether a file declares a member of a type.
func (f *File) hasMember(of, name string) bool {
	return slices.ContainsFunc(f.Record.Graph.Symbols, func(s record.Symbol) bool { return s.Name == name && s.Container == of })
}

// implementers returns the files in a directory of a crate that have a block impl, by the type.
func (w *rsWalk) implementers(c *rsCrate, dir string) map[string][]string {
	if known, ok := c.impls[dir]; ok && c.version != "" { // what package managers have put there stays as it is
		return known
	}
	out := map[string][]string{}
	if c.impls == nil || len(c.impls) >= maxKnown {
		c.impls = map[string]map[string][]string{}
	}
	c.impls[dir] = out
	root := w.in(c)
	if root == nil {
		return out
	}
	d, err := root.Open(dir)
	if err != nil {
		return out
	}
	names, _ := d.Readdirnames(maxDirFiles) // what was read is used
	_ = d.Close()                           // as it is only read
	slices.Sort(names)
	read := 0
	for _, name := range names {
		file := path.Join(dir, name)
		if !strings.HasSuffix(name, ".rs") || read >= maxBeside || !w.has(c, file) {
			continue
		}
		read++
		text, _, err := readFile(root, file)
		if err != nil {
			continue
		}
		for _, m := range rsImpl().FindAllSubmatch(text, -1) {
			if t := string(m[1]); !slices.Contains(out[t], file) {
				out[t] = append(out[t], file)
			}
		}
	}
	return out
}
