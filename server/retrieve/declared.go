package retrieve

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// A class of a framework is told by what it declares: associations, validations, filters.
// declared.go finds these statements for the classes in question, those that a question
// names, and the table of a model.

const (
	maxDeclared   = 4   // classes of one answer whose statements are found: each is parsed
	maxFocusLines = 200 // of statements that a question names
	maxSchemas    = 2   // models whose tables are added
)

// tableWords are stems of words that ask for the columns of a model.
var tableWords = stems("table tables column columns schema database attribute attributes field fields index indexes")

func stems(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[stem(w)] = true
	}
	return m
}

// class is a class of a framework with its outline.
type class struct {
	o *languages.Outline
	d int // index into o.Decls
}

// declare finds the statements of the classes of frameworks among the first candidates: those
// that terms name, and for models their tables.
func (c *candidates) declare(terms []string) {
	done, tables := 0, 0
	for _, x := range slices.Clone(c.list) {
		if done == maxDeclared {
			return
		}
		asked := x.Role == RoleDefinition || x.Role == RoleMatch || x.Role == RoleEnclosing
		if !asked || !languages.IsType(x.Unit.Kind) {
			continue
		}
		g := c.q.Graph(x.Unit.Path)
		i := slices.IndexFunc(g.Symbols, func(s record.Symbol) bool { return s.Span == x.Unit.Span && s.Qualified == x.Unit.Identifier })
		if i < 0 || g.Symbols[i].Role == "" {
			continue
		}
		k, ok := c.classOf(g, i)
		if !ok {
			continue
		}
		done++
		x.Unit.Sections = k.sections()
		if named := k.named(terms, c.text(x.Unit.Path)); len(named) > 0 && x.Role == RoleMatch {
			if x.Focus = named; slices.Contains(terms, k.stem()) {
				x.Named = NamedLines
			}
		}
		if g.Symbols[i].Role == record.KindModel && tables < maxSchemas {
			worth, named := worthSchema, NotNamed
			if tables == 0 && slices.ContainsFunc(terms, func(t string) bool { return tableWords[t] }) {
				worth, named = worthSchemaAsked, NamedUnit
			}
			if c.addTable(k, x, worth, named) {
				tables++
			}
		}
	}
}

// classOf parses the file of a class. It returns false for a symbol that the text does not
// have.
func (c *candidates) classOf(g *record.FileGraph, symbol int) (class, bool) {
	o, ok := c.outlines[g.Path]
	if !ok {
		content := c.text(g.Path)
		if content == nil {
			return class{}, false
		}
		parsed := languages.Parse(g.Path, content)
		o = &parsed
		if c.outlines == nil {
			c.outlines = map[record.Path]*languages.Outline{}
		}
		c.outlines[g.Path] = o
	}
	s := &g.Symbols[symbol]
	d := slices.IndexFunc(o.Decls, func(d languages.Decl) bool { return d.Span == s.Span && d.Name == s.Name })
	return class{o, d}, d >= 0
}

// sections returns the statements of the class by their purposes, in the order in which the
// purposes first occur.
func (k class) sections() []Section {
	var out []Section
	for d := range k.o.DirectivesOf(k.d, k.o.Decls[k.d].Span) {
		if d.Purpose == "" || d.Purpose == languages.PurposePrivate {
			continue
		}
		i := slices.IndexFunc(out, func(s Section) bool { return s.Title == string(d.Purpose) })
		if i < 0 {
			i = len(out)
			out = append(out, Section{Title: string(d.Purpose)})
		}
		out[i].Spans = append(out[i].Spans, d.Span)
	}
	return out
}

// named returns the lines of the statements that terms name: those of a purpose, and of
// these the ones that hold another term, if any does.
func (k class) named(terms []string, content []byte) []int {
	var all, some []int
	for d := range k.o.DirectivesOf(k.d, k.o.Decls[k.d].Span) {
		title := string(d.Purpose)
		if title == "" || d.Span.End > len(content) {
			continue
		}
		purpose := stem(title)
		if !slices.Contains(terms, purpose) {
			continue
		}
		lines := linesOf(content, d.Span)
		all = append(all, lines...)
		text := strings.ToLower(string(content[d.Span.Start:d.Span.End]))
		if slices.ContainsFunc(terms, func(t string) bool { return t != purpose && t != k.stem() && strings.Contains(text, t) }) {
			some = append(some, lines...)
		}
	}
	if len(some) > 0 {
		all = some
	}
	return all[:min(len(all), maxFocusLines)]
}

// stem returns the stem of the name of the class, as a question may have it.
func (k class) stem() string { return stem(strings.ToLower(k.o.Decls[k.d].Name)) }

// linesOf returns the lines that a span touches, without those of which it has blanks only.
func linesOf(content []byte, s record.Span) []int {
	first := 1 + strings.Count(string(content[:s.Start]), "\n")
	text := strings.TrimRight(string(content[s.Start:s.End]), " \t\n")
	var out []int
	for n := range 1 + strings.Count(text, "\n") {
		out = append(out, first+n)
	}
	return out
}

// filtered returns the lines of the filters of a class that run before or around a member.
func (c *candidates) filtered(owner, member place) []int {
	g := c.q.Graph(owner.path)
	if owner.path != member.path || g.Symbols[owner.symbol].Role == "" || g.Symbols[member.symbol].Role != record.KindAction {
		return nil
	}
	k, ok := c.classOf(g, owner.symbol)
	if !ok {
		return nil
	}
	d := slices.IndexFunc(k.o.Decls, func(d languages.Decl) bool { return d.Span == g.Symbols[member.symbol].Span && d.Parent == k.d })
	if d < 0 {
		return nil
	}
	var lines []int
	for _, f := range k.o.Filters(&k.o.Decls[d]) {
		lines = append(lines, linesOf(c.text(owner.path), f.Span)...)
	}
	return lines
}

// routed adds the lines of the routes to the class of an action.
func (l *lookup) routed(action subject, owner place) {
	if l.q.Graph(action.path).Symbols[action.symbol].Role != record.KindAction {
		return
	}
	for _, u := range l.q.Users(owner.path, owner.symbol) {
		if u.Symbol < 0 && len(l.q.Graph(u.Path).Symbols) == 0 {
			l.addSymbol(u.Path, -1, RoleUsedBy, signal("routes to it", action.sure*worthRoute*u.Probability), u.Lines...)
		}
	}
}

// addTable adds the table of a model, the description of its columns, right below the model.
func (c *candidates) addTable(k class, model *Candidate, worth float64, named Naming) bool {
	name := cmp.Or(k.o.Decls[k.d].Table, strings.ReplaceAll(model.Unit.Identifier, ".", ""))
	for f := range c.ix.Files.Files() {
		cross := f.CrossFile()
		if cross == nil || !c.wants(f.Path()) || !slices.ContainsFunc(cross.Exports, func(e record.Export) bool { return e.Kind == record.ExportTable && e.Path == name }) {
			continue
		}
		content := c.text(f.Path())
		o := languages.Parse(f.Path(), content)
		i := slices.IndexFunc(o.Tables, func(t languages.Table) bool { return t.Model == name && t.Span.End > t.Span.Start })
		if i < 0 {
			continue
		}
		t := &o.Tables[i]
		lines := record.Lines{First: 1 + strings.Count(string(content[:t.Span.Start]), "\n")}
		lines.Last = lines.First + countLines(content[t.Span.Start:t.Span.End]) - 1
		head := t.Span
		head.End = head.Start + strings.IndexByte(string(content[head.Start:head.End])+"\n", '\n')
		top := 0.0
		for _, s := range model.Why {
			top = max(top, s.Score)
		}
		added := c.add(Unit{Path: f.Path(), Language: f.Language(), Kind: KindTable, Identifier: t.Name, ID: record.NewChunkID(f.Path(), t.Name, "table", 0), Span: t.Span,
			Header: head, Body: record.Span{Start: head.End, End: t.Span.End}, Lines: lines, NameLine: lines.First}, RoleSchema, signal("table of "+path.Base(model.Unit.Identifier), worth*top))
		added.Named = named
		return true
	}
	return false
}
