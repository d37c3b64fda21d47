package attach

import (
	"context"
	"fmt"

	"ambit/server/assemble"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/record"
)

// maxOwners is how many owners may go over one question: one of them may be to blame.
const maxOwners = 3

// ask asks whoever answers, and again when the owner goes before it has or finds its
// index damaged: a question changes nothing, and what indexes may be done twice.
func ask[T any](ctx context.Context, c *Client, question func(backend) (T, error)) (answer T, err error) {
	for range maxOwners {
		var b *backing
		if b, err = c.current(ctx); err != nil {
			return answer, err
		}
		if answer, err = question(b.backend); !b.replaced(ctx, err) {
			return answer, err
		}
	}
	return answer, fmt.Errorf("%d processes that had the index of %s have gone while they were asked this; ask something else, or see their logs", maxOwners, c.root)
}

// budgeted fills in the budget of the client's settings: the owner's are another
// user's choice.
func (c *Client) budgeted(q session.Question) session.Question {
	if q.Budget == 0 {
		set := config.Defaults()
		if c.opts.Session.Settings != nil {
			set = *c.opts.Session.Settings
		}
		q.Budget, q.DocumentsBudget = set.Budget, set.DocumentsBudget
	}
	return q
}

// Context assembles what belongs with a place or a question.
func (c *Client) Context(ctx context.Context, q session.Question) (*assemble.Bundle, error) {
	q = c.budgeted(q)
	return ask(ctx, c, func(b backend) (*assemble.Bundle, error) { return b.Context(ctx, q) })
}

// Search returns the places that answer a question in words, best first.
func (c *Client) Search(ctx context.Context, q session.Search) (session.Found, error) {
	return ask(ctx, c, func(b backend) (session.Found, error) { return b.Search(ctx, q) })
}

// Related returns at most limit units that belong with a place.
func (c *Client) Related(ctx context.Context, at session.Place, limit int) (session.Found, error) {
	return ask(ctx, c, func(b backend) (session.Found, error) { return b.Related(ctx, at, limit) })
}

// Explain returns how a source came by its place in the answer to q.
func (c *Client) Explain(ctx context.Context, q session.Question, t session.Target) (*session.Explanation, error) {
	q = c.budgeted(q)
	return ask(ctx, c, func(b backend) (*session.Explanation, error) { return b.Explain(ctx, q, t) })
}

// Card describes the symbol at a place.
func (c *Client) Card(ctx context.Context, at session.Place) (*session.Card, error) {
	return ask(ctx, c, func(b backend) (*session.Card, error) { return b.Card(ctx, at) })
}

// Chunks returns how a file is cut, and its text.
func (c *Client) Chunks(ctx context.Context, path string) ([]record.Chunk, []byte, error) {
	a, err := ask(ctx, c, func(b backend) (chunksAnswer, error) {
		chunks, content, err := b.Chunks(ctx, path)
		return chunksAnswer{chunks, content}, err
	})
	return a.Chunks, a.Content, err
}

// Pieces returns what [Client.Chunks] does, with places.
func (c *Client) Pieces(ctx context.Context, path string) ([]session.Piece, error) {
	return ask(ctx, c, func(b backend) ([]session.Piece, error) { return b.Pieces(ctx, path) })
}

// Text returns a file as the answers see it.
func (c *Client) Text(ctx context.Context, path string) ([]byte, error) {
	return ask(ctx, c, func(b backend) ([]byte, error) { return b.Text(ctx, path) })
}

// Status looks at the index and the tree.
func (c *Client) Status(ctx context.Context) (session.Status, error) {
	return ask(ctx, c, func(b backend) (session.Status, error) { return b.Status(ctx) })
}

// Stored is Status without Pending.
func (c *Client) Stored(ctx context.Context) (session.Status, error) {
	return ask(ctx, c, func(b backend) (session.Status, error) { return b.Stored(ctx) })
}

// Owner says who owns the index.
func (c *Client) Owner(ctx context.Context) (Owner, error) {
	return ask(ctx, c, func(b backend) (Owner, error) { return b.Owner(ctx) })
}

// SetBuffer puts a buffer in the place of the file of its path, for this client.
func (c *Client) SetBuffer(b *session.Buffer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buffers[b.Path()] = b
	if c.now != nil {
		c.now.SetBuffer(b)
	}
}

// CloseBuffer brings the file on disk back.
func (c *Client) CloseBuffer(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.buffers, path)
	if c.now != nil {
		c.now.CloseBuffer(path)
	}
}

// Changed says that files may have changed on disk. While the index changes hands it
// need not: the next owner looks at the whole tree.
func (c *Client) Changed(paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil {
		c.now.Changed(paths)
	}
}

// Pause stops Run for all clients, until one of them resumes it or this one goes.
func (c *Client) Pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = true
	if c.now != nil {
		c.now.Pause()
	}
}

// Resume lets Run go on.
func (c *Client) Resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paused = false
	if c.now != nil {
		c.now.Resume()
	}
}

// Run keeps the index up to date, as long as any of its clients runs it. observe sees
// the latest state, and may miss states between two. While nobody can be attached to,
// it waits.
func (c *Client) Run(ctx context.Context, observe func(session.State)) error {
	var paused bool
	watch := func(st session.State) {
		if paused && st.Name != session.Paused { // another client has resumed
			c.mu.Lock()
			c.paused = false
			c.mu.Unlock()
		}
		paused = st.Name == session.Paused
		observe(st)
	}
	for {
		b, err := c.current(ctx)
		if err != nil && ctx.Err() == nil {
			observe(session.State{Name: session.Failed, Message: err.Error()})
			b, err = c.coming(ctx)
		}
		if err != nil {
			return err
		}
		paused = false
		if err := b.Run(ctx, watch); !b.replaced(ctx, err) {
			return err
		}
	}
}

// Index brings the index up to the tree. It waits for those who are at it, and shows
// their progress meanwhile.
func (c *Client) Index(ctx context.Context, progress func(session.Progress)) (session.Report, error) {
	c.mu.Lock()
	c.indexed = true
	c.mu.Unlock()
	return ask(ctx, c, func(b backend) (session.Report, error) { return b.Index(ctx, progress) })
}

// Reindex reads files anew.
func (c *Client) Reindex(ctx context.Context, dir string, progress func(session.State)) (int, error) {
	return ask(ctx, c, func(b backend) (int, error) { return b.Reindex(ctx, dir, progress) })
}

// Root returns the absolute path of the workspace, without links.
func (c *Client) Root() string { return c.root }

// Notice returns one line for the user about how the index was opened, "" for none.
func (c *Client) Notice() string { return c.notice }
