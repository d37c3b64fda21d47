package chunk

import (
	"path"
	"slices"
	"sort"
	"strings"

	"ambit/vectors/record"
)

const (
	maxNameBytes = 1 << 10 // of a parent's name in front of a name; more is hostile
	maxDefines   = 64      // names that a chunk lists
	maxSiblings  = 6       // signatures of siblings that a chunk lists, the nearest
)

// qualify sets the qualified name of every declaration, as package graph does: the name of
// its container or parent, and its own name.
func (s *splitter) qualify() {
	decls := s.o.Decls
	s.names = make([]string, len(decls))
	s.sigs = make([]string, len(decls))
	for i := range decls {
		d := &decls[i]
		switch {
		case d.Kind == record.KindImpl:
			s.names[i] = d.Name
		case d.Container != "":
			s.names[i] = d.Container[strings.LastIndexByte(d.Container, '.')+1:] + "." + d.Name
		case d.Parent >= 0 && d.Parent < i && len(s.names[d.Parent]) < maxNameBytes:
			s.names[i] = s.names[d.Parent] + "." + d.Name
		default:
			s.names[i] = d.Name
		}
	}
}

// signature returns the header of a declaration on one line.
func (s *splitter) signature(i int) string {
	if s.sigs[i] == "" {
		s.sigs[i] = s.o.Signature(&s.o.Decls[i])
	}
	return s.sigs[i]
}

// describe sets the kind, the names and the neighbours of a chunk.
func (s *splitter) describe(p *piece, c *record.Chunk) {
	if s.o.Doc != nil {
		s.describeText(p, c)
		return
	}
	if !s.opt.TextOnly {
		c.Defines = s.defines(p)
	}
	unit := p.decl
	if unit < 0 {
		c.Kind = record.KindText
		unit = p.parent
		if p.merged {
			c.Kind = s.commonKind(p)
		}
		if p.summary {
			c.Kind = record.KindFile
		}
	} else {
		c.Kind, c.Signature = s.o.Decls[unit].Kind, s.signature(unit)
	}
	if unit >= 0 {
		c.Unit, c.Name = s.names[unit], s.o.Decls[unit].Name
		if p.decl < 0 {
			c.Scope = c.Unit
		} else {
			c.Scope = strings.TrimSuffix(strings.TrimSuffix(c.Unit, c.Name), ".")
		}
	}
	if c.Scope == "" {
		c.Scope = s.o.Package
	} else if s.o.Package != "" {
		c.Scope = s.o.Package + "." + c.Scope
	}
	if !p.summary && p.decl >= 0 {
		c.Siblings = s.siblings(p.decl)
	}
	if !s.opt.TextOnly {
		c.Imports = s.usage.of(s, p)
	}
}

// declsIn returns the range of declarations that start in a span.
func (s *splitter) declsIn(span record.Span) (first, last int) {
	start := func(at int) int {
		return sort.Search(len(s.o.Decls), func(i int) bool { return s.o.Decls[i].Span.Start >= at })
	}
	return start(span.Start), start(span.End)
}

// defines lists the declarations that start in a piece; for the summary of a file, those at
// the top level.
func (s *splitter) defines(p *piece) []string {
	if p.summary && p.decl < 0 {
		var names []string
		for _, i := range s.children(-1) {
			if len(names) < maxDefines {
				names = append(names, s.names[i])
			}
		}
		return names
	}
	var names []string
	for span := range p.spans() {
		first, last := s.declsIn(span)
		names = append(names, s.names[first:min(last, first+maxDefines-len(names))]...)
	}
	return names
}

// commonKind returns the kind of all declarations of a merged piece, or KindText when they
// differ.
func (s *splitter) commonKind(p *piece) record.Kind {
	kind := record.Kind("")
	for i, last := s.declsIn(p.span); i < last; i++ {
		d := &s.o.Decls[i]
		if d.Parent != p.parent {
			continue
		}
		if kind != "" && kind != d.Kind {
			return record.KindText
		}
		kind = d.Kind
	}
	if kind == "" {
		return record.KindText
	}
	return kind
}

// siblings returns the signatures of the nearest members of the same unit.
func (s *splitter) siblings(i int) []string {
	parent := s.o.Decls[i].Parent
	if parent < 0 {
		return nil
	}
	kids := s.children(parent)
	at, _ := slices.BinarySearch(kids, i)
	from := max(0, min(at-maxSiblings/2, len(kids)-1-maxSiblings))
	out := make([]string, 0, min(maxSiblings, len(kids)-1))
	for _, k := range kids[from:] {
		if k != i && len(out) < maxSiblings {
			out = append(out, s.signature(k))
		}
	}
	return out
}

// identifier names the unit of a chunk in its prefix.
func (s *splitter) identifier(p *piece, c *record.Chunk) string {
	switch {
	case p.decl >= 0:
		return c.Unit
	case p.summary || s.o.Doc != nil || len(c.Defines) == 0:
		if c.Unit != "" {
			return c.Unit
		}
		return path.Base(string(c.Path))
	}
	const shown = 5
	names := c.Defines[:min(shown, len(c.Defines))]
	return strings.Join(names[:max(1, len(upToShare(names, p.span)))], ", ")
}
