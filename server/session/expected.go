package session

import (
	"context"
	"reflect"

	"ambit/server/api"
)

// expected is the answer to the question that a process was started for, from the index as it
// was when it was loaded.
type expected struct {
	question   api.SearchQuestion
	cancel     context.CancelFunc
	done       chan struct{} // closed when the fields below are set
	generation uint64
	found      *api.Matches // without its freshness; nil when there is no answer
}

// expect begins to answer a question. When that fails, the question is asked again as any other.
func (s *Session) expect(q api.SearchQuestion) *expected {
	ctx, cancel := context.WithCancel(context.Background())
	e := &expected{question: q, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		defer func() {
			if recover() != nil { // the question asked again says why
				e.found = nil
			}
		}()
		if q.Deps { // the answer is not that of the index alone
			return
		}
		v, err := s.source.Snapshot(ctx, s.source.Documents(), nil, nil)
		if err != nil {
			return
		}
		defer v.Release()
		if found, err := s.answers.Search(ctx, v, q, api.Freshness{}); err == nil {
			e.generation, e.found = v.Generation(), found
		}
	}()
	return e
}

// end stops the answer and waits for that.
func (e *expected) end() {
	e.cancel()
	<-e.done
}

// kept returns the expected answer if it is that to q now: if nothing was written to the index
// since, and no file and no document differs from it. It returns nil otherwise. Another question ends it.
func (c *client) kept(ctx context.Context, q *api.SearchQuestion) *api.Matches {
	e := c.expected
	if e == nil {
		return nil
	}
	if !reflect.DeepEqual(e.question, *q) {
		e.end()
		return nil
	}
	dirty := c.scheduler.Dirty(ctx)
	select {
	case <-e.done:
	case <-ctx.Done():
		return nil
	}
	if e.found == nil || e.generation != c.index.Generation() || len(dirty.Paths) > 0 || dirty.Pending > 0 || dirty.Unsure ||
		!c.documents.Empty() || !c.shared.documents.Empty() || c.isDamaged() {
		return nil
	}
	found := *e.found
	found.Freshness = c.scheduler.Freshness(e.generation, dirty, 0)
	return &found
}
