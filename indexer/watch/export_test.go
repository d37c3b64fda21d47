package watch

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// Root returns the directory that a filter reads, without symbolic links.
func (f *Filter) Root() string { return f.root }

// SetSettledAfter replaces the time after which a directory counts as settled.
func (f *Filter) SetSettledAfter(d time.Duration) { f.settledAfter = d }

// Listed scans the tree and returns its files, and the directories that the scan listed.
func Listed(ctx context.Context, f *Filter) (files []Entry, dirs []string, err error) {
	top, err := newScan(ctx, f).root(ctx)
	if err != nil {
		return nil, nil, err
	}
	var walk func(d *folder)
	walk = func(d *folder) {
		if d.listed {
			dirs = append(dirs, d.place.path)
		}
		for _, sub := range d.folders {
			walk(sub)
		}
	}
	walk(top)
	return top.entries(), dirs, nil
}

// SetMaxMemory replaces the bound of what scans remember, until the test has ended.
func SetMaxMemory(t testing.TB, n int) {
	before := maxMemory
	maxMemory = n
	t.Cleanup(func() { maxMemory = before })
}

// RemembersOn reports whether scans of the file system of dir remember directories.
func RemembersOn(dir string) bool { return deviceOf(dir) != device{} }

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

// LostInCapitals returns the names and endings that are no longer left out for their reason
// when they are written in capitals, or behind another name.
func LostInCapitals() (lost []string) {
	for name, why := range leftOutNames {
		if leftOutByName(strings.ToUpper(name), false) != why {
			lost = append(lost, name)
		}
	}
	for ext, why := range leftOutExts {
		for _, name := range []string{"a" + ext, "A.b" + strings.ToUpper(ext)} {
			if leftOutByName(name, false) != why {
				lost = append(lost, name)
			}
		}
	}
	return lost
}
