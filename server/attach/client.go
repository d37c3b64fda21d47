package attach

import (
	"context"
	"errors"
	"fmt"

	"ambit/server/api"
	"ambit/server/rpc"
	"ambit/vectors/record"
)

// maxOwners bounds how many owners a question is sent to: the question itself may end
// them.
const maxOwners = 3

// enter returns the backing for a [call], which it counts, as soon as there is one. Unless
// patient, it returns the reason when that takes long.
func (c *Client) enter(ctx context.Context, patient bool) (*backing, error) {
	for {
		c.mu.Lock()
		b, err, changed := c.now, c.err, c.changed
		if b != nil && !b.ended() {
			b.calls.Add(1)
			c.mu.Unlock()
			return b, nil
		}
		c.mu.Unlock()
		if b == nil && err != nil && !patient {
			return nil, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// call makes a call with a backing that was entered: with do, or with the method of
// that name when another process owns the index. Lost reports that the backing has ended
// and the error is not an answer.
func call[Q, P, A any](ctx context.Context, c *Client, b *backing, name string, do func(api.Workspace, context.Context, Q, func(P)) (A, error), q Q, report func(P)) (answer A, lost bool, err error) {
	defer b.calls.Done()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.ctx, func() { cancel(errGone) })()
	started, err := c.start(b, name, &q)
	switch {
	case err != nil:
	case started != nil:
		answer, err = finish[A](inner, b.remote, started, name == "run", report)
	default:
		answer, err = do(b.owner.client, inner, q, report)
	}
	if errors.Is(err, api.ErrDamaged) { // the owner gives the index up
		select {
		case <-b.gone:
		case <-ctx.Done():
		}
	}
	return answer, err != nil && ctx.Err() == nil && b.ended(), err
}

// start hands over the documents that have changed since the last call: an editor tells
// of every key, and questions are rarer. It then sends the question, a pointer that it may
// change, when another process owns the index.
func (c *Client) start(b *backing, name string, question any) (*rpc.Call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := b.setDocuments(c.documents)
	if b.remote == nil {
		return nil, err
	}
	var started *rpc.Call
	if err == nil {
		started, err = b.remote.start(name, question, b.sent)
	}
	return started, b.remote.explain(err)
}

// work makes a call, and makes it again with the next backing when one ends before it
// has answered: a question changes nothing, and indexing may be done twice. A call that is
// cancelled already is not started.
func work[Q, P, A any](ctx context.Context, c *Client, name string, do func(api.Workspace, context.Context, Q, func(P)) (A, error), q Q, report func(P)) (answer A, err error) {
	for range maxOwners {
		if ctx.Err() != nil {
			return answer, context.Cause(ctx)
		}
		b, err := c.enter(ctx, false)
		if err != nil {
			return answer, err
		}
		if answer, lost, err := call(ctx, c, b, name, do, q, report); !lost {
			return answer, err
		}
	}
	return answer, fmt.Errorf("%d processes that owned the index of %s have ended during this question; ask something else, or see their logs", maxOwners, c.root)
}

// ask is work for a question.
func ask[Q, A any](ctx context.Context, c *Client, name string, do func(api.Workspace, context.Context, Q) (A, error), q Q) (A, error) {
	return work(ctx, c, name, silently(do), q, nil)
}

// silently returns a method that reports nothing.
func silently[Q, A any](do func(api.Workspace, context.Context, Q) (A, error)) func(api.Workspace, context.Context, Q, func(none)) (A, error) {
	return func(w api.Workspace, ctx context.Context, q Q, _ func(none)) (A, error) { return do(w, ctx, q) }
}

// run, index and catchUp have the form of the other methods.
func run(w api.Workspace, ctx context.Context, _ none, observe func(api.State)) (none, error) {
	return none{}, w.Run(ctx, observe)
}

func index(w api.Workspace, ctx context.Context, _ none, report func(api.Progress)) (api.Report, error) {
	return w.Index(ctx, report)
}

func catchUp(w api.Workspace, ctx context.Context, _ none, report func(api.Progress)) (api.Report, error) {
	return w.CatchUp(ctx, report)
}

// Context implements [api.Answers].
func (c *Client) Context(ctx context.Context, q api.Question) (*api.Answer, error) {
	c.setBudget(&q)
	return ask(ctx, c, "context", api.Workspace.Context, q)
}

// setBudget gives a question the client's budget, as the owner may have another user's
// choice.
func (c *Client) setBudget(q *api.Question) {
	if q.Budget == 0 {
		q.Budget, q.DocumentsBudget = c.opts.Budget, c.opts.DocumentsBudget
	}
}

// Search implements [api.Answers].
func (c *Client) Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error) {
	return ask(ctx, c, "search", api.Workspace.Search, q)
}

// Related implements [api.Answers].
func (c *Client) Related(ctx context.Context, q api.RelatedQuestion) (*api.Matches, error) {
	return ask(ctx, c, "related", api.Workspace.Related, q)
}

// Explain implements [api.Answers].
func (c *Client) Explain(ctx context.Context, q api.ExplainQuestion) (*api.Explanation, error) {
	c.setBudget(&q.Question)
	return ask(ctx, c, "explain", api.Workspace.Explain, q)
}

// Read implements [api.Answers].
func (c *Client) Read(ctx context.Context, q api.ReadQuestion) (*api.UnitText, error) {
	return ask(ctx, c, "read", api.Workspace.Read, q)
}

// SourceText implements [api.Answers].
func (c *Client) SourceText(ctx context.Context, q api.SourceTextQuestion) (*api.SourceText, error) {
	return ask(ctx, c, "sourceText", api.Workspace.SourceText, q)
}

// Impact implements [api.Answers].
func (c *Client) Impact(ctx context.Context, q api.ImpactQuestion) (*api.Impact, error) {
	return ask(ctx, c, "impact", api.Workspace.Impact, q)
}

// Hover implements [api.Answers].
func (c *Client) Hover(ctx context.Context, q api.HoverQuestion) (*api.Hover, error) {
	return ask(ctx, c, "hover", api.Workspace.Hover, q)
}

// Chunks implements [api.Answers].
func (c *Client) Chunks(ctx context.Context, q api.ChunksQuestion) (*api.Chunks, error) {
	return ask(ctx, c, "chunks", api.Workspace.Chunks, q)
}

// ChunkStats implements [api.Answers].
func (c *Client) ChunkStats(ctx context.Context, q api.ChunkStatsQuestion) (*api.ChunkStats, error) {
	return ask(ctx, c, "chunkStats", api.Workspace.ChunkStats, q)
}

// Status implements [api.Answers].
func (c *Client) Status(ctx context.Context, q api.StatusQuestion) (*api.Status, error) {
	return ask(ctx, c, "status", api.Workspace.Status, q)
}

// SetDocument implements [api.Documents]. The next call hands the document over.
func (c *Client) SetDocument(d *api.Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.documents[d.Path] = d
}

// CloseDocument implements [api.Documents].
func (c *Client) CloseDocument(path record.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.documents, path)
}

// Changed implements [api.Documents]. While the index changes hands it does nothing: the
// next owner looks at the whole tree.
func (c *Client) Changed(paths []record.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil {
		c.now.Changed(paths)
	}
}

// Run implements [api.Indexing]. In an attached process observe may miss states. While no
// index is available, Run waits for one.
func (c *Client) Run(ctx context.Context, observe func(api.State)) error {
	paused := false
	watch := func(st api.State) {
		if paused && st.State != api.StatePaused { // another client has resumed
			c.setPaused(false, nil)
		}
		paused = st.State == api.StatePaused
		observe(st)
	}
	for {
		b, err := c.enter(ctx, false)
		if err != nil && ctx.Err() == nil {
			observe(api.State{State: api.StateFailed, Message: err.Error()})
			b, err = c.enter(ctx, true)
		}
		if err != nil {
			return err
		}
		paused = false
		_, lost, err := call(ctx, c, b, "run", run, none{}, watch)
		if !lost {
			return err
		}
	}
}

// Index implements [api.Indexing].
func (c *Client) Index(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	c.willBeIndexed()
	return work(ctx, c, "index", index, none{}, progress)
}

// CatchUp implements [api.Indexing].
func (c *Client) CatchUp(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	c.willBeIndexed()
	return work(ctx, c, "catchUp", catchUp, none{}, progress)
}

// willBeIndexed notes that the client asks for an index that is up to date.
func (c *Client) willBeIndexed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.indexed = true
}

// Reindex implements [api.Indexing].
func (c *Client) Reindex(ctx context.Context, q api.ReindexQuestion, progress func(api.Progress)) (api.Reindexed, error) {
	return work(ctx, c, "reindex", api.Workspace.Reindex, q, progress)
}

// Pause implements [api.Indexing].
func (c *Client) Pause() { c.setPaused(true, receiver.Pause) }

// Resume implements [api.Indexing].
func (c *Client) Resume() { c.setPaused(false, receiver.Resume) }

// setPaused notes whether the client has paused, and calls tell, unless nil, with the
// backing.
func (c *Client) setPaused(paused bool, tell func(receiver)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = paused
	if c.now != nil && tell != nil {
		tell(c.now)
	}
}

// Root implements [api.Workspace].
func (c *Client) Root() string { return c.root }

// Notice implements [api.Workspace].
func (c *Client) Notice() string { return c.notice }
