package assemble

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

const (
	// maxSignatureLines bounds the first level: the header of a declaration without a
	// body, such as a table of constants, is all of it.
	maxSignatureLines = 8
	// maxUserLines is the same for a unit that uses the one in question: a longer header ends behind
	// the name there.
	maxUserLines = 3
	// maxUsedMembers bounds the used members of a type that its first level shows: a line
	// each, together a fifth of a budget of 2,000 tokens.
	maxUsedMembers = 32
	// minHeads is the least size of a unit in question, in tokens, that is cut into parts.
	minHeads = 400
	// headSteps is the number of parts into which a unit in question is cut when the
	// whole may not fit: at most one part is lost.
	headSteps = 8
	// stepTokens is the size of the steps in which a function that a search found is shown.
	stepTokens = 200.0
)

// cut is a choice of lines of a unit.
type cut struct {
	ranges []record.Lines
	worth  float64
}

// cuts returns the reductions of a unit, each with the lines of the one before: the
// signature, the focus lines with a line of context, the lines that a search found, the doc
// comment, the rest of a long header with the signatures of the members. One that adds no line is left out.
func cuts(it *item) []cut {
	u, w := &it.c.Unit, worthOf(&it.c)
	var shown []record.Lines
	add := func(l record.Lines) {
		if l, ok := clip(l, it.lines); ok {
			shown = append(shown, l)
		}
	}
	addSpan := func(s record.Span) {
		if l, ok := it.within(s); ok {
			shown = append(shown, l)
		}
	}
	var out []cut
	step := func(worth float64) {
		next := cut{unite(slices.Clone(shown)), worth}
		if len(out) > 0 {
			last := out[len(out)-1]
			if size(next.ranges) == size(last.ranges) {
				return
			}
			next.worth += last.worth
		}
		out = append(out, next)
	}
	if l, ok := it.within(u.Header); ok {
		most := maxSignatureLines
		if it.c.Role == retrieve.RoleUsedBy || it.c.Role == retrieve.RoleTest { // the line of use tells more than a list of parameters
			if most = maxUserLines; l.Last-l.First >= most {
				l = record.Lines{First: l.First, Last: max(l.First, min(u.NameLine, l.Last))}
			}
		}
		add(record.Lines{First: l.First, Last: min(l.Last, l.First+most-1)})
	}
	add(record.Lines{First: u.NameLine, Last: u.NameLine})
	if len(shown) == 0 {
		add(record.Lines{First: it.lines.First, Last: it.lines.First})
	}
	if it.c.Role == retrieve.RoleUses && len(it.c.Focus) <= maxUsedMembers {
		for _, n := range it.c.Focus { // of a small type that is shown for the members that are used
			add(record.Lines{First: n, Last: n})
		}
	}
	step(w.signature)
	for _, n := range it.c.Focus {
		add(record.Lines{First: n - 1, Last: n + 1})
	}
	step(w.focus)
	if found(&it.c) {
		for _, l := range it.c.Found {
			add(l)
		}
		step(w.found)
	}
	addSpan(u.Doc)
	step(w.doc)
	members := w.members
	if len(u.Sections) > 0 {
		members /= 2
	}
	for _, s := range u.Sections { // what tells a class that is told by its declarations
		for _, span := range s.Spans {
			addSpan(span)
		}
	}
	if len(u.Sections) > 0 {
		step(members)
	}
	addSpan(u.Header)
	for _, m := range u.Members {
		if m.Header.Start < m.Header.End {
			addSpan(m.Header)
		} else {
			addSpan(m.Span)
		}
	}
	step(members)
	return out
}

// reductions returns the cuts of a unit and, as the last one, the whole. What is shown of a long
// function grows in parts.
func reductions(it *item) []cut {
	whole := cut{[]record.Lines{it.lines}, 1}
	out := append(cuts(it), whole)
	last := len(out) - 1
	switch {
	case len(it.c.Unit.Members) > 0:
		return out
	case (it.asked || it.c.Pin > 0) && it.whole > minHeads:
		return append(out[:last], parts(out[last-1], whole, headSteps)...)
	case found(&it.c) && !prose(&it.c.Unit):
		return inSteps(it, out)
	}
	return out
}

// inSteps returns the cuts of a function that a search found, with steps of about stepTokens
// between them. A cut that adds more than stepTokens is worth more than in a short function,
// because its lines are more often asked for than the first lines of one more unit, and the
// less often the more of them are shown: n steps are worth log2(1+n) times as much. See "What
// a line of an answer is worth" in docs/benchmarks.md.
func inSteps(it *item, cuts []cut) []cut {
	perLine := float64(it.whole) / float64(it.lines.Last-it.lines.First+1)
	out, at := cuts[:1:1], cuts[0].worth
	for i, to := range cuts[1:] {
		from := cuts[i]
		steps := max(1, perLine*float64(size(to.ranges)-size(from.ranges))/stepTokens)
		added := parts(from, to, int(math.Ceil(steps)))
		for k := range added {
			share := float64(k+1) / float64(len(added))
			added[k].worth = at + (to.worth-from.worth)*math.Log2(1+steps*share)
		}
		out, at = append(out, added...), added[len(added)-1].worth
	}
	return out
}

// parts returns at most n cuts, the last of them to: they show what from shows and a growing
// part of the other lines of to, from the top.
func parts(from, to cut, n int) []cut {
	added := subtract(to.ranges, from.ranges)
	lines := size(added)
	var out []cut
	for k := 1; k < n; k++ {
		if more := head(added, lines*k/n); len(more) > 0 {
			share := float64(k) / float64(n)
			out = append(out, cut{unite(append(more, from.ranges...)), from.worth + (to.worth-from.worth)*share})
		}
	}
	return append(out, to)
}

// kinds names the parts of the unit in the lines that c leaves out, in the order of the
// text.
func (c cut) kinds(it *item) []string {
	u := &it.c.Unit
	if prose(u) {
		return []string{"text"}
	}
	var names []string
	counts := map[string]int{}
	add := func(kind string) {
		if counts[kind]++; counts[kind] == 1 {
			names = append(names, kind)
		}
	}
	missing := func(s record.Span) bool {
		l, ok := it.within(s)
		return ok && !covers(c.ranges, l)
	}
	if missing(u.Doc) {
		add("doc")
	}
	for _, s := range u.Sections {
		for _, span := range s.Spans {
			if missing(span) {
				add(strings.TrimSuffix(s.Title, "s"))
			}
		}
	}
	for _, m := range u.Members {
		switch {
		case missing(m.Header):
			add(cmp.Or(string(m.Kind), "member"))
		case missing(m.Span):
			add(string(m.Kind) + " body")
		}
	}
	if len(u.Members)+len(u.Sections) == 0 && missing(u.Body) || len(names) == 0 {
		return append(names, "body")
	}
	for i, kind := range names {
		if kind != "doc" {
			names[i] = countedKind(counts[kind], kind)
		}
	}
	return names
}

// countedKind returns a number of parts of a kind, "12 associations".
func countedKind(n int, kind string) string {
	if n != 1 {
		switch stem, ok := strings.CutSuffix(kind, "y"); {
		case ok:
			kind = stem + "ies"
		case strings.HasSuffix(kind, "s"):
			kind += "es"
		default:
			kind += "s"
		}
	}
	return Thousands(n) + " " + kind
}
