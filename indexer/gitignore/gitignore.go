// Package gitignore says which files git ignores.
//
// A [Dir] judges the entries of one directory of a walk as git does. It holds the rules of
// the ignore files above it, of info/exclude and of core.excludesFile, and the paths in
// the index, because git ignores no tracked file. [Rules] are the lines of ignore files
// alone, for other files with the same syntax, and [Patterns] choose files by such lines.
//
// The results are those of `git ls-files -co --exclude-standard`. The package reads files
// and nothing else: it starts no git and follows no symbolic link to an ignore file.
package gitignore

import (
	"path/filepath"
	"strings"
)

// FileName is the name of git's ignore files.
const FileName = ".gitignore"

// Dir holds git's rules and tracked paths for the entries of one directory. It is
// immutable and safe for concurrent use.
type Dir struct {
	path  string // from the top of repo, from the root of the walk without one; "" or ending in "/"
	rules *Rules
	repo  *Repo // that the directory lies in; nil for none
}

// Root returns the Dir of the directory that a walk starts in, before [Dir.OpenRepo] and
// [Dir.ReadIgnoreFile]. root is absolute. The rules of a repository around root hold,
// unless they ignore root. Without a repository the user's own rules hold. Root calls
// found as OpenRepo does.
func Root(root string, found func(*Repo)) Dir {
	alone := Dir{rules: everywhere(nil)}
	r := findRepo(root, found)
	if r == nil || r.Top == root { // OpenRepo finds a repository at the root itself
		return alone
	}
	rel, err := filepath.Rel(r.Top, root)
	if err != nil {
		return alone
	}
	d := Dir{rules: everywhere(r), repo: r}
	for name := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		d = d.ReadIgnoreFile(filepath.Join(r.Top, d.path))
		if d.Ignores(name, true) {
			return alone
		}
		d = d.Sub(name)
	}
	return d
}

// OpenRepo returns the Dir of a directory that holds a .git: of the repository whose
// working tree starts there, or d when there is none. abs is the absolute path of the
// directory. OpenRepo calls found, unless it is nil, before it reads the settings, rules
// and index of a repository. It also calls found with a repository that git is still
// making.
func (d Dir) OpenRepo(abs string, found func(*Repo)) Dir {
	if r := openRepo(abs, found); r != nil {
		return Dir{rules: everywhere(r), repo: r}
	}
	return d
}

// ReadIgnoreFile returns d with the rules of the directory's own ignore file. abs is the
// absolute path of the directory.
func (d Dir) ReadIgnoreFile(abs string) Dir {
	fold := d.repo != nil && d.repo.config.ignoreCase
	d.rules = d.rules.push(readIgnore(filepath.Join(abs, FileName), true, ruleList{base: d.path, fold: fold}))
	return d
}

// Sub returns the Dir of the directory called name in d, before [Dir.OpenRepo] and
// [Dir.ReadIgnoreFile].
func (d Dir) Sub(name string) Dir {
	d.path += name + "/"
	return d
}

// Ignores reports whether a rule ignores the entry called name, tracked or not.
func (d Dir) Ignores(name string, isDir bool) bool {
	return d.rules.Match(d.path, name, isDir) == Ignored
}

// Ignoring returns the rule that ignores the entry called name, or the innermost directory
// of the same repository that it lies in; ok is false when none does.
func (d Dir) Ignoring(name string, isDir bool) (s Source, ok bool) {
	for dir := d.path; ; isDir = true {
		if s, ok = d.rules.Ignoring(dir, name, isDir); ok || dir == "" {
			return s, ok
		}
		dir = strings.TrimSuffix(dir, "/")
		up := strings.LastIndexByte(dir, '/') + 1
		dir, name = dir[:up], dir[up:]
	}
}

// Tracks reports whether the index names the entry called name: a file or a submodule.
func (d Dir) Tracks(name string) bool { return d.repo.tracks(d.path + name) }

// TracksBelow reports whether the index names files below d, or d itself as a submodule.
func (d Dir) TracksBelow() bool { return d.repo.tracksBelow(d.path) }
