package lsp

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// The server compares the answer documents when nothing has changed for refreshQuiet, and
// every refreshWithin while changes go on.
const (
	refreshQuiet  = 300 * time.Millisecond
	refreshWithin = 2 * time.Second
)

// maxShown bounds the answer documents that are compared: a user reads fewer at a time,
// and each costs an answer. The oldest are dropped first.
const maxShown = 16

// shown is an answer document that the client has requested and may still show. It ends
// when the client closes it or is told that it is out of date.
type shown struct {
	uri    string // as the client spells it
	digest [sha256.Size]byte
}

// remember records the text that the client got for an answer document.
func (s *server) remember(r *request, uri, text string) {
	if !s.client.contentScheme {
		return
	}
	s.forgetShown(uri)
	s.mu.Lock()
	s.shown = append(s.shown, shown{uri, sha256.Sum256([]byte(text))})
	s.shown = s.shown[max(0, len(s.shown)-maxShown):]
	s.mu.Unlock()
	if s.changes.Load() != r.changes { // during the answer, which may lack the change
		s.changed()
	}
}

// forgetShown removes an answer document, and reports whether there was one.
func (s *server) forgetShown(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.shown)
	s.shown = slices.DeleteFunc(slices.Clone(s.shown), func(d shown) bool { return d.uri == uri })
	return len(s.shown) < before
}

// changed records that answers may have changed. It is safe for concurrent use.
func (s *server) changed() {
	s.changes.Add(1)
	select {
	case s.stale <- struct{}{}:
	default:
	}
}

// refresh tells the client of each answer document that is out of date, until ctx is
// done.
func (s *server) refresh(ctx context.Context) {
	for s.settled(ctx) {
		s.mu.Lock()
		documents := s.shown
		s.mu.Unlock()
		for _, d := range documents {
			s.guard("refresh", func() {
				if s.outOfDate(ctx, d) && s.forgetShown(d.uri) {
					s.sendRefresh(ctx, d.uri)
				}
			})
		}
	}
}

// settled waits for a change and then for the end of changes. It returns false when ctx
// is done.
func (s *server) settled(ctx context.Context) bool {
	select {
	case <-s.stale:
	case <-ctx.Done():
		return false
	}
	deadline := time.After(refreshWithin)
	for {
		select {
		case <-s.stale:
		case <-time.After(refreshQuiet):
			return true
		case <-deadline:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// outOfDate reports whether a document has another text now, or an error, which the
// client gets when it asks again.
func (s *server) outOfDate(ctx context.Context, d shown) bool {
	asked := make(chan *request, 1)
	s.post(func() { asked <- &request{s: s, view: s.view, own: true} })
	select {
	case r := <-asked:
		defer r.leavePlace()
		text, err := s.document(ctx, r, d.uri)
		return ctx.Err() == nil && (err != nil || sha256.Sum256([]byte(text)) != d.digest)
	case <-ctx.Done():
		return false
	}
}

// sendRefresh tells the client that an answer document is out of date.
func (s *server) sendRefresh(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	params := &protocol.TextDocumentContentRefreshParams{URI: uri.URI(name)}
	if err := s.conn.Call(ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, params, nil); err != nil && ctx.Err() == nil {
		s.log.Info("refresh refused", "uri", name, "reason", err.Error())
	}
}
