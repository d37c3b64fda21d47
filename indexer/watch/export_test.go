package watch

import (
	"fmt"
	"strings"
)

// Root returns the directory that a filter reads, without symbolic links.
func (f *Filter) Root() string { return f.root }

// Source is source.
type Source = source

// SetSource replaces the function by which a watcher opens sources. The source calls
// failed with its errors.
func (w *Watcher) SetSource(open func(failed func(error)) (Source, error)) { w.open = open }

// List returns the listing of a directory, with paths that begin with path.
func List(dir, path string) ([]string, error) {
	d, err := openDirectory(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	l := listings.Get().(*listing)
	defer listings.Put(l)
	if err := l.read(d, path); err != nil {
		return nil, err
	}
	out := []string{}
	for _, e := range l.entries {
		p := e.path.of(l.paths)
		if !strings.HasPrefix(p, path) {
			return nil, fmt.Errorf("%q does not begin with %q", p, path)
		}
		out = append(out, fmt.Sprint(p, " ", e.isDir, " ", e.isRegular))
	}
	return out, nil
}

// OneReasonEach reports whether each name and each extension is left out for one reason.
func OneReasonEach() bool {
	return len(leftOutNames) == len(secretNames)+len(lockNames) && len(leftOutExts) == len(secretExts)+len(binaryExts)
}
