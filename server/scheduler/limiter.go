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

// maxGarbage is how much garbage a process that is not indexing keeps when its heap is large, in
// bytes: 40 % of the heap of a server of a Linux kernel are 340 MB. With 100 MB its questions
// take a fifth more CPU time.
const maxGarbage = 160 << 20

// largeHeap is the size from which on garbage is bounded, in bytes alive.
const largeHeap = 5 * maxGarbage / 2

// Limiter gives answers priority over indexing in one process: indexing waits before
// each file until no answer is being made. The zero value is ready for use, by all
// workspaces of the process. It also sets the garbage collector of the process.
type Limiter struct {
	mu      sync.Mutex // guards all fields below
	answers int
	quiet   chan struct{} // closed when answers falls to 0
	jobs    int           // that index many files
	percent int           // the garbage collector's setting while there is no job
	own     int64         // the limit of memory that the process began with; 0 unless BoundGarbage was called
	limit   int64         // that is set
}

// BoundGarbage has the garbage collector run at percent, as [debug.SetGCPercent] has, or more
// often where that would keep more than 160 MB of garbage. It is for a process that lives as
// long as an editor, and is called once.
func (l *Limiter) BoundGarbage(percent int) {
	debug.SetGCPercent(percent)
	own := debug.SetMemoryLimit(-1)
	l.mu.Lock()
	l.own, l.limit = own, own
	l.mu.Unlock()
	afterGC(l.bound)
}

// bound sets the limit of memory by what is alive. A limit keeps less garbage than a lower
// percentage would: the collector does not go by it alone, what it frees goes back to the
// system as well.
func (l *Limiter) bound() {
	live := liveBytes()
	l.mu.Lock()
	defer l.mu.Unlock()
	limit := l.own
	if l.jobs == 0 && live > largeHeap {
		limit = min(limit, live+maxGarbage)
	}
	if change := limit - l.limit; limit == l.own && change != 0 || change > maxGarbage/8 || change < -maxGarbage/8 {
		l.limit = limit
		debug.SetMemoryLimit(limit)
	}
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
		if l.limit != l.own {
			l.limit = l.own
			debug.SetMemoryLimit(l.own)
		}
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.jobs--; l.jobs == 0 {
			debug.SetGCPercent(l.percent)
		}
	}
}
