package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ambit/indexer/gitignore"
)

// Filter says which files of a workspace are indexed. It is immutable and safe for
// concurrent use; ignore files are read anew by each [Scan] and [Filter.Entry].
type Filter struct {
	root         string // absolute, without symbolic links
	maxBytes     int64
	memory       string // see [Options.Memory]
	settledAfter time.Duration
	include      *gitignore.Rules // nil keeps everything
	exclude      *gitignore.Rules
	log          *slog.Logger
}

// NewFilter returns the filter of the workspace at root, which may itself be a
// symbolic link to a directory. It returns an error when root cannot be read or
// is no directory.
//
// Git's rules hold as in `git ls-files -co --exclude-standard`: nested .gitignore
// files, info/exclude, core.excludesFile, and files that are tracked although a
// rule matches them. They hold without a repository too, because an unpacked
// archive ignores the same files. The rules of a repository around the root do not
// hold when they ignore the root, because the user has opened it. A repository below
// the root follows its own rules.
//
// .ambitignore files are stronger than git's rules and have the same syntax. A "!" in
// them also takes in what git or [defaultExcluded] leaves out: a line without "/" takes
// in the files and directories of that name, and a line with "/" (but not "**" in front)
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
	f := &Filter{root: real, maxBytes: o.MaxBytes, memory: o.Memory, settledAfter: settledAfter, log: o.Logger}
	if f.maxBytes <= 0 {
		f.maxBytes = DefaultMaxBytes
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	f.log = f.log.With("system", "watch")
	if len(o.Exclude) > 0 {
		f.exclude = gitignore.Parse(o.Exclude)
	}
	if len(o.Include) > 0 {
		f.include = gitignore.Parse(o.Include)
	}
	return f, nil
}

// Entry returns what [Scan] would list for one path, relative to the root with "/". ok is
// false when Scan would list nothing: the path names an ignored file, a directory, a link
// or nothing, or leads outside the root. Entry reads the ignore files on the way to
// the path and keeps nothing.
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
	return f.entry(d, path, stampOf(fi)), true
}

// entry describes the file at path in d.
func (f *Filter) entry(d *place, path string, st stamp) Entry {
	return Entry{path, st.size, st.modTime, f.leftOut(d, path[len(d.path):], st.size)}
}

// leftOut returns why a file of that name and size in d is not indexed, or "".
func (f *Filter) leftOut(d *place, name string, size int64) string {
	why := leftOutByName(name, d.private)
	if why == "" && size > f.maxBytes {
		return TooLarge
	}
	return why
}

// openness says which files of a directory are taken in.
type openness uint8

const (
	open    openness = iota // every file that no rule takes out
	tracked                 // git ignores the directory: only tracked files and files that a "!" names by path
	closed                  // the directory is excluded by default: only files that a "!" names by path
)

// place is the state of the filter in one directory of the walk.
type place struct {
	path     string // from the root: "" or ending in "/"
	git      gitignore.Dir
	ambit    *gitignore.Rules // from the .ambitignore files
	state    openness
	named    bool // a "!" of ambit took it in
	included bool // Options.Include names it or a directory above
	private  bool // its name says that it holds secrets, as .ssh
}

// marks says which files a directory holds that change how its entries are judged.
type marks struct{ gitIgnore, ambitIgnore, git, virtualenv, cacheTag bool }

// note records the file called name.
func (m *marks) note(name string) {
	switch name {
	case gitignore.FileName:
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

const ambitIgnoreName = ".ambitignore"

// lookFor finds the marks of a directory without listing it.
func lookFor(dir string) marks {
	var m marks
	for _, name := range []string{gitignore.FileName, ambitIgnoreName, ".git", "pyvenv.cfg", "CACHEDIR.TAG"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			m.note(name)
		}
	}
	return m
}

// open returns the place of the root, before [Filter.enter]. It calls found as
// [gitignore.Root] does.
func (f *Filter) open(found func(*gitignore.Repo)) *place {
	return &place{git: gitignore.Root(f.root, found), included: f.include == nil}
}

// enter reads the ignore files of d and sets its state by the marks. It calls found
// as [gitignore.Dir.OpenRepo] does.
func (f *Filter) enter(d *place, m marks, found func(*gitignore.Repo)) {
	abs := filepath.Join(f.root, filepath.FromSlash(d.path))
	if m.git {
		d.git = d.git.OpenRepo(abs, found)
	}
	isCache := m.virtualenv || m.cacheTag && hasCacheTag(filepath.Join(abs, "CACHEDIR.TAG"))
	if isCache && !d.named && d.path != "" {
		d.state = closed
	}
	if m.ambitIgnore {
		d.ambit = d.ambit.ReadFile(filepath.Join(abs, ambitIgnoreName), d.path)
	}
	if m.gitIgnore && d.state == open {
		d.git = d.git.ReadIgnoreFile(abs)
	}
}

// descend returns the place of a directory in d, before [Filter.enter]; ok is false when
// nothing below it is taken in.
func (f *Filter) descend(d *place, name string) (sub *place, ok bool) {
	if isVCS(name) {
		return nil, false
	}
	sub = &place{
		path: d.path + name + "/", git: d.git.Sub(name), ambit: d.ambit, state: d.state,
		included: d.included, private: d.private || privateDirs[name],
	}
	if m := f.include.Match(d.path, name, true); m != gitignore.Undecided {
		sub.included = m == gitignore.Ignored
	}
	switch v := f.verdict(d, name, true); {
	case v == takenOut:
		return nil, false
	case v == takenIn:
		sub.state, sub.named = open, true
	case defaultExcluded[name]:
		sub.state = closed
	case d.state == open && d.git.Ignores(name, true) && !d.git.Tracks(name): // git tracks a submodule there
		sub.state = tracked
	}
	ok = sub.state == open || sub.state == tracked && sub.git.TracksBelow() ||
		f.exclude.Reaches(sub.path) || d.ambit.Reaches(sub.path)
	return sub, ok
}

// takes reports whether the file called name in d is taken in.
func (f *Filter) takes(d *place, name string) bool {
	if isVCS(name) {
		return false
	}
	if m := f.include.Match(d.path, name, false); m != gitignore.Ignored && (m != gitignore.Undecided || !d.included) {
		return false
	}
	switch v := f.verdict(d, name, false); {
	case v != undecided:
		return v == takenIn
	case d.state == closed, isDraft(name):
		return false
	case d.state == open && !d.git.Ignores(name, false):
		return true
	}
	return d.git.Tracks(name)
}

// verdict is the decision of the rules of ambit.
type verdict uint8

const (
	undecided verdict = iota
	takenOut
	takenIn
)

// verdict returns the decision of the rules of ambit about the entry called name of d.
// Inside an excluded directory a "!" counts only when it names a path: otherwise other
// rules would decide whether the walk reaches the entry.
func (f *Filter) verdict(d *place, name string, isDir bool) verdict {
	m := f.exclude.Match(d.path, name, isDir)
	if m == gitignore.Undecided {
		m = d.ambit.Match(d.path, name, isDir)
	}
	switch {
	case m == gitignore.Ignored:
		return takenOut
	case m == gitignore.TakenInPath, m == gitignore.TakenIn && d.state == open:
		return takenIn
	}
	return undecided
}

// plain drops the operation and the path that an error of package os repeats.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
