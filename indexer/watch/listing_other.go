//go:build !linux

package watch

// listingBuffers are those of the standard library.
type listingBuffers struct{}

// fill lists a directory.
func (l *listing) fill(dir directory, path string) error { return l.readDir(dir, path) }
