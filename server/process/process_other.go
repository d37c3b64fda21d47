//go:build !linux

package process

import "context"

// Await waits until a process has ended or ctx is done.
func Await(ctx context.Context, pid int) { Poll(ctx, pid) }
