//go:build !linux

package lsp

import "context"

// awaitProcess waits until a process has ended or ctx is done.
func awaitProcess(ctx context.Context, pid int) { pollProcess(ctx, pid) }
