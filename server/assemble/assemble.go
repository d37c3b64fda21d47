// Package assemble turns ranked candidates into an answer within a token budget.
//
// It decides which sections an answer has, the share of the budget each may take,
// how far a unit is reduced before it is left out, and says for each item why it
// is there and how much of it is missing.
//
// The finished text, mark-up included, never exceeds the budget: token counts do
// not add up over a concatenation, so parts are priced one by one to choose among
// them and the text as rendered is counted before it is returned. A unit appears
// once. What was asked for is never stale text: it is read through [Texts].
//
// The package never searches, never writes, knows no style and keeps nothing
// between two calls.
package assemble

import (
	"context"
	"fmt"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// maxRounds bounds how often an answer that came out too long is chosen again.
// Prices are exact up to the seams between parts, so a second round is rare.
const maxRounds = 8

// Texts reads the files of one request. An overlay over *store.DB satisfies it.
type Texts interface {
	// Content returns exactly the bytes that the spans of the candidates refer to,
	// with secrets masked. The caller does not change them.
	Content(ctx context.Context, path record.Path) ([]byte, error)
}

// Counter counts tokens in one encoding. *tokens.Counter satisfies it.
type Counter interface {
	Count(text string) int
}

// Cost is how a bundle will be spelled. The tokens of that spelling are what the
// bundle costs, so the budget holds for the text as rendered.
type Cost struct {
	Format string               // the name of the style, "xml"
	Style  string               // names Render to another process, see package attach; "" for one that has no name
	Render func(*Bundle) string // deterministic; a bundle without sources gives the bare wrapper
}

// Request is one question with its ranked candidates.
type Request struct {
	Result    retrieve.Result
	Root      string // absolute path of the workspace, for URIs
	Budget    int    // tokens, at least 1
	Encoding  string // the name of the counter's encoding, only echoed
	Cost      Cost
	Context   ContextMode
	Freshness Freshness
	Dropped   []record.ChunkID // candidates that are not shown
	Omitted   []Omission       // what is listed before the candidates that are not shown
}

// Assemble chooses what to show of the candidates, reads it and renders it. The
// bundle's Text holds at most r.Budget tokens; when not even the bare wrapper
// fits, Text is empty. Every candidate is in Sources or in Omitted.
//
// A pinned candidate is given room before all others: whole if the budget allows,
// else reduced, also when its lines are shown in another one. One whose id is in
// r.Dropped is never a source; its lines may be shown in the unit around it.
//
// It returns [ErrBudget] for a budget below 1 and the cause of a cancelled ctx. A
// file that cannot be read costs its candidates, not the answer. It is safe for
// concurrent use when texts and counter are.
func Assemble(ctx context.Context, texts Texts, counter Counter, r Request) (*Bundle, error) {
	if r.Budget < 1 {
		return nil, fmt.Errorf("budget %d: %w", r.Budget, ErrBudget)
	}
	p := pricer{counter: counter, cost: r.Cost, blank: Bundle{
		Query:     r.Result.Query,
		Format:    r.Cost.Format,
		Tokens:    r.Budget,
		Budget:    r.Budget,
		Encoding:  r.Encoding,
		Scope:     r.Result.Scope,
		Context:   r.Context,
		Root:      r.Root,
		Freshness: r.Freshness,
		Omitted:   r.Omitted,
	}}
	if r.Result.Symbol != nil {
		p.blank.Symbol = newSymbol(r.Result.Symbol)
	}
	p.wrapper = counter.Count(r.Cost.Render(&p.blank))

	switch r.Context {
	case ContextNone:
		r.Result.Structure, r.Result.Dependencies = nil, nil
	case ContextMinimal:
		r.Result.Dependencies = nil
	}
	items, err := collect(ctx, texts, collapse(r.Result.Candidates, r.Dropped), r.Dropped)
	if err != nil {
		return nil, err
	}
	for _, it := range items {
		p.price(it)
	}
	return p.fit(items, &r.Result), nil
}

// fit fills, renders and counts until the text holds. The limit falls with every
// round by what the last text had too much; the bare wrapper and the empty text
// are the last resorts.
func (p *pricer) fit(items []*item, r *retrieve.Result) *Bundle {
	limit := p.blank.Budget - p.wrapper
	for range maxRounds {
		if limit <= 0 {
			break
		}
		b := p.build(items, r, limit)
		over := p.settle(b) - b.Budget
		if over <= 0 {
			return b
		}
		limit -= over
	}
	b := p.bundle(items, make([]int, len(items)), plan{})
	if p.settle(b) > b.Budget {
		b.Text, b.Tokens = "", 0
	}
	return b
}

// settle renders b, sets its Text and Tokens and returns the latter. The text
// names its own number of tokens, so it is rendered until the number it names is
// the number it has; with encodings that cut digits in threes that is the second time.
func (p *pricer) settle(b *Bundle) int {
	for range 4 {
		b.Text = p.cost.Render(b)
		n := p.counter.Count(b.Text)
		if n == b.Tokens {
			break
		}
		b.Tokens = n
	}
	return b.Tokens
}
