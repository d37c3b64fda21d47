package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
)

// Filter says which files of a workspace are indexed. It is immutable and safe for
// concurrent use; ignore files are read anew by each [Scan] and [Filter.Entry].
type Filter struct {
	root     string // absolute, without symbolic links
	maxBytes int64
	include  *ruleList // nil: everything
	exclude  *ruleList
	log      *slog.Logger
}

// NewFilter returns the filter of the workspace at root, which may itself be a
// symbolic link to a directory. It returns an error when root cannot be read or
// is no directory.
//
// Git's rules hold as in `git ls-files -co --exclude-standard`: nested .gitignore
// files, info/exclude, core.excludesFile, and files that are tracked although a
// rule matches them. They hold without a repository too, because an unpacked
// archive ignores the same things; and not for a root that a repository around it
// ignores, because opening it says that it matters. A repository below the root
// follows its own rules.
//
// .ambitignore files are stronger than git's rules and have the same syntax. Their
// "!" also takes in what git or [defaultExcluded] leaves out: a line without "/"
// the files and directories of that name, a line with "/" (but not "**" in front)
// also files inside an excluded directory.
func NewFilter(root string, o Options) (*Filter, error) {
	real, err := filepath.Abs(root)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w; name a directory that exists", root, plain(err))
	}
	fi, err := os.Stat(real)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w; name a directory that can be read", root, plain(err))
	}
	if !fi.IsDir() {
		return nil, fmt.Errorf("open workspace %s: it is a file; name the directory it lies in", root)
	}
	f := &Filter{root: real, maxBytes: o.MaxBytes, log: o.Logger}
	if f.maxBytes <= 0 {
		f.maxBytes = DefaultMaxBytes
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	f.log = f.log.With("system", "watch")
	f.exclude = parseIgnore([]byte(strings.Join(o.Exclude, "\n")), ruleList{})
	if len(o.Include) > 0 {
		f.include = parseIgnore([]byte(strings.Join(o.Include, "\n")), ruleList{})
	}
	return f, nil
}

// Root returns the absolute path of the workspace, symbolic links resolved.
func (f *Filter) Root() string { return f.root }

// Entry returns what [Scan] would list for one path, relative to the root with
// "/"; ok is false for what it would not list: an ignored file, a directory, a
// link, a path that leads outside, nothing at all. It reads the ignore files on
// the way to the path and keeps nothing.
func (f *Filter) Entry(path string) (e Entry, ok bool) {
	if !fs.ValidPath(strings.ToValidUTF8(path, "?")) || path == "." {
		return Entry{}, false
	}
	d := f.open(nil)
	for rest := path; ; {
		abs := filepath.Join(f.root, filepath.FromSlash(d.path))
		if fi, err := os.Lstat(abs); err != nil || !fi.IsDir() {
			return Entry{}, false
		}
		f.enter(d, lookFor(abs), nil)
		name, below, more := strings.Cut(rest, "/")
		if !more {
			break
		}
		if d, ok = f.descend(d, name); !ok {
			return Entry{}, false
		}
		rest = below
	}
	if !f.takes(d, path[len(d.path):]) {
		return Entry{}, false
	}
	fi, err := os.Lstat(filepath.Join(f.root, filepath.FromSlash(path)))
	if err != nil || !fi.Mode().IsRegular() {
		return Entry{}, false
	}
	return f.entry(d, path[len(d.path):], fi), true
}

// entry describes the file called name in d.
func (f *Filter) entry(d *place, name string, fi fs.FileInfo) Entry {
	e := Entry{Path: d.path + name, Size: fi.Size(), ModTime: fi.ModTime().UnixNano()}
	if e.LeftOut = leftOutByName(name, d.private); e.LeftOut == "" && e.Size > f.maxBytes {
		e.LeftOut = TooLarge
	}
	return e
}

// openness says which files of a directory are in.
type openness uint8

const (
	open    openness = iota // all that no rule takes out
	tracked                 // git ignores it: the tracked ones, and what a "!" names by path
	closed                  // excluded by default: what a "!" names by path
)

// place is what the filter knows of one directory of the walk.
type place struct {
	path     string // from the root: "" or ending in "/"
	repoPath string // the same from the top of repo; path without one
	git      *chain // bases counted as repoPath is
	ambit    *chain // bases counted as path is
	repo     *repo  // that it lies in, or nil
	state    openness
	named    bool // a "!" of ambit took it in
	wanted   bool // Options.Include names it or a directory above
	private  bool // it holds secrets by its name, as .ssh does
}

// marks are the files whose presence changes what a directory is.
type marks struct{ gitIgnore, ambitIgnore, git, virtualenv, cacheTag bool }

// note records the file called name.
func (m *marks) note(name string) {
	switch name {
	case gitIgnoreName:
		m.gitIgnore = true
	case ambitIgnoreName:
		m.ambitIgnore = true
	case ".git":
		m.git = true
	case "pyvenv.cfg":
		m.virtualenv = true
	case "CACHEDIR.TAG":
		m.cacheTag = true
	}
}

const (
	gitIgnoreName   = ".gitignore"
	ambitIgnoreName = ".ambitignore"
)

// lookFor finds the marks of a directory without listing it.
func lookFor(dir string) marks {
	var m marks
	for _, name := range []string{gitIgnoreName, ambitIgnoreName, ".git", "pyvenv.cfg", "CACHEDIR.TAG"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			m.note(name)
		}
	}
	return m
}

// open returns the place of the root, before [Filter.enter]. It calls found as
// [openRepo] does.
func (f *Filter) open(found func(*repo)) *place {
	d := &place{git: (*repo)(nil).everywhere(), wanted: f.include == nil}
	r := findRepo(f.root, found)
	if r == nil || r.top == f.root { // enter finds a repository at the root itself
		return d
	}
	rel, err := filepath.Rel(r.top, f.root)
	if err != nil {
		return d
	}
	c, at := r.everywhere(), ""
	for _, name := range strings.Split(filepath.ToSlash(rel), "/") {
		c = c.push(readIgnore(filepath.Join(r.top, at, gitIgnoreName), true, ruleList{base: at, fold: r.config.ignoreCase}))
		if v := c.last(at, name, true); v != nil && !v.negated {
			return d
		}
		at += name + "/"
	}
	d.git, d.repo, d.repoPath = c, r, at
	return d
}

// enter reads the ignore files of d and learns from its marks what it is. It calls
// found as [openRepo] does.
func (f *Filter) enter(d *place, m marks, found func(*repo)) {
	abs := filepath.Join(f.root, filepath.FromSlash(d.path))
	if m.git {
		if r := openRepo(abs, found); r != nil {
			d.repo, d.repoPath, d.git = r, "", r.everywhere()
		}
	}
	isCache := m.virtualenv || m.cacheTag && hasCacheTag(filepath.Join(abs, "CACHEDIR.TAG"))
	if isCache && !d.named && d.path != "" {
		d.state = closed
	}
	if m.ambitIgnore {
		d.ambit = d.ambit.push(readIgnore(filepath.Join(abs, ambitIgnoreName), true, ruleList{base: d.path}))
	}
	if m.gitIgnore && d.state == open {
		fold := d.repo != nil && d.repo.config.ignoreCase
		d.git = d.git.push(readIgnore(filepath.Join(abs, gitIgnoreName), true, ruleList{base: d.repoPath, fold: fold}))
	}
}

// descend returns the place of a directory in d, before [Filter.enter]; ok is
// false when nothing below it is in.
func (f *Filter) descend(d *place, name string) (sub *place, ok bool) {
	if isVCS(name) {
		return nil, false
	}
	sub = &place{
		path: d.path + name + "/", git: d.git, ambit: d.ambit, repo: d.repo, state: d.state,
		wanted: d.wanted, private: d.private || privateDirs[name],
	}
	if sub.repoPath = sub.path; d.repoPath != d.path {
		sub.repoPath = d.repoPath + name + "/"
	}
	if f.include != nil {
		if r := f.include.last(d.path, name, true); r != nil {
			sub.wanted = !r.negated
		}
	}
	switch v := f.verdict(d, name, true); {
	case v == takenOut:
		return nil, false
	case v == takenIn:
		sub.state, sub.named = open, true
	case defaultExcluded[name]:
		sub.state = closed
	case d.state == open:
		if r := d.git.last(d.repoPath, name, true); r != nil && !r.negated {
			sub.state = tracked
			if d.repo.tracks(strings.TrimSuffix(sub.repoPath, "/")) {
				sub.state = open // a submodule
			}
		}
	}
	switch {
	case sub.state == open:
		return sub, true
	case sub.state == tracked && d.repo.tracksBelow(sub.repoPath):
		return sub, true
	}
	reached := f.exclude.reaches(sub.path)
	for c := d.ambit; c != nil && !reached; c = c.next {
		reached = c.list.reaches(sub.path)
	}
	return sub, reached
}

// takes reports whether the file called name in d is in.
func (f *Filter) takes(d *place, name string) bool {
	if isVCS(name) {
		return false
	}
	if f.include != nil {
		r := f.include.last(d.path, name, false)
		if r == nil && !d.wanted || r != nil && r.negated {
			return false
		}
	}
	switch v := f.verdict(d, name, false); {
	case v != undecided:
		return v == takenIn
	case d.state == closed, isDraft(name):
		return false
	case d.state == open:
		if r := d.git.last(d.repoPath, name, false); r == nil || r.negated {
			return true
		}
	}
	return d.repo.tracks(d.repoPath + name)
}

// verdict is what the rules of ambit say.
type verdict uint8

const (
	undecided verdict = iota
	takenOut
	takenIn
)

// verdict asks the rules of ambit about the entry called name of d. Inside an
// excluded directory a "!" counts only when it names a path: it would otherwise
// depend on other rules whether the walk comes by.
func (f *Filter) verdict(d *place, name string, isDir bool) verdict {
	r := f.exclude.last(d.path, name, isDir)
	if r == nil {
		r = d.ambit.last(d.path, name, isDir)
	}
	switch {
	case r == nil, r.negated && d.state != open && r.shape != path:
		return undecided
	case r.negated:
		return takenIn
	}
	return takenOut
}

// plain drops the operation and the path that an error of package os repeats.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
