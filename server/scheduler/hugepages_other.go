//go:build !linux

package scheduler

// UseHugePages does nothing: only Linux lets a process choose.
func UseHugePages(int) bool { return false }
