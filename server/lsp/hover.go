package lsp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"

	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/vectors/record"
)

// maxHoverLinks bounds each list of a hover, which is read at a glance.
const maxHoverLinks = 5

// documentPosition is a place in a document in the parameters of a request.
type documentPosition struct {
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Position *api.Position `json:"position"`
}

// hover answers with what is worth knowing about the symbol at a place, or with null. It
// does not wait for an index to open.
func (s *server) hover(ctx context.Context, r *request) (any, error) {
	var p documentPosition
	if err := readParams(r.params, &p); err != nil {
		return nil, err
	}
	if p.Position == nil {
		return nil, &api.FieldError{Field: "position", Reason: "give it"}
	}
	d, ok := r.view.docs[p.TextDocument.URI]
	if !ok || !r.view.hover || !d.folder.isOpen() || d.folder.err != nil {
		return nil, nil
	}
	if _, err := offset(d.Text, *p.Position, s.client.encoding); err != nil {
		return nil, nil
	}
	h, err := answering(ctx, r, d.folder, func(ctx context.Context, w api.Workspace) (*api.Hover, error) {
		return w.Hover(ctx, api.HoverQuestion{Place: api.Place{
			TextDocument: api.TextDocument{URI: d.uri, Path: d.Path, Document: d.Document},
			Position:     *p.Position, PositionEncoding: s.client.encoding,
		}})
	})
	if err != nil || h == nil {
		return nil, err
	}
	rename := r.view.renamer(d.folder)
	for _, links := range [][]api.Link{h.Related, h.Tests, h.Documents} {
		for i := range links {
			rename(links[i].Path, &links[i].URI)
		}
	}
	rename(h.Unit.Path, &h.Unit.URI)
	kind := protocol.MarkupKindPlainText
	if s.client.markdown {
		kind = protocol.MarkupKindMarkdown
	}
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: kind, Value: renderHover(h, s.client.markdown)},
		Range:    &protocol.Range{Start: protocolPosition(h.Range.Start), End: protocolPosition(h.Range.End)},
	}, nil
}

func protocolPosition(p api.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}

// renderHover writes the symbol on one line, then what belongs with it.
func renderHover(h *api.Hover, markdown bool) string {
	bold := func(s string) string { return s }
	if markdown {
		bold = func(s string) string { return "**" + s + "**" }
	}
	facts := []string{bold("ambit") + " " + link(h.Unit, markdown)}
	if h.Unit.Kind != "" {
		facts[0] += " (" + label(h.Unit.Kind) + ")"
	}
	switch {
	case h.Dependents == 1:
		facts = append(facts, "1 dependent")
	case h.Dependents > 1:
		facts = append(facts, fmt.Sprintf("%d dependents", h.Dependents))
	}
	if cmp.Or(h.ChangeFrequency, record.Unknown) != record.Unknown {
		facts = append(facts, "changes: "+label(h.ChangeFrequency))
	}
	var b strings.Builder
	b.WriteString(strings.Join(facts, " · ") + "\n")
	list := func(title string, links []api.Link) {
		if len(links) == 0 {
			return
		}
		b.WriteString("\n" + bold(title) + "\n")
		for _, l := range links[:min(len(links), maxHoverLinks)] {
			b.WriteString("- " + link(l, markdown))
			if l.Role != "" {
				b.WriteString(" (" + label(l.Role) + ")")
			}
			b.WriteByte('\n')
		}
		if more := len(links) - maxHoverLinks; more > 0 {
			fmt.Fprintf(&b, "- … %d more\n", more)
		}
	}
	list("Related", h.Related)
	list("Tests", h.Tests)
	list("Documents", h.Documents)
	return b.String()
}

// link names a unit, with a link to its line in Markdown.
func link(l api.Link, markdown bool) string {
	place, uri := label(l.Path), l.URI
	if l.Line > 0 {
		place, uri = fmt.Sprintf("%s:%d", place, l.Line), fmt.Sprintf("%s#L%d", uri, l.Line)
	}
	if !markdown {
		return label(l.Identifier) + " " + place
	}
	uri = strings.NewReplacer("(", "%28", ")", "%29", "<", "%3C", ">", "%3E", " ", "%20").Replace(uri)
	return "[" + code(label(l.Identifier)) + "](" + uri + ")"
}

// code writes any text as code in Markdown.
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

// maxLabelBytes bounds a name that is shown.
const maxLabelBytes = 120

// label returns text of a file as a name to show.
func label[S ~string](text S) string { return oneLine(string(text), maxLabelBytes) }

// oneLine returns text on one line of at most so many bytes, blanks folded.
func oneLine(text string, maxBytes int) string {
	text = text[:min(len(text), 4*maxBytes)]
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	}), " ")
	if len(text) <= maxBytes {
		return strings.ToValidUTF8(text, "")
	}
	return strings.ToValidUTF8(text[:maxBytes-len("…")], "") + "…"
}
