package chunk

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// layout is the rule for cutting a class with a role in a framework. A zero field does not
// apply.
type layout struct {
	whole    int  // lines: a class with fewer is one chunk, others are cut by the purpose of their directives
	each     int  // lines: in a class with more, each mixin has a section of its own
	alone    int  // actions: in a class with at least as many, each is a chunk, even a small one
	maxWhole int  // tokens: a class with more is never one chunk
	members  bool // small members join the sections beside them
	few      int  // directives: a section has at most so many; 0 for any number
}

// layouts holds the layout of each role (docs/design.md, "Sections by purpose").
var layouts = map[languages.Role]layout{
	languages.RoleModel:      {whole: 100, each: 500, maxWhole: 2 * maxUnit},
	languages.RoleController: {alone: 5},
	languages.RoleMailer:     {alone: 4},
	languages.RoleGraphQL:    {whole: 40, maxWhole: maxUnit, few: 10, members: true},
}

// form is the way in which a class is cut.
type form uint8

const (
	formPlain    form = iota // like any unit
	formWhole                // one chunk
	formSections             // by purpose
	formAlone                // a chunk for each action
)

// formOf returns the form of declaration i.
func (s *splitter) formOf(i int, p *piece) form {
	l, ok := layouts[s.o.Decls[i].Role]
	switch {
	case !ok:
	case l.alone > 0 && len(s.actions(i)) >= l.alone:
		return formAlone
	case l.whole == 0:
	case s.rows.lines(p.span) >= l.whole:
		return formSections
	case p.tokens <= l.maxWhole:
		return formWhole
	}
	return formPlain
}

// holdsForm reports whether a class inside declaration i has a form with several chunks.
func (s *splitter) holdsForm(i, depth int) bool {
	if !s.roles || depth == maxDepth {
		return false
	}
	return slices.ContainsFunc(s.children(i), func(k int) bool {
		d := &s.o.Decls[k]
		p := piece{span: d.Span, tokens: s.rows.tokens(d.Span)}
		f := s.formOf(k, &p)
		return f == formSections || f == formAlone || f == formPlain && d.Kind == record.KindModule && s.holdsForm(k, depth+1)
	})
}

// actions returns the actions right inside declaration i.
func (s *splitter) actions(i int) []int {
	var list []int
	for _, k := range s.children(i) {
		if s.o.Decls[k].Role == languages.RoleAction {
			list = append(list, k)
		}
	}
	return list
}

// run is a sequence of statements of a class with one purpose.
type run struct {
	span  record.Span
	title string // "" for statements without a purpose
	n     int    // directives
	below bool   // it is about what follows
}

// runs cuts a span of a class's own text where the purpose of its statements changes. Short
// runs without a purpose join the previous run, unless they are about the members below.
func (s *splitter) runs(i int, span record.Span) []run {
	l := layouts[s.o.Decls[i].Role]
	if l.whole == 0 {
		return []run{{span: span}}
	}
	each := l.each > 0 && s.rows.lines(s.o.Decls[i].Span) > l.each
	starts := []run{{span: span}}
	begin := func(at int, title string, below bool) {
		last := &starts[len(starts)-1]
		if at = s.wholeLines(record.Span{Start: at, End: span.End}, last.span.Start, span.End).Start; last.title == title && last.below == below && (title == "" || l.few == 0 || last.n < l.few) {
			last.n++
			return
		}
		if at > last.span.Start {
			last.span.End = at
			starts = append(starts, run{record.Span{Start: at, End: span.End}, title, 1, below})
		} else {
			last.title, last.n, last.below = title, 1, below
		}
	}
	kids := s.children(i)
	k, _ := slices.BinarySearchFunc(kids, span.Start, func(kid, at int) int { return cmp.Compare(s.o.Decls[kid].Span.Start, at) })
	values := func(end int) { // constants and fields, which have no purpose
		for ; k < len(kids) && s.o.Decls[kids[k]].Span.Start < end; k++ {
			begin(s.o.Decls[kids[k]].Span.Start, "", false)
		}
	}
	for d := range s.o.DirectivesOf(i, span) {
		values(d.Span.Start)
		begin(d.Span.Start, titleOf(d, each), d.Purpose == languages.PurposePrivate)
		for k < len(kids) && s.o.Decls[kids[k]].Span.Start < d.Span.End {
			k++ // the directive defines it
		}
	}
	values(span.End)
	return s.folded(starts, l.few)
}

// folded joins small runs without a purpose to the previous run.
func (s *splitter) folded(runs []run, few int) []run {
	out := runs[:0]
	for _, r := range runs {
		n := len(out)
		tiny := r.title == "" && !r.below && s.rows.tokens(r.span) < small
		if n > 0 && (tiny || r.title == out[n-1].title && r.below == out[n-1].below && (few == 0 || out[n-1].n+r.n <= few)) {
			out[n-1].span.End = r.span.End
			if !tiny {
				out[n-1].n += r.n
			}
			continue
		}
		out = append(out, r)
	}
	return out
}

// section is a purpose of a class.
type section struct {
	decl  int
	title string
}

// gather joins the pieces of each section, wherever they stand in the class, up to maxPart
// tokens a chunk, and names the chunks by their purpose.
func (s *splitter) gather() {
	open := map[section]int{} // the chunks that can grow
	numbers := map[section]int{}
	out := s.pieces[:0]
	for _, p := range s.pieces {
		if p.title == "" {
			out = append(out, p)
			continue
		}
		at := section{p.decl, p.title}
		few := layouts[s.o.Decls[p.decl].Role].few
		if k, ok := open[at]; ok && out[k].tokens+p.tokens <= maxPart && (few == 0 || out[k].directives+p.directives <= few) {
			out[k].also = append(out[k].also, p.span)
			out[k].tokens += p.tokens
			out[k].directives += p.directives
			continue
		}
		open[at] = len(out)
		numbers[at]++
		p.section = purposeName(p.title, numbers[at])
		out = append(out, p)
	}
	s.pieces = out
}

// maxTitleBytes bounds the title of a section.
const maxTitleBytes = 100

// titleOf returns the title of the section of a directive.
func titleOf(d *languages.Directive, eachMixin bool) string {
	switch {
	case d.Purpose == languages.PurposePrivate:
		return ""
	case d.Purpose == languages.PurposeMixin && eachMixin && len(d.Args) > 0:
		return strings.ReplaceAll("concern "+JoinUpTo(d.Args, ", ", maxTitleBytes), " .", " ") // without the mark of the top level
	}
	return string(d.Purpose)
}

// purposeName names the n-th section of a purpose.
func purposeName(title string, n int) string {
	if n < 2 {
		return title
	}
	return title + " " + strconv.Itoa(n)
}

const maxFilters = 300 // bytes of the line Filters

// purposeLines writes the lines about the directives of a class.
func (s *splitter) purposeLines(p *piece, line func(key, value string)) {
	if p.decl < 0 {
		return
	}
	d := &s.o.Decls[p.decl]
	if d.Role == languages.RoleModel && (p.section == "" || p.section == summarySection && !p.summary) {
		if names := s.associations(p.decl); len(names) > 0 {
			line("Associations", strconv.Itoa(len(names))+" ("+strings.Join(names[:min(len(names), maxDependencies)], ", ")+")")
		}
	}
	if p.alone {
		if d.Route != "" {
			line("Route", d.Route)
		}
		if d.Permits != "" {
			line("Permits", JoinUpTo(strings.Split(d.Permits, ", "), ", ", maxFilters))
		}
		if filters := s.filters(d); len(filters) > 0 {
			line("Filters", JoinUpTo(filters, ", ", maxFilters))
		}
	}
}

// associations returns the names of the associations that a class declares.
func (s *splitter) associations(i int) (names []string) {
	for d := range s.o.DirectivesOf(i, s.o.Decls[i].Span) {
		if d.Purpose == languages.PurposeAssociation && len(d.Args) > 0 {
			names = append(names, d.Args[0])
		}
	}
	return names
}

// filters names the filters that run before and around a method of a class.
func (s *splitter) filters(method *languages.Decl) (names []string) {
	for _, d := range s.o.Filters(method) {
		names = append(names, strings.TrimSpace(d.Name+" "+strings.Join(d.Args, " ")))
	}
	return names
}
