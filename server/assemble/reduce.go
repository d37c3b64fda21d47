package assemble

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// rung is one way to show a unit, from its signature up to the whole.
type rung struct {
	ranges []record.Lines // the lines shown
	text   string
	tokens int     // of text and of the mark-up around it
	value  float64 // relevance times the worth of what is shown, see worths
	kinds  []string
	omits  int // lines
}

// worth says how much of a unit's use its parts have for a reader, by role. The
// whole unit is worth 1, so what the parts leave is the worth of the rest.
type worth struct{ signature, focus, doc, members float64 }

// worths are judgements, in one place: of what a unit uses, a reader needs to know
// how to call it; of what uses it, the place of use; of what was asked for, all.
var worths = map[retrieve.Role]worth{
	retrieve.RoleDefinition: {.3, .2, .1, .2},
	retrieve.RoleEnclosing:  {.3, .2, .1, .2},
	retrieve.RoleMatch:      {.4, .2, .1, .1},
	retrieve.RoleUses:       {.6, .05, .15, .1},
	retrieve.RoleUsedBy:     {.55, .35, .02, .02},
	retrieve.RoleTest:       {.55, .3, .02, .02},
}

// otherWorth is for the roles that worths does not name.
var otherWorth = worth{.5, .2, .1, .1}

const (
	// minRelevance keeps a candidate without relevance above nothing.
	minRelevance = .01
	// maxSignatureLines bounds the first rung: the header of a declaration without a
	// body, such as a table of constants, is all of it.
	maxSignatureLines = 8
	// headSteps is into how many parts the body of an asked unit is cut when the
	// whole may not fit: what is lost is at most one part.
	headSteps = 8
	// maxCountedBytes bounds what is counted of a unit that cannot fit; its total is
	// then told from the tokens of its first maxCountedBytes.
	maxCountedBytes = 64 << 10
)

// pricer knows what things cost in one request.
type pricer struct {
	counter Counter
	request *Request
	blank   Bundle // what every bundle of the request begins with
	wrapper int    // tokens of blank
}

// tokens returns what b costs.
func (p *pricer) tokens(b *Bundle) int {
	text, _ := p.request.Render(b)
	return p.counter.Count(text)
}

// of returns what the parts that set puts into an empty bundle cost, mark-up included.
func (p *pricer) of(set func(b *Bundle)) int {
	b := p.blank
	set(&b)
	return max(0, p.tokens(&b)-p.wrapper)
}

// price fills in the ladder of it: its rungs, the cheapest first. A rung that costs
// no less than a fuller one is left out, so a small unit has only the whole.
func (p *pricer) price(it *item) {
	if it.reason != "" && !it.dropped {
		return
	}
	u := &it.c.Unit
	whole := render(it, []record.Lines{it.lines})
	if it.whole = p.whole(whole); it.dropped {
		return
	}
	it.source = api.Source{
		ID:              u.ID,
		Identifier:      u.Identifier,
		Kind:            u.Kind,
		Language:        u.Language,
		Path:            u.Path,
		StartLine:       it.lines.First,
		EndLine:         it.lines.Last,
		Section:         sections[it.section].name,
		Role:            string(it.c.Role),
		Relevance:       retrieve.Round(it.c.Relevance, 2),
		ChangeFrequency: cmp.Or(it.c.Frequency, record.Unknown),
		Dependents:      it.c.Dependents,
		Why:             it.c.Why,
	}
	it.markup = p.of(func(b *Bundle) { b.Sources, b.Texts = []api.Source{it.source}, []string{""} })

	ladder := cuts(it)
	if (it.asked || it.c.Pin > 0) && len(u.Members) == 0 && it.whole > p.blank.Budget/4 {
		ladder = append(ladder, heads(it, ladder[len(ladder)-1])...)
	}
	relevance := max(it.c.Relevance, minRelevance)
	cheapest := it.whole + it.markup
	it.rungs = []rung{{
		ranges: []record.Lines{it.lines},
		text:   whole,
		tokens: cheapest,
		value:  relevance,
	}}
	for _, c := range slices.Backward(ladder) {
		r := rung{ranges: c.ranges, value: relevance * c.worth, kinds: c.kinds(it)}
		r.omits = it.lines.Last - it.lines.First + 1 - size(c.ranges)
		r.text = render(it, c.ranges) + p.note(it, &r)
		if len(r.text) > len(whole) || it.whole*len(r.text)/len(whole) > 2*p.blank.Budget {
			continue // the note is longer than what it stands for, or it is out of reach
		}
		r.tokens = p.counter.Count(r.text) + it.markup
		if r.tokens < cheapest {
			cheapest = r.tokens
			it.rungs = append(it.rungs, r)
		}
	}
	slices.Reverse(it.rungs)
}

// whole returns the tokens of text, estimated when it is far beyond the budget.
func (p *pricer) whole(text string) int {
	if len(text) > maxCountedBytes {
		head := strings.ToValidUTF8(text[:maxCountedBytes], "")
		n := p.counter.Count(head) * len(text) / maxCountedBytes
		if n > 2*p.blank.Budget {
			return n
		}
	}
	return p.counter.Count(text)
}

// cut is a choice of lines of a unit.
type cut struct {
	ranges []record.Lines
	worth  float64
}

// cuts returns the reductions of a unit, each with the lines of the one before:
// its signature, the focus lines with a line of context, the doc, the rest of a long
// header with the signatures of the members. A step that adds no line is left out.
func cuts(it *item) []cut {
	u, w := &it.c.Unit, worthOf(it.c.Role)
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
		add(record.Lines{First: l.First, Last: min(l.Last, l.First+maxSignatureLines-1)})
	}
	add(record.Lines{First: u.NameLine, Last: u.NameLine})
	if len(shown) == 0 {
		add(record.Lines{First: it.lines.First, Last: it.lines.First})
	}
	step(w.signature)
	for _, n := range it.c.Focus {
		add(record.Lines{First: n - 1, Last: n + 1})
	}
	step(w.focus)
	addSpan(u.Doc)
	step(w.doc)
	addSpan(u.Header)
	for _, m := range u.Members {
		if m.Header.Start < m.Header.End {
			addSpan(m.Header)
		} else {
			addSpan(m.Span)
		}
	}
	step(w.members)
	return out
}

// heads returns cuts that show more and more of the unit from its top, on the base
// of the last reduction.
func heads(it *item, base cut) []cut {
	n := it.lines.Last - it.lines.First + 1
	var out []cut
	for k := 1; k < headSteps; k++ {
		head := record.Lines{First: it.lines.First, Last: it.lines.First + n*k/headSteps - 1}
		if head.Last < head.First {
			continue
		}
		ranges := unite(append(slices.Clone(base.ranges), head))
		share := float64(k) / headSteps
		out = append(out, cut{ranges, base.worth + (1-base.worth)*share})
	}
	return out
}

func worthOf(r retrieve.Role) worth {
	if w, ok := worths[r]; ok {
		return w
	}
	return otherWorth
}

// kinds names what the lines that c leaves out hold, in the order of the text.
func (c cut) kinds(it *item) []string {
	u := &it.c.Unit
	if prose(u) {
		return []string{"text"}
	}
	var out []string
	add := func(kind string) {
		if !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	missing := func(s record.Span) bool {
		l, ok := it.within(s)
		return ok && !covers(c.ranges, l)
	}
	if missing(u.Doc) {
		add("doc")
	}
	for _, m := range u.Members {
		switch {
		case missing(m.Header):
			add(plural(m.Kind))
		case missing(m.Span):
			add(string(m.Kind) + " bodies")
		}
	}
	if len(u.Members) == 0 && missing(u.Body) || len(out) == 0 {
		add("body")
	}
	return out
}

func plural(k record.Kind) string {
	switch k {
	case "":
		return "members"
	case record.KindClass:
		return "classes"
	}
	return string(k) + "s"
}

// render returns the lines of ranges; a gap beside a focus line is marked.
func render(it *item, ranges []record.Lines) string {
	var b strings.Builder
	for i, r := range ranges {
		if i > 0 && (it.focused(ranges[i-1]) || it.focused(r)) {
			b.WriteString(comment(it.c.Unit.Language, "…"))
		}
		it.file.write(&b, r)
	}
	if s := b.String(); !utf8.ValidString(s) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return b.String()
}

// within returns the lines of the unit that s touches and whether there are any.
func (it *item) within(s record.Span) (record.Lines, bool) {
	if s.Start < 0 || s.Start >= s.End || s.Start >= len(it.file.text) {
		return record.Lines{}, false
	}
	return clip(it.file.lines(s), it.lines)
}

// focused reports whether l holds a focus line.
func (it *item) focused(l record.Lines) bool {
	i, _ := slices.BinarySearch(it.c.Focus, l.First)
	return i < len(it.c.Focus) && it.c.Focus[i] <= l.Last
}

// note returns the line that says what r leaves out. It is one line, because forty
// reduced units pay for it forty times.
func (p *pricer) note(it *item, r *rung) string {
	total := it.lines.Last - it.lines.First + 1
	return comment(it.c.Unit.Language, fmt.Sprintf("… (truncated: %s omitted: %s) Full source: %s (%s, %s)",
		counted(r.omits, "line"), strings.Join(r.kinds, ", "), SafePath(it.c.Unit.Path),
		counted(total, "line"), counted(it.whole, "token")))
}

// counted returns n with its unit, "1 line" or "4,200 tokens".
func counted(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return Thousands(n) + " " + unit
}

// Thousands returns n with a comma after each group of three digits, "4,200".
func Thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// SafePath returns path as it may stand in a line of text: as it is when it is
// UTF-8 and free of quotes, backslashes and what does not print, else as a quoted
// Go string, from which the bytes can be had again.
func SafePath(path record.Path) string {
	s := string(path)
	quoted := strconv.Quote(s)
	if quoted[1:len(quoted)-1] == s {
		return s
	}
	return quoted
}
