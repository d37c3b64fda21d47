package session_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/session"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// testPatience is the time that the questions of tests wait for earlier changes. On a
// busy machine, events arrive later than a user would wait.
const testPatience = time.Minute

// opened is a session with one client.
type opened struct {
	api.Workspace // the client
	session       *session.Session
	closed        bool
}

// openSession opens a session. Its questions wait for testPatience unless o sets Patience.
func openSession(ctx context.Context, dir string, o session.Options) (*opened, error) {
	o.Patience = cmp.Or(o.Patience, testPatience)
	s, err := session.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &opened{Workspace: s.NewClient(), session: s}, nil
}

// Notice returns the notice of the session.
func (o *opened) Notice() string { return o.session.Notice() }

// Damaged returns the channel of the session.
func (o *opened) Damaged() <-chan struct{} { return o.session.Damaged() }

// Close closes the client and the session, once. It returns an error when a question has
// not released its snapshot.
func (o *opened) Close() (err error) {
	if o.closed {
		return nil
	}
	o.closed = true
	if stats, statsErr := storetest.Stats(context.Background(), session.Stored(o.session)); statsErr == nil && stats.Readers != 1 {
		err = fmt.Errorf("%d snapshots are not released", stats.Readers-1)
	}
	return errors.Join(err, o.Workspace.Close(), o.session.Close())
}

// next returns another client of the session.
func (o *opened) next() *opened { return &opened{Workspace: o.session.NewClient(), session: o.session} }

// at returns a question about a line and a byte in it, both counted from 1.
func at[P ~string](path P, line, column int) api.Question {
	return api.Question{
		TextDocument:     &api.TextDocument{Path: record.Path(path)},
		Position:         &api.Position{Line: line - 1, Character: column - 1},
		PositionEncoding: api.UTF8,
		Strict:           true,
	}
}

// atOffset returns a question about a byte of a file.
func atOffset(path record.Path, text string, offset int) api.Question {
	p := location.Position([]byte(text), offset, api.UTF8)
	return at(path, p.Line+1, p.Character+1)
}

// placeOf returns the place of a question.
func placeOf(t *testing.T, q api.Question) api.Place {
	t.Helper()
	p, ok := q.Place()
	if !ok {
		t.Fatal("the question is not about a place")
	}
	return p
}

// document returns an open document.
func document[P ~string](path P, language, text string) *api.Document {
	return &api.Document{Path: record.Path(path), Language: language, Text: text}
}

// chunksOf returns a question for the chunks of a file.
func chunksOf[P ~string](path P) api.ChunksQuestion {
	return api.ChunksQuestion{TextDocument: api.TextDocument{Path: record.Path(path)}, PositionEncoding: api.UTF8}
}
