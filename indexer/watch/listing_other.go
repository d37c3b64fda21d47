//go:build !linux

package watch

// listingBuffer is that of the standard library.
type listingBuffer struct{}

// fill lists a directory.
func (l *listing) fill(dir directory, path string) error { return l.readDir(dir, path) }
