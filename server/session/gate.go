package session

import (
	"context"
	"runtime/debug"
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
	jobs    int           // that index many files
	percent int           // of the garbage collector, when no job runs
}

// jobGCPercent holds while many files are indexed in a process that otherwise keeps
// its heap small: most of what indexing takes is garbage soon.
const jobGCPercent = 100

// job says that many files are being indexed, until the function that it returns is
// called: the garbage collector then works less often.
func (g *Gate) job() (end func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.jobs++; g.jobs == 1 {
		g.percent = debug.SetGCPercent(jobGCPercent)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.jobs--; g.jobs == 0 {
			debug.SetGCPercent(g.percent)
		}
	}
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
