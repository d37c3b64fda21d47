package lsp

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// processInterval is how often pollProcess looks.
const processInterval = 5 * time.Second

// pollProcess waits until a process has ended or ctx is done.
func pollProcess(ctx context.Context, pid int) {
	again := time.NewTicker(processInterval)
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
