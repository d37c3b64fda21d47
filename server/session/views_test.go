package session_test

import (
	"context"
	"testing"

	"ambit/server/session"
	"ambit/vectors/record"
)

// sinkFunc is a sink that is one function.
type sinkFunc func(ctx context.Context, b *record.Batch) error

func (f sinkFunc) Apply(ctx context.Context, b *record.Batch) error { return f(ctx, b) }

func TestTheViewsGetWhatTheStoreHasThoughTheWorkIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	store := sinkFunc(func(context.Context, *record.Batch) error {
		cancel()
		return nil
	})
	view := sinkFunc(func(ctx context.Context, _ *record.Batch) error {
		n++
		return ctx.Err()
	})
	if err := session.Sinks(store, view, view).Apply(ctx, &record.Batch{}); err != nil {
		t.Errorf("Apply: %v", err)
	}
	if n != 2 {
		t.Errorf("%d views got the batch, want 2", n)
	}
}
