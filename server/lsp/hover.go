package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"ambit/server/assemble"
)

// maxCardLinks bounds each list of a card: a hover is read at a glance.
const maxCardLinks = 5

// documentPosition is a place in a document, as hover and code action name it.
type documentPosition struct {
	TextDocument struct{ URI string }
	Position     json.RawMessage
}

// hover answers with a card for the symbol at a place, or with nothing rather than
// something useless.
func (s *server) hover(ctx context.Context, r *request) (any, error) {
	var p documentPosition
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	at, err := readPosition(p.Position)
	if err != nil {
		return nil, invalid("position", "%v", err)
	}
	d, ok := r.view.docs[p.TextDocument.URI]
	if !ok || !r.view.hover {
		return nil, nil
	}
	select {
	case <-d.folder.opened: // a hover is not worth waiting for
	default:
		return nil, nil
	}
	offset, err := positionOffset(d.buffer.Text, at, s.client.encoding)
	if err != nil || d.folder.err != nil {
		return nil, nil
	}
	card, err := answering(ctx, r, d.folder, func(ctx context.Context, w Workspace) (*Card, error) {
		return w.Card(ctx, Place{d.buffer.Path, offset, d.buffer})
	})
	if err != nil || card == nil {
		return nil, err
	}
	kind := protocol.MarkupKindPlainText
	if s.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: kind, Value: renderCard(card, r.view.uris(d.folder), s.client.markdown)},
		Range:    s.span(d.buffer.Text, card.Start, card.End),
	}, nil
}

// span returns the range of bytes of a text; nil when they are none of it.
func (s *server) span(text []byte, start, end int) *protocol.Range {
	if start < 0 || end < start || end > len(text) {
		return nil
	}
	from, to := offsetPosition(text, start, s.client.encoding), offsetPosition(text, end, s.client.encoding)
	return &protocol.Range{
		Start: protocol.Position{Line: uint32(from.line), Character: uint32(from.character)},
		End:   protocol.Position{Line: uint32(to.line), Character: uint32(to.character)},
	}
}

// renderCard spells a card: what the symbol is on one line, then what belongs with it.
func renderCard(c *Card, uriOf func(string) string, markdown bool) string {
	var b strings.Builder
	bold := func(s string) string { return s }
	if markdown {
		bold = func(s string) string { return "**" + s + "**" }
	}
	facts := []string{bold("ambit") + " " + link(c.Unit, uriOf, markdown)}
	if c.Unit.Kind != "" {
		facts[0] += " (" + assemble.OneLine(c.Unit.Kind, maxLabel) + ")"
	}
	switch {
	case c.Dependents == 1:
		facts = append(facts, "1 dependent")
	case c.Dependents > 1:
		facts = append(facts, fmt.Sprintf("%d dependents", c.Dependents))
	}
	if c.Frequency != "" {
		facts = append(facts, "changes: "+assemble.OneLine(c.Frequency, maxLabel))
	}
	b.WriteString(strings.Join(facts, " · ") + "\n")
	list := func(title string, links []Link) {
		if len(links) == 0 {
			return
		}
		b.WriteString("\n" + bold(title) + "\n")
		for _, l := range links[:min(len(links), maxCardLinks)] {
			b.WriteString("- " + link(l, uriOf, markdown))
			if l.Role != "" {
				b.WriteString(" (" + assemble.OneLine(l.Role, maxLabel) + ")")
			}
			b.WriteByte('\n')
		}
		if more := len(links) - maxCardLinks; more > 0 {
			fmt.Fprintf(&b, "- … %d more\n", more)
		}
	}
	list("Related", c.Related)
	list("Tests", c.Tests)
	list("Documents", c.Documents)
	return b.String()
}

// maxLabel bounds a label in bytes.
const maxLabel = 120

// link names a unit, with a link to its line where the client shows one.
func link(l Link, uriOf func(string) string, markdown bool) string {
	name := assemble.OneLine(l.Identifier, maxLabel)
	place := assemble.OneLine(l.Path, maxLabel)
	if l.Line > 0 {
		place += fmt.Sprintf(":%d", l.Line)
	}
	if !markdown {
		return name + " " + place
	}
	uri := uriOf(l.Path)
	if l.Line > 0 {
		uri += fmt.Sprintf("#L%d", l.Line)
	}
	uri = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20").Replace(uri)
	return "[" + code(name) + "](" + uri + ")"
}

// code spells text as code, whatever it holds.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 || text == "" {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
