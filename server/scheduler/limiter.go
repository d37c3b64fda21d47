package scheduler

import (
	"context"
	"sync"
	"time"
)

// maxYield bounds one wait of indexing, so that indexing finishes although a client
// never stops asking.
const maxYield = 50 * time.Millisecond

// Limiter gives answers priority over indexing in one process: indexing waits before
// each file until no answer is being made. The zero value is ready for use, by all
// workspaces of the process.
type Limiter struct {
	mu      sync.Mutex // guards all fields below
	answers int
	quiet   chan struct{} // closed when answers falls to 0
}

// Enter marks the start of an answer. The caller calls leave at its end.
func (l *Limiter) Enter() (leave func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.answers++; l.answers == 1 {
		l.quiet = make(chan struct{})
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.answers--; l.answers == 0 {
			close(l.quiet)
		}
	}
}

// Yield waits until no answer is being made, at most for maxYield.
func (l *Limiter) Yield(ctx context.Context) {
	l.mu.Lock()
	busy, quiet := l.answers > 0, l.quiet
	l.mu.Unlock()
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
