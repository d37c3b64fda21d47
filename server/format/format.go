// Package format writes the text of an answer: as XML, Markdown, plain text or a page
// for people. It also writes hovers and lists for editors.
//
// A text contains source code unescaped, as the bundle has it. The code cannot forge the
// boundaries around it: a fence is longer than any in the code, and a tag or a separator
// that occurs in the code is replaced by another. Identifiers, paths and the question are
// put on one line and escaped.
//
// The package never chooses, drops or reorders, and reads nothing but its arguments.
package format

import (
	"cmp"
	"strconv"
	"strings"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// Render writes b in its format, or in plain for an unknown one. It returns the span of
// each source in the text, heading and markup included.
func Render(b *assemble.Bundle) (text string, sources []record.Span) {
	var p page
	switch b.Format {
	case api.XML:
		p.xml(b)
	case api.Markdown:
		p.markdown(b)
	case api.Human:
		p.human(b, palette{})
	case api.HumanColor:
		p.human(b, terminalColors)
	default:
		p.plain(b)
	}
	return p.String(), p.sources
}

// page collects a text.
type page struct {
	strings.Builder
	sources []record.Span // the span of each source
	heading func(title string)
}

// titles are the headings of the sections of units.
var titles = map[string]string{"primary": "in question", "supporting": "related", "framework": "framework"}

// title returns the heading before the source of index i, "" for none: there are headings
// when the sources are of several sections.
func title(b *assemble.Bundle, i int) string {
	section := b.Sources[i].Section
	if bare(b) || b.Sources[0].Section == b.Sources[len(b.Sources)-1].Section || i > 0 && b.Sources[i-1].Section == section {
		return ""
	}
	return cmp.Or(titles[section], identifier(section))
}

// parts writes the parts of b in their order, each after gap: block writes the outlines
// and the dependencies, unless they are empty, and source the sources of indices [i, end),
// which share a heading, with their text.
func (p *page) parts(b *assemble.Bundle, outlines, dependencies, gap string, block func(title, text string), source func(i, end int, text string)) {
	optional := func(title, text string) {
		if text != "" {
			p.WriteString(gap)
			block(title, text)
		}
	}
	if b.StructureFirst {
		optional("structure", outlines)
	}
	for i, end := 0, 0; i < len(b.Sources); i = end {
		if t := title(b, i); t != "" {
			p.WriteString(gap)
			p.heading(t)
		}
		p.WriteString(gap)
		end = i + 1
		for end < len(b.Joined) && b.Joined[end] {
			end++
		}
		start, text := p.Len(), strings.Join(b.Texts[i:end], "")
		source(i, end, text)
		at := start + strings.LastIndex(p.String()[start:], text)
		for _, t := range b.Texts[i : end-1] {
			at += len(t)
			p.sources = append(p.sources, record.Span{Start: start, End: at})
			start = at
		}
		p.sources = append(p.sources, record.Span{Start: start, End: p.Len()})
	}
	if !b.StructureFirst {
		optional("structure", outlines)
	}
	optional("dependencies", dependencies)
}

// Bounds of a label in a text, in bytes.
const (
	maxQuery      = 240
	maxIdentifier = 160
)

func query(b *assemble.Bundle) string { return assemble.OneLine(b.Query, maxQuery) }

func identifier(s string) string { return assemble.OneLine(s, maxIdentifier) }

// kind returns the kind of s as a word.
func kind(s *api.Source) string { return identifier(string(s.Kind)) }

// lines returns the lines of the whole unit, "12-40" or "12".
func lines(s *api.Source) string {
	if s.StartLine == s.EndLine {
		return strconv.Itoa(s.StartLine)
	}
	return strconv.Itoa(s.StartLine) + "-" + strconv.Itoa(s.EndLine)
}

// location returns the path and the lines of sources that share a heading, "hdrs.py:37, 52-53".
func location(sources ...api.Source) string {
	all := make([]string, len(sources))
	for i := range sources {
		all[i] = lines(&sources[i])
	}
	return assemble.SafePath(sources[0].Path) + ":" + strings.Join(all, ", ")
}

// alone returns b with a heading for each source.
func alone(b *assemble.Bundle) *assemble.Bundle {
	c := *b
	c.Joined = nil
	return &c
}

// named returns the identifier of the first of the sources that share a heading, with the
// number of the others, whose code has their names.
func named(sources []api.Source) string {
	name := identifier(sources[0].Identifier)
	if n := len(sources) - 1; n > 0 {
		name += " and " + strconv.Itoa(n) + " more"
	}
	return name
}

// note is a remark on an answer at its top.
type note struct{ label, text string }

// notes returns the remarks on an answer, none for most.
func notes(b *assemble.Bundle) (all []note) {
	if text := lacking(b); text != "" {
		all = append(all, note{"index", text})
	}
	if text := doubt(b); text != "" {
		all = append(all, note{"note", text})
	}
	return all
}

// lacking says, in words after "index:", that the index does not have all files yet, "" when it has.
func lacking(b *assemble.Bundle) string {
	f := &b.Freshness
	switch {
	case f.Pending > 1:
		return string(f.State) + "; " + assemble.Counted(f.Pending, "file") + " are not in this answer"
	case f.Pending == 1:
		return string(f.State) + "; 1 file is not in this answer"
	case f.State != "" && f.State != api.StateReady && f.State != api.StatePaused:
		return string(f.State) + "; files may be missing from this answer"
	}
	return ""
}

// doubtful is the relevance of the best source below which an answer says so: on the benchmark one
// question in twenty with an answer is below it, and seven in ten without one.
const doubtful = 0.3

// doubt returns the note that nothing shown answers the question well, "" when something does.
func doubt(b *assemble.Bundle) string {
	if b.Symbol != nil || len(b.Sources) == 0 {
		return ""
	}
	best := 0.0
	for i := range b.Sources {
		best = max(best, b.Sources[i].Relevance)
	}
	if best >= doubtful {
		return ""
	}
	return "the workspace may not answer this: the best source has relevance " + strconv.FormatFloat(best, 'f', 2, 64)
}

func relevance(s *api.Source) string { return strconv.FormatFloat(s.Relevance, 'f', 2, 64) }

// details returns the details after the location of s, ", calls 0.50, hot", or ""
// unless the context mode is full.
func details(b *assemble.Bundle, s *api.Source) string {
	if !full(b) {
		return ""
	}
	text := ", " + cmp.Or(identifier(s.Reason), "relevance") + " " + relevance(s)
	if s.ChangeFrequency != record.Unknown {
		text += ", " + string(s.ChangeFrequency)
	}
	return text
}

// full reports whether a unit is shown with all its details.
func full(b *assemble.Bundle) bool { return b.Context == api.ContextFull || b.Context == "" }

// bare reports whether only the code of a unit is shown.
func bare(b *assemble.Bundle) bool { return b.Context == api.ContextNone }

// outlines returns the structure: the overview, then each file on a line with its units
// indented below.
func outlines(b *assemble.Bundle) string {
	var t strings.Builder
	if b.Overview != nil {
		overview(&t, b.Overview)
	}
	for i := range b.Structure {
		o := &b.Structure[i]
		t.WriteString(assemble.SafePath(o.Path) + " (" + assemble.Counted(o.Lines, "line") + ")\n")
		for _, u := range o.Units {
			t.WriteString("  " + u + "\n")
		}
		if o.More > 0 {
			t.WriteString("  … " + assemble.Thousands(o.More) + " more\n")
		}
	}
	return t.String()
}

// arrows returns the dependencies, one line for each unit that has any, in the order of
// the first dependency of each: "CheckoutService → Order (creates), PaymentGateway (calls)".
func arrows(b *assemble.Bundle) string {
	var order []string
	to := make(map[string][]string)
	for i := range b.Dependencies {
		d := &b.Dependencies[i]
		from := identifier(d.From)
		if to[from] == nil {
			order = append(order, from)
		}
		to[from] = append(to[from], identifier(d.To)+" ("+string(d.Kind)+")")
	}
	var t strings.Builder
	for _, from := range order {
		t.WriteString(from + " → " + strings.Join(to[from], ", ") + "\n")
	}
	return t.String()
}

// ruler returns a run of c, at least three, that no line of the texts starts with before
// a blank, as a separator does.
func ruler(c rune, texts []string) string {
	n := 3
	for _, t := range texts {
		start, run := true, 0
		for _, r := range t {
			switch {
			case r == c && start:
				run++
				continue
			case r == ' ' && run >= n:
				n = run + 1
			}
			run = 0
			start = lineEnd(r) || start && (r == ' ' || r == '\t')
		}
	}
	return strings.Repeat(string(c), n)
}

// lineEnd reports whether a reader might begin a new line after r.
func lineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}
