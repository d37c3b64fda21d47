package attach

import (
	"context"
	"fmt"
	"time"
)

// retryInterval is how often a process that waits for the index tries again: a dial and
// a try for the lock take 50 µs, and the owner listens as soon as it has the lock.
const retryInterval = 10 * time.Millisecond

// failInterval is how often a client without an index tries again when the cause is more
// than a change of hands.
const failInterval = time.Second

// adopt makes b answer from now on, paused if the client has paused the former backing.
func (c *Client) adopt(b *backing) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paused {
		b.Pause()
	}
	c.now, c.err = b, nil
	c.announce()
}

// announce wakes the callers that wait for a backing. The caller holds c.mu.
func (c *Client) announce() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// keep replaces a backing that has ended, until ctx is done.
func (c *Client) keep(ctx context.Context) {
	var damages int // in a row
	for {
		c.mu.Lock()
		b := c.now
		c.mu.Unlock()
		select {
		case <-b.gone:
		case <-ctx.Done():
			return
		}
		c.mu.Lock()
		c.now = nil
		c.announce()
		c.mu.Unlock()
		b.cancel(errGone)
		b.calls.Wait()
		if err := b.close(); err != nil {
			c.log.Debug("detach", "reason", err.Error())
		}
		var pause time.Duration
		switch lasted := time.Since(b.since); {
		case b.owner != nil:
			damages, pause = damageWait(damages, lasted)
			if pause > 0 {
				c.fail(fmt.Errorf("the index of %s was damaged %d times in a row, the next is begun in %v; check the disk or choose another cache directory with XDG_CACHE_HOME",
					c.root, damages, pause))
			}
		case lasted < failInterval:
			pause = retryInterval
		}
		next := c.next(ctx, pause)
		if next == nil {
			return
		}
		c.report(b, next)
		c.catchUp(ctx, next)
		c.adopt(next)
	}
}

// A damaged index is rebuilt at once. On a failing disk the next one is damaged soon
// after, and rebuilding without end would keep a process busy; each further wait is
// twice as long.
const (
	maxDamageWait = time.Minute
	damageCalm    = 10 * time.Minute // an index that lasts longer was sound
)

// damageWait counts an index that was damaged, after n in a row, and returns how long to
// wait before the next one is built.
func damageWait(n int, lasted time.Duration) (int, time.Duration) {
	if lasted > damageCalm {
		n = 0
	}
	if n == 0 {
		return 1, 0
	}
	return n + 1, min(failInterval<<min(n-1, 10), maxDamageWait)
}

// next finds the next backing, after a pause. It returns nil when ctx was done before.
func (c *Client) next(ctx context.Context, pause time.Duration) *backing {
	for wait(ctx, pause) {
		b, err := c.elect(ctx)
		if err == nil {
			return b
		}
		if ctx.Err() == nil {
			c.fail(err)
		}
		pause = failInterval
	}
	return nil
}

// catchUp brings the index up to date if the client has asked for that before.
func (c *Client) catchUp(ctx context.Context, b *backing) {
	c.mu.Lock()
	indexed := c.indexed
	c.mu.Unlock()
	if !indexed {
		return
	}
	b.calls.Add(1)
	if _, lost, err := call(ctx, c, b, "index", index, none{}, nil); err != nil && !lost && ctx.Err() == nil {
		c.log.Warn("index after a change of hands", "reason", err.Error())
	}
}

// fail has the callers return err until there is a backing.
func (c *Client) fail(err error) {
	c.mu.Lock()
	known := c.err != nil && c.err.Error() == err.Error()
	c.err = err
	c.announce()
	c.mu.Unlock()
	if !known {
		c.log.Warn("the index is not available", "reason", err.Error())
	}
}

// report tells the user why a backing was replaced, unless that was the latest line
// already. A process gives up its own index only because the file is damaged.
func (c *Client) report(before, now *backing) {
	note := now.note
	if before.owner != nil && note == "" {
		note = "the index file was damaged; kept beside, building a new index"
	}
	switch {
	case note == "" || note == c.last:
		return
	case c.opts.Notify != nil:
		c.opts.Notify(note)
	default:
		c.log.Warn(note)
	}
	c.last = note
}

// wait waits and reports whether it did so before ctx was done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
