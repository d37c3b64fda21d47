package scheduler

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// maxYield bounds one wait of indexing, so that indexing finishes although a client
// never stops asking.
const maxYield = 50 * time.Millisecond

// jobGCPercent is the garbage collector's setting while many files are indexed in a
// process that otherwise keeps its heap small: most of what indexing allocates is
// garbage soon.
const jobGCPercent = 100

// Limiter gives answers priority over indexing in one process: indexing waits before
// each file until no answer is being made. The zero value is ready for use, by all
// workspaces of the process.
type Limiter struct {
	mu      sync.Mutex // guards all fields below
	answers int
	quiet   chan struct{} // closed when answers falls to 0
	jobs    int           // that index many files
	percent int           // the garbage collector's setting while there is no job
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

// job marks the start of indexing many files: the garbage collector runs less often
// until the caller calls end.
func (l *Limiter) job() (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.jobs++; l.jobs == 1 {
		l.percent = debug.SetGCPercent(jobGCPercent)
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.jobs--; l.jobs == 0 {
			debug.SetGCPercent(l.percent)
		}
	}
}
