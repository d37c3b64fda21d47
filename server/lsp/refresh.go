package lsp

import (
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// A document of ours is compared with what it would be now when nothing has changed for
// refreshQuiet, so that somebody who types is not followed letter by letter, and while
// changes do not end every refreshWithin.
const (
	refreshQuiet  = 300 * time.Millisecond
	refreshWithin = 2 * time.Second
)

// maxShown bounds the documents of ours that are compared: more than are read at a
// time, while each costs an answer. Of more, the client asked for the others last.
const maxShown = 16

// shown is a document of ours that the client has asked for and may still show. It is
// that until the client closes it or is told that it is out of date: who shows it then
// asks for it again.
type shown struct {
	uri    string // as the client spells it
	digest [sha256.Size]byte
}

// remember notes what the client was given for a document of ours.
func (s *server) remember(r *request, uri, text string) {
	if !s.client.contentScheme {
		return
	}
	s.forgetShown(uri)
	s.mu.Lock()
	s.shown = append(s.shown, shown{uri, sha256.Sum256([]byte(text))})
	s.shown = s.shown[max(0, len(s.shown)-maxShown):]
	s.mu.Unlock()
	if s.moves.Load() != r.moves { // while the answer was made, perhaps unseen by it
		s.moved()
	}
}

// forgetShown forgets a document of ours, and reports whether it was known.
func (s *server) forgetShown(uri string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.shown)
	s.shown = slices.DeleteFunc(slices.Clone(s.shown), func(d shown) bool { return d.uri == uri })
	return len(s.shown) < before
}

// moved says that answers may have become others. It is safe for concurrent use.
func (s *server) moved() {
	s.moves.Add(1)
	select {
	case s.stale <- struct{}{}:
	default:
	}
}

// refresh tells the client of each document of ours that is out of date, for as long
// as the session lasts.
func (s *server) refresh(ctx context.Context) {
	for s.settled(ctx) {
		s.mu.Lock()
		documents := s.shown
		s.mu.Unlock()
		for _, d := range documents {
			s.guard("refresh", func() {
				if s.outOfDate(ctx, d) && s.forgetShown(d.uri) {
					s.tellRefresh(ctx, d.uri)
				}
			})
		}
	}
}

// settled waits until something has changed and nothing goes on changing. It returns
// false when ctx is done.
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

// outOfDate reports whether a document would be another one now. One that cannot be
// made any more is: who asks for it is told why.
func (s *server) outOfDate(ctx context.Context, d shown) bool {
	asked := make(chan *request, 1)
	s.post(func() { asked <- &request{s: s, view: s.view, loose: s.loose, own: true} })
	select {
	case r := <-asked:
		text, err := s.document(ctx, r, d.uri)
		return ctx.Err() == nil && (err != nil || sha256.Sum256([]byte(text)) != d.digest)
	case <-ctx.Done():
		return false
	}
}

// tellRefresh tells the client that a document of ours is out of date.
func (s *server) tellRefresh(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, configurationTimeout)
	defer cancel()
	params := &protocol.TextDocumentContentRefreshParams{URI: uri.URI(name)}
	if err := s.conn.Call(ctx, protocol.MethodWorkspaceTextDocumentContentRefresh, params, nil); err != nil && ctx.Err() == nil {
		s.log.Info("refresh refused", "uri", name, "reason", err.Error())
	}
}
