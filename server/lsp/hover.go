package lsp

import (
	"context"
	"errors"

	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/server/format"
)

// hover describes the symbol at a place, or answers null. It does not wait for an index
// to open.
func (s *server) hover(ctx context.Context, r *request) (any, error) {
	var q api.HoverQuestion
	if err := api.Decode(r.params, &q); err != nil {
		return nil, err
	}
	d, ok := r.view.docs[q.TextDocument.URI]
	if !ok || !r.view.hover || !d.folder.isOpen() || d.folder.err != nil {
		return nil, nil
	}
	q.TextDocument.Path, q.TextDocument.Document, q.PositionEncoding = d.Path, d.Document, s.client.encoding
	h, err := answering(ctx, r, d.folder, q, api.Workspace.Hover)
	if _, outside := errors.AsType[*api.FieldError](err); outside { // the position is outside of the document
		return nil, nil
	}
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
		Contents: &protocol.MarkupContent{Kind: kind, Value: format.Hover(h, s.client.markdown)},
		Range:    &protocol.Range{Start: protocolPosition(h.Range.Start), End: protocolPosition(h.Range.End)},
	}, nil
}

func protocolPosition(p api.Position) protocol.Position {
	return protocol.Position{Line: uint32(p.Line), Character: uint32(p.Character)}
}
