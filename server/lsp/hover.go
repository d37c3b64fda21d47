package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/server/format"
)

// hover describes the symbol at a place, or answers null, also when no unit is related to
// the symbol. It does not wait for an index to open.
func (s *server) hover(ctx context.Context, r *request) (any, error) {
	var q api.HoverQuestion
	if err := api.Decode(r.params, &q); err != nil {
		return nil, err
	}
	if !r.view.hover {
		return nil, nil
	}
	h, err := s.symbolAt(ctx, r, q.Place, false)
	if err != nil || h == nil || h.Dependents == 0 && len(h.Related)+len(h.Tests)+len(h.Documents) == 0 {
		return nil, err
	}
	rename := r.view.renamer(r.view.docs[q.TextDocument.URI].folder)
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
		Contents: &protocol.MarkupContent{Kind: kind, Value: format.Hover(h, s.client.markdown)},
		Range:    &protocol.Range{Start: protocolPosition(h.Range.Start), End: protocolPosition(h.Range.End)},
	}, nil
}

// symbolAt describes the symbol at a place of an open document. It returns nil when there is
// none, when the place is outside of the document and, unless it may wait, while the index
// of the folder opens.
func (s *server) symbolAt(ctx context.Context, r *request, at api.Place, wait bool) (*api.Hover, error) {
	d, ok := r.view.docs[at.TextDocument.URI]
	if !ok || !wait && !d.folder.isOpen() || d.folder.isOpen() && d.folder.err != nil {
		return nil, nil
	}
	at.TextDocument.Path, at.TextDocument.Document, at.PositionEncoding = d.Path, d.Document, s.client.encoding
	h, err := answering(ctx, r, d.folder, api.HoverQuestion{Place: at}, api.Workspace.Hover)
	if _, outside := errors.AsType[*api.FieldError](err); outside {
		return nil, nil
	}
	return h, err
}

func protocolPosition(p api.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
