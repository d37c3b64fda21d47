// Package process knows whether another process runs and whether it is this user's.
package process

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// pollInterval is the time between two checks of Poll.
const pollInterval = 5 * time.Second

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
