package session

import (
	"context"
	"errors"

	"ambit/indexer/deps"
	"ambit/server/api"
	"ambit/server/snapshot"
	"ambit/vectors/shelf"
	"ambit/vectors/store"
)

// Stored returns the store of a session.
func Stored(s *Session) *store.DB { return s.db }

// Abandon closes the files of a session without saving, as when the process is killed.
func Abandon(s *Session) error { return errors.Join(s.db.Close(), s.dir.Close()) }

// SaveViews stores the views.
func SaveViews(ctx context.Context, s *Session) error { return explain(ctx, s.index.SaveViews(ctx)) }

// Synced waits until the scheduler knows every change made before the call.
func Synced(ctx context.Context, s *Session) {
	for s.scheduler.Dirty(ctx).Unsure && ctx.Err() == nil {
	}
}

// Ask calls f with the snapshot of a question of a client.
func Ask(ctx context.Context, w api.Workspace, f func(*snapshot.Snapshot) error) error {
	_, err := ask(ctx, w.(*client), nil, func(s *snapshot.Snapshot, _ api.Freshness) (any, error) { return nil, f(s) })
	return err
}

// ParsedShelf returns the shelf in a directory for what a build parses.
func ParsedShelf(dir, build string) deps.Shelf {
	return parsedShelf{shelf.Open(dir, 1<<20), build}
}

// Kept reports whether the answer that a session expected is that to a question now.
func Kept(ctx context.Context, w api.Workspace, q api.SearchQuestion) bool {
	return w.(*client).kept(ctx, &q) != nil
}
