//go:build !linux

package watch

import "time"

// device stands for no file system.
type device struct{}

func deviceOf(string) device { return device{} }

// identity says that a directory has none: it is always listed.
func (d directory) identity(device, time.Time) (is identity, ok bool) { return identity{}, false }
