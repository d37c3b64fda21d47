package watch

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/gitignore"
)

// Ignored is what one rule keeps out of the list of [Scan].
type Ignored struct {
	Rule    string // ".gitignore:3: *.log", relative to the root for a file below it, or a reason in words
	Files   int    // ignored one by one
	Dirs    int    // ignored whole; the files in them are not counted
	Example string // the first of these files and directories by path, relative to the root; a directory ends in "/"
}

// ScanIgnored walks the tree as [Scan] does and returns what the rules ignore, the rule with
// the most files and directories first. Version control's own directories are not listed.
// The errors are those of Scan.
func ScanIgnored(ctx context.Context, f *Filter) ([]Ignored, error) {
	var mu sync.Mutex
	byRule := map[string]*Ignored{}
	s := newScan(ctx, f)
	s.refused = func(d *place, name string, isDir bool) {
		rule := f.refusal(d, name, isDir)
		if rule == "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		x := byRule[rule]
		if x == nil {
			x = &Ignored{Rule: rule}
			byRule[rule] = x
		}
		example := d.path + name
		if isDir {
			x.Dirs++
			example += "/"
		} else {
			x.Files++
		}
		if x.Example == "" || example < x.Example {
			x.Example = example
		}
	}
	if _, err := s.root(ctx); err != nil {
		return nil, err
	}
	all := make([]Ignored, 0, len(byRule))
	for _, x := range byRule {
		all = append(all, *x)
	}
	slices.SortFunc(all, func(a, b Ignored) int {
		return cmp.Or(cmp.Compare(b.Files+b.Dirs, a.Files+a.Dirs), cmp.Compare(a.Rule, b.Rule))
	})
	return all, nil
}

// refusal returns the rule by which [Filter.takes] or [Filter.descend] refuses an entry, ""
// for a directory of version control.
func (f *Filter) refusal(d *place, name string, isDir bool) string {
	if isVCS(name) {
		return ""
	}
	if s, ok := f.exclude.Ignoring(d.path, name, isDir); ok {
		return "the setting exclude: " + s.Text
	}
	if s, ok := d.ambit.Ignoring(d.path, name, isDir); ok {
		return f.line(s)
	}
	switch {
	case isDir && defaultExcluded[name]:
		return name + " is never source"
	case d.state == closed:
		return "installed packages, a cache or a virtual environment"
	case !isDir && isDraft(name):
		return "a copy that an editor keeps"
	}
	if s, ok := d.git.Ignoring(name, isDir); ok {
		return f.line(s)
	}
	return "the setting include names other files"
}

// line returns a rule with its place.
func (f *Filter) line(s gitignore.Source) string {
	file := s.File
	if rel, err := filepath.Rel(f.root, file); err == nil && filepath.IsLocal(rel) {
		file = filepath.ToSlash(rel)
	}
	return fmt.Sprintf("%s:%d: %s", file, s.Line, strings.TrimSpace(s.Text))
}
