// Package assemble turns ranked candidates into an answer within a token budget.
//
// It decides which sections an answer has, the share of the budget of each, and how far
// a unit is reduced. The answer has the reasons for each source
// and how much of it is missing.
//
// The finished text, markup included, never exceeds the budget: token counts do not add
// up over a concatenation, so parts are priced one by one to choose among them, and the
// rendered text is counted before it is returned. A unit appears once.
//
// The package never searches, never writes, knows no format and keeps nothing
// between two calls.
package assemble

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// maxRounds bounds how often an answer that came out too long loses one step alone.
// Prices are exact up to the seams between parts, so a second round is rare.
const maxRounds = 8

// Texts reads the files of one request.
type Texts interface {
	// Content returns the bytes that the spans of the candidates refer to, with secrets
	// masked. The caller does not change them.
	Content(ctx context.Context, path record.Path) ([]byte, error)
}

// Counter counts tokens in one encoding. *tokens.Cache satisfies it.
type Counter interface {
	Count(text string) int
}

// Request is one question with its ranked candidates.
type Request struct {
	// Question holds the options of the answer. It has passed [api.Check]; its Budget is
	// at least 1, and its Encoding is that of the counter.
	Question api.Question
	Result   retrieve.Result
	Root     string // absolute path of the workspace, for URIs
	// Render writes a bundle in its format and returns the span of each source in the
	// text. It is deterministic, and writes a bundle without sources as the bare wrapper.
	// The tokens of its text are the cost of the bundle.
	Render    func(*Bundle) (text string, sources []record.Span)
	Freshness api.Freshness
	Omitted   []api.Omission // listed before the candidates that are not shown
}

// Assemble chooses the units to show, reads them and renders them. The
// answer's Text holds at most r.Question.Budget tokens; when not even the bare wrapper
// fits, Text is empty. Every candidate is in Sources or in Omitted.
//
// A pinned candidate is given room before all others: whole if the budget allows,
// else reduced, also when its lines are shown in another one. One whose id is in
// r.Question.Drop is never a source; its lines may be shown in the unit around it.
//
// It returns [ErrBudget] for a budget below 1 and the cause of a cancelled ctx. A
// file that cannot be read costs its candidates, not the answer. It is safe for
// concurrent use when texts and counter are.
func Assemble(ctx context.Context, texts Texts, counter Counter, r Request) (*api.Answer, error) {
	q := &r.Question
	if q.Budget < 1 {
		return nil, ErrBudget
	}
	p := pricer{counter: counter, request: &r, blank: Bundle{
		Answer: api.Answer{
			Format:       textFormat(q.Format),
			Tokens:       q.Budget,
			Budget:       q.Budget,
			Encoding:     q.Encoding,
			Scope:        cmp.Or(q.Scope, r.Result.Scope),
			Sections:     []api.Section{},
			Sources:      []api.Source{},
			Dependencies: []api.Dependency{},
			Omitted:      append([]api.Omission{}, r.Omitted...),
			Freshness:    r.Freshness,
		},
		Query:   r.Result.Query,
		Context: q.ContextMode,
	}}
	if r.Result.Symbol != nil {
		p.blank.Symbol = newSymbol(r.Result.Symbol)
	}
	p.wrapper = p.tokens(&p.blank)

	switch q.ContextMode {
	case api.ContextNone:
		r.Result.Structure, r.Result.Overview, r.Result.Dependencies = nil, nil, nil
	case api.ContextMinimal:
		r.Result.Dependencies = nil
	}
	items, err := collect(ctx, texts, collapse(r.Result.Candidates, q.Drop), q.Drop)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		p.price(it)
	}
	var outside []*item
	for _, it := range outsideItems(r.Result.Externals, q.Drop) {
		p.price(it)
		if it.c.Pin > 0 || it.section != framework { // a pin has room before the workspace
			items = append(items, it)
		} else {
			outside = append(outside, it)
		}
	}
	if slices.ContainsFunc(r.Result.Externals, func(x retrieve.External) bool { return sectionOf(x.Role) != framework }) { // the cursor is in a dependency
		slices.SortStableFunc(items, func(a, b *item) int { return cmp.Compare(b.c.Relevance, a.c.Relevance) })
	}
	answer := p.fit(p.group(items), p.group(outside)).Answer // without the bundle, which holds every text twice
	return &answer, nil
}

// textFormat returns the format of the text of an answer; that of a JSON answer is plain.
func textFormat(f api.Format) api.Format {
	if f == "" || f == api.JSON {
		return api.Plain
	}
	return f
}

// fit fills, renders and counts until the text fits: while it does not, the plan loses its
// last step, so that the plan of a larger budget always has that of a smaller one. The bare
// wrapper and the empty text are the last resorts.
//
// The declarations outside of the workspace come last, in what is reserved for them.
func (p *pricer) fit(items, outside []*item) *Bundle {
	fr, reserved := p.frame(items), p.reserved(outside)
	fr.room -= reserved
	for round, room := 1, fr.room; room > 0; round++ {
		pl := fill(p, items, room)
		b := p.build(&pl, fr)
		over := p.settle(b) - b.Budget
		if over > 0 && fr.reserve == 0 && len(b.Dependencies) > 0 { // they took what seemed to be left
			b.Dependencies = []api.Dependency{}
			over = p.settle(b) - b.Budget
		}
		if over <= 0 {
			return p.withOutside(b, outside, reserved, pl.cut)
		}
		room = sum(pl.spent[:]) - 1
		if round >= maxRounds { // estimated prices are far off
			room -= over
		}
	}
	pl := newPlan(slices.Concat(items, outside))
	b := p.bundle(&pl)
	if p.settle(b) > b.Budget {
		b.Text, b.Tokens = "", 0
	}
	return b
}

// settle renders b, sets its Text, Tokens and TextLines and returns the tokens. The text
// contains its own number of tokens, so it is rendered until that number is right; with
// encodings that cut digits in threes that is the second time.
func (p *pricer) settle(b *Bundle) int {
	var sources []record.Span
	for range 4 {
		b.Text, sources = p.request.Render(b)
		n := p.counter.Count(b.Text)
		if n == b.Tokens {
			break
		}
		b.Tokens = n
	}
	b.Markup = b.Tokens
	for _, s := range b.Sections {
		b.Markup -= s.Tokens
	}
	line, at := 1, 0
	lineOf := func(offset int) int { // offsets ascend
		line += strings.Count(b.Text[at:offset], "\n")
		at = offset
		return line
	}
	for i, s := range sources {
		b.Sources[i].TextLines = &[2]int{lineOf(s.Start), lineOf(s.End) - 1}
	}
	return b.Tokens
}
