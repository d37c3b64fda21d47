package attach

import (
	"context"
	"net"
	"time"

	"ambit/server/api"
	"ambit/vectors/record"
)

// DamageWaits returns the waits between n indexes that are damaged one after the other,
// and after one more that lasted an hour.
func DamageWaits(n int) (waits []time.Duration) {
	damages, pause := 0, time.Duration(0)
	for range n {
		damages, pause = damageWait(damages, time.Second)
		waits = append(waits, pause)
	}
	_, pause = damageWait(damages, time.Hour)
	return append(waits, pause)
}

// WireError returns the code of an error on the wire, and the error that arrives.
func WireError(err error) (code int, back error) {
	e := wireError(err)
	return int(e.Code), readError(e)
}

// Methods returns the names of all methods on the wire.
func Methods() (calls, tells []string) {
	for name := range handlers {
		calls = append(calls, name)
	}
	for name := range notifications {
		tells = append(tells, name)
	}
	return calls, tells
}

// Owns reports whether the index of c is this process's own.
func Owns(c *Client) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now != nil && c.now.owner != nil
}

// Calls returns how many calls of attached clients the owner c answers, -1 when c is not
// the owner.
func Calls(c *Client) int {
	c.mu.Lock()
	b := c.now
	c.mu.Unlock()
	if b == nil || b.owner == nil {
		return -1
	}
	b.owner.mu.Lock()
	defer b.owner.mu.Unlock()
	n := 0
	for p := range b.owner.peers {
		p.mu.Lock()
		n += len(p.calls)
		p.mu.Unlock()
	}
	return n
}

// Bounds and names of the package.
const (
	MaxPeers     = maxPeers
	MaxCalls     = maxCalls
	MaxCallBytes = maxCallBytes
	MaxOpenBytes = maxOpenBytes
	MaxOwners    = maxOwners
	Silence      = silence
)

// Attached is a process as its owner sees it, without a connection.
type Attached struct{ *peer }

// NewAttached returns a process whose documents go to w.
func NewAttached(w api.Workspace) Attached {
	return Attached{&peer{client: &local{Workspace: w}, open: map[record.Path]*api.Document{}}}
}

// Open opens a document, or replaces it. An error ends the connection.
func (a Attached) Open(d api.Document) error { return a.setDocument(d) }

// CloseDocument closes a document.
func (a Attached) CloseDocument(path record.Path) error { return a.closeDocument(path) }

// Remote is a connection to an owner.
type Remote struct{ *remote }

// NewRemote returns a connection over conn, after the hello of process 4711.
func NewRemote(conn net.Conn) Remote {
	r := newRemote("/w", conn)
	r.owner.PID = 4711
	return Remote{r}
}

// Search asks the owner.
func (r Remote) Search(ctx context.Context) error {
	call, err := r.start("search", &api.SearchQuestion{}, nil)
	if err == nil {
		_, err = finish[*api.Matches, none](ctx, r.remote, call, false, nil)
	}
	return err
}

// Close ends the connection.
func (r Remote) Close() error { return r.close() }
