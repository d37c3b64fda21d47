package watch

import "fmt"

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
		if e.path != path+e.name {
			return nil, fmt.Errorf("%q is not %q and %q", e.path, path, e.name)
		}
		out = append(out, fmt.Sprint(e.path, " ", e.isDir, " ", e.isRegular))
	}
	return out, nil
}
