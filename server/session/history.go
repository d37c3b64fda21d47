package session

import (
	"context"
	"sync"

	"ambit/indexer/githist"
	"ambit/vectors/record"
)

// history reads the history of the repository from git beside the jobs, however long git
// takes: no job waits for it.
type history struct {
	s      *Session
	ctx    context.Context // ends with the session
	cancel context.CancelFunc

	mu      sync.Mutex // guards all fields below
	reading *reading   // the latest, until its result is fetched; nil for none
	began   bool       // whether there was one
}

// reading is one run of git.
type reading struct {
	done   chan struct{} // closed at the end
	result *record.History
}

func newHistory(s *Session) *history {
	h := &history{s: s}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// Refresh implements [pipeline.History].
func (h *history) Refresh() *record.History {
	h.mu.Lock()
	defer h.mu.Unlock()
	var result *record.History
	head, stored := githist.Head(h.s.root), h.s.index.History()
	outdated := head != stored.Head() || stored.Failed() && !h.began
	if r := h.reading; r != nil {
		select {
		case <-r.done:
			if result, h.reading = r.result, nil; result != nil {
				outdated = head != result.Head
			}
		default:
			return nil
		}
	}
	if outdated && h.ctx.Err() == nil {
		h.begin()
	}
	return result
}

// begin starts git. The caller holds h.mu.
func (h *history) begin() {
	r := &reading{done: make(chan struct{})}
	h.reading, h.began = r, true
	go func() {
		result, err := githist.Read(h.ctx, h.s.root)
		if err == nil { // otherwise the session closes
			r.result = &result
		}
		close(r.done)
		h.s.scheduler.HistoryRead()
	}()
}

// Reading returns a channel that is closed when git has ended, nil when it is not running.
func (h *history) Reading() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.reading == nil {
		return nil
	}
	return h.reading.done
}

// close ends git.
func (h *history) close() {
	h.cancel()
	if done := h.Reading(); done != nil {
		<-done
	}
}

// headMoved reports whether HEAD is not the commit whose history the index has.
func (s *Session) headMoved() bool { return githist.Head(s.root) != s.index.History().Head() }
