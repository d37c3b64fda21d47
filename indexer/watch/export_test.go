package watch

// Root returns the directory that a filter reads, without symbolic links.
func (f *Filter) Root() string { return f.root }

// Source is source.
type Source = source

// SetSource has a watcher open sources by open, which is given what is called with
// the errors of a source.
func (w *Watcher) SetSource(open func(failed func(error)) (Source, error)) { w.open = open }
