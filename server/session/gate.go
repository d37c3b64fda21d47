package session

import (
	"context"
	"sync"
	"time"
)

// maxYield bounds how long indexing stands back at a time, so that it gets done
// beside somebody who never stops asking.
const maxYield = 50 * time.Millisecond

// Gate lets the sessions of one process answer before they index: before each file
// the indexing of all of them waits until no answer is being made. The zero value is
// ready for use.
type Gate struct {
	mu      sync.Mutex // guards all fields below
	answers int
	quiet   chan struct{} // closed when answers falls to 0
}

// enter says that an answer is being made, until the function that it returns is
// called.
func (g *Gate) enter() (leave func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers++; g.answers == 1 {
		g.quiet = make(chan struct{})
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.answers--; g.answers == 0 {
			close(g.quiet)
		}
	}
}

// yield waits until no answer is being made, at most for maxYield.
func (g *Gate) yield(ctx context.Context) {
	g.mu.Lock()
	busy, quiet := g.answers > 0, g.quiet
	g.mu.Unlock()
	if !busy {
		return
	}
	limit := time.NewTimer(maxYield)
	defer limit.Stop()
	select {
	case <-quiet:
	case <-limit.C:
	case <-ctx.Done():
	}
}
