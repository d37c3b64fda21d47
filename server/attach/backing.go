package attach

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"ambit/server/api"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// backing answers the calls of a client: the index of this process, or a connection to
// its owner.
type backing struct {
	receiver         // owner.client or remote
	owner    *owner  // nil when another process owns the index
	remote   *remote // nil when this one does
	close    func() error
	gone     <-chan struct{} // closed when the connection has ended or the index is damaged
	since    time.Time
	note     string                        // one line for the user, or ""
	sent     map[record.Path]*api.Document // the documents that receiver has; guarded by the client's mutex

	calls  sync.WaitGroup  // under way
	ctx    context.Context // of the calls; ends with errGone before the backing is closed
	cancel context.CancelCauseFunc
}

// receiver takes the calls of [api.Workspace] that have no answer.
type receiver interface {
	setDocument(d *api.Document) error
	closeDocument(path record.Path) error
	Changed(paths []record.Path)
	Pause()
	Resume()
}

// setDocuments makes these the documents that the receiver has.
func (b *backing) setDocuments(documents map[record.Path]*api.Document) error {
	for path := range b.sent {
		if documents[path] == nil {
			if err := b.closeDocument(path); err != nil {
				return err
			}
			delete(b.sent, path)
		}
	}
	for path, d := range documents {
		if b.sent[path] != d {
			if err := b.setDocument(d); err != nil {
				return err
			}
			b.sent[path] = d
		}
	}
	return nil
}

// ended reports whether another backing is about to take the place of b.
func (b *backing) ended() bool {
	select {
	case <-b.gone:
		return true
	default:
		return false
	}
}

// elect attaches to the owner or becomes it. It waits while the index changes hands, at
// most for the lock timeout.
func (c *Client) elect(ctx context.Context) (*backing, error) {
	limit := time.Now().Add(c.opts.LockTimeout)
	for {
		b, err := c.try(ctx)
		switch {
		case err == nil:
			b.since, b.sent = time.Now(), map[record.Path]*api.Document{}
			b.ctx, b.cancel = context.WithCancelCause(context.Background())
			return b, nil
		case !errors.Is(err, workspace.ErrLocked):
			return nil, err
		case time.Now().After(limit):
			return nil, c.inUse()
		case !wait(ctx, retryInterval):
			return nil, context.Cause(ctx)
		}
	}
}

// try tries once. It returns [workspace.ErrLocked] when there is an owner that does not
// answer.
func (c *Client) try(ctx context.Context) (*backing, error) {
	r, err := c.dial(ctx)
	if err == nil {
		return &backing{receiver: r, remote: r, close: r.close, gone: r.gone, note: c.differences(r.owner)}, nil
	}
	if !errors.Is(err, workspace.ErrLocked) {
		return nil, err
	}
	lock, err := workspace.TakeLock(c.dir)
	if err != nil {
		return nil, err
	}
	o, err := c.own(ctx, lock)
	if err != nil {
		return nil, err
	}
	return &backing{receiver: o.client, owner: o, close: o.close, gone: o.index.Damaged(), note: o.index.Notice()}, nil
}

// inUse returns the error of a process that has waited too long for the owner.
func (c *Client) inUse() error {
	name := "another ambit process"
	if pid, _ := workspace.Owner(c.dir); pid != 0 {
		name = fmt.Sprintf("process %d", pid)
	}
	return fmt.Errorf("open the index of %s: %s has it and does not answer; wait until it is done, or end it", c.root, name)
}
