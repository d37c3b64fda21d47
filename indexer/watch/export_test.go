package watch

// Root returns the directory that a filter reads, without symbolic links.
func (f *Filter) Root() string { return f.root }

// Source is source.
type Source = source

// SetSource replaces the function by which a watcher opens sources. The source calls
// failed with its errors.
func (w *Watcher) SetSource(open func(failed func(error)) (Source, error)) { w.open = open }
