package assemble

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// level is a level of detail of a unit, from its signature up to the whole.
type level struct {
	ranges  []record.Lines // the lines shown
	text    string
	tokens  int      // of text and of the markup around it
	value   float64  // relevance times the worth of the lines, see worths
	kinds   []string // of the lines that are not shown
	omitted int      // the number of those lines
}

// worth is how useful the parts of a unit are to a reader. The whole unit is worth 1, so
// the parts that are not listed are worth the rest; a long function that a search found is
// worth more, see inSteps. A unit of a relevance below floor is not worth its tokens.
type worth struct{ signature, focus, found, doc, members, floor float64 }

// worths are judgments: a reader needs the signature of a used unit, the line of use of a
// using unit, and all of the unit in question. The floors are measured: see "What a source
// is worth" in docs/benchmarks.md.
var worths = map[retrieve.Role]worth{
	retrieve.RoleDefinition: {.3, .2, 0, .1, .2, 0},
	retrieve.RoleEnclosing:  {.3, .2, 0, .1, .2, 0},
	retrieve.RoleChanged:    {.3, .3, 0, .1, .1, 0},
	retrieve.RoleMatch:      {.4, .2, 0, .1, .1, .1},
	retrieve.RoleUses:       {.6, .05, 0, .15, .1, .2},
	retrieve.RoleUsedBy:     {.55, .35, 0, .02, .02, 0},
	retrieve.RoleTest:       {.55, .3, 0, .02, .02, .2},
	retrieve.RoleFramework:  {.6, 0, 0, .3, .1, 0},
}

// foundWorth is for the matches that a search found: their lines are worth their tokens, and a
// signature is worth little. See "What a line of an answer is worth" in docs/benchmarks.md.
var foundWorth = worth{.05, .2, .35, .1, .1, .1}

// otherWorth is for the roles that worths does not name.
var otherWorth = worth{.5, .2, 0, .1, .1, .25}

const (
	// minRelevance gives a candidate without relevance some value.
	minRelevance = .01
	// maxCountedBytes bounds the counted text of a unit; its tokens give an estimate for
	// the rest.
	maxCountedBytes = 64 << 10
)

// pricer counts the tokens of parts of the answer to one request.
type pricer struct {
	counter Counter
	request *Request
	blank   Bundle // the beginning of every bundle of the request
	wrapper int    // tokens of blank
}

// tokens returns the tokens of b as rendered.
func (p *pricer) tokens(b *Bundle) int {
	text, _ := p.request.Render(b)
	return p.counter.Count(text)
}

// of returns the tokens of the parts that set adds to an empty bundle, markup included.
func (p *pricer) of(set func(b *Bundle)) int {
	b := p.blank
	set(&b)
	return max(0, p.tokens(&b)-p.wrapper)
}

// price fills in the levels of an item, the cheapest first. A level that costs no less
// than a fuller one is left out, so a small unit has only the whole.
func (p *pricer) price(it *item) {
	if it.reason != "" && !it.dropped {
		return
	}
	it.poor = !p.request.Question.Fill && !it.asked && it.c.Pin == 0 && it.c.Relevance < worthOf(&it.c).floor
	u := &it.c.Unit
	whole := render(it, []record.Lines{it.lines})
	if it.whole = p.count(whole); it.dropped || it.poor {
		return
	}
	it.base = api.Source{
		ID:              u.ID,
		Identifier:      u.Identifier,
		Kind:            u.Kind,
		Language:        u.Language,
		Path:            u.Path,
		StartLine:       it.lines.First,
		EndLine:         it.lines.Last,
		Section:         sections[it.section].name,
		Role:            string(it.c.Role),
		Reason:          it.c.Reason(),
		Relevance:       retrieve.Round(it.c.Probability, 2),
		ChangeFrequency: cmp.Or(it.c.Frequency, record.Unknown),
		Dependents:      it.c.Dependents,
		Why:             it.c.Why,
	}
	it.markup = p.of(func(b *Bundle) { b.Sources, b.Texts = []api.Source{it.base}, []string{""} })

	relevance := minRelevance
	if it.c.Relevance > relevance { // false for not-a-number
		relevance = it.c.Relevance
	}
	if found(&it.c) {
		relevance *= relevance // what is asked for is more often in the first ones than their relevance says
	}
	cuts := reductions(it)
	all := len(cuts) - 1
	cheapest := it.whole + it.markup
	it.levels = []level{{
		ranges: cuts[all].ranges,
		text:   whole,
		tokens: cheapest,
		value:  relevance * cuts[all].worth,
	}}
	for _, c := range slices.Backward(cuts[:all]) {
		l := p.reduced(it, c.ranges, relevance*c.worth)
		if len(l.text) <= len(whole) && l.tokens < cheapest { // else the note is longer than the lines it replaces
			cheapest = l.tokens
			it.levels = append(it.levels, *l)
		}
	}
	slices.Reverse(it.levels)
	if it.c.Pin == 0 {
		it.levels = it.levels[:p.worthy(it)]
	}
}

// worthy returns the number of levels of an item that are worth their tokens at any budget. A
// unit that the one in question uses, or that is like it, is shown in at most the tokens of the
// largest chunk: a class of a thousand lines is not read whole because it is the type of an argument.
func (p *pricer) worthy(it *item) int {
	n := len(it.levels)
	switch {
	case it.c.Glance:
		return min(n, 1)
	case it.asked, p.request.Question.Fill:
		return n
	}
	switch it.c.Role {
	case retrieve.RoleUses, retrieve.RoleSimilar, retrieve.RoleSibling:
		for n > 1 && it.levels[n-1].tokens > maxClaim {
			n--
		}
	}
	return n
}

// reduced returns the level of a unit that shows some of its lines.
func (p *pricer) reduced(it *item, ranges []record.Lines, value float64) *level {
	l := &level{ranges: ranges, value: value, kinds: cut{ranges: ranges}.kinds(it)}
	l.omitted = it.lines.Last - it.lines.First + 1 - size(ranges)
	l.text = render(it, ranges) + it.note(l)
	l.tokens = p.count(l.text) + it.markup
	return l
}

// count returns the tokens of text, estimated when it is long.
func (p *pricer) count(text string) int {
	if len(text) <= maxCountedBytes {
		return p.counter.Count(text)
	}
	head := strings.ToValidUTF8(text[:maxCountedBytes], "")
	return p.counter.Count(head) * len(text) / maxCountedBytes
}

func worthOf(c *retrieve.Candidate) worth {
	if found(c) {
		return foundWorth
	}
	if w, ok := worths[c.Role]; ok {
		return w
	}
	return otherWorth
}

// found reports whether a search found the candidate for its lines.
func found(c *retrieve.Candidate) bool { return c.Role == retrieve.RoleMatch && len(c.Found) > 0 }

// render returns the lines of ranges, with a mark at a gap beside a focus line.
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

// note returns the truncation note of a level. It is one line, because an answer may have
// forty of them.
func (it *item) note(l *level) string {
	total := it.lines.Last - it.lines.First + 1
	source := it.c.Unit.Path
	if it.section != primary {
		source = record.Path(path.Base(string(source))) // its heading has the whole path
	}
	return comment(it.c.Unit.Language, fmt.Sprintf("… (truncated: %s omitted: %s) Full source: %s (%s, %s)",
		Counted(l.omitted, "line"), strings.Join(l.kinds, ", "), SafePath(source),
		Counted(total, "line"), Counted(it.whole, "token")))
}

// Counted returns n with its unit, "1 line" or "4,200 tokens".
func Counted(n int, unit string) string {
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

// SafePath returns path for a line of text: path itself when it is UTF-8 and has no quotes,
// backslashes or unprintable characters, else a quoted Go string with its bytes.
func SafePath(path record.Path) string {
	s := string(path)
	quoted := strconv.Quote(s)
	if quoted[1:len(quoted)-1] == s {
		return s
	}
	return quoted
}
