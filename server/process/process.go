// Package process knows whether another process runs, whether it is this user's, and
// whether it has hung up.
package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// pollInterval is the time between two checks of Poll, which take 5 µs each. A server is to
// end within 2 s of its client.
const pollInterval = 500 * time.Millisecond

// Poll waits until a process has ended or ctx is done, by checks at intervals. It is for
// systems that report only the end of child processes.
func Poll(ctx context.Context, pid int) {
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	for alive(pid) {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

// alive reports whether a process runs.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
