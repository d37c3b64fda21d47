// Package workspace finds the root of a workspace, its index in the user's cache
// directory, the lock of the index, and the indexes of other workspaces and of former
// builds beside it.
//
// It never writes to a workspace. Only the user can read the cache directory.
package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"

	"ambit/server/api"
)

// markers are the project files that mark a root where there is no repository.
var markers = []string{
	"go.work", "go.mod", "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "pom.xml", "build.gradle",
	"build.gradle.kts", "Gemfile", "composer.json", "CMakeLists.txt", "compile_commands.json", "mix.exs", ".ambit.toml",
}

// ErrWide is returned by [FindRoot] when no project is found and the directory is the
// root of the file system or the user's home. The user has to name a directory.
var ErrWide = errors.New("no project here, and indexing all of it would take very long; name the workspace with --root DIR")

// FindRoot returns the workspace around the directory or file at path: the nearest
// parent directory with a repository, else the nearest with a project file, else the
// working directory when path lies below it, else the directory itself. It returns
// [ErrWide] when that is the root of the file system or the user's home.
func FindRoot(path string) (string, error) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the workspace of %s: %w", path, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for _, marks := range [][]string{{".git"}, markers} {
		if root, ok := nearest(dir, marks); ok {
			return root, nil
		}
	}
	if work, err := os.Getwd(); err == nil && !isWide(work) && strings.HasPrefix(dir, work+string(filepath.Separator)) {
		return work, nil // an unpacked archive, in which the user has named a file
	}
	if isWide(dir) {
		return "", fmt.Errorf("%s: %w", dir, ErrWide)
	}
	return dir, nil
}

// IsProject reports whether a directory or one above it has a marker of a project.
func IsProject(dir string) bool {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	_, ok := nearest(dir, append([]string{".git"}, markers...))
	return ok
}

// libraries are parts of the paths below which tools keep the sources of dependencies: those of Go,
// JavaScript, Python, Rust, Ruby, Java, and the headers of the system.
var libraries = regexp.MustCompile(`/pkg/mod/|/node_modules/|/(site|dist)-packages/|/lib/python3[^/]*/|/registry/src/|/git/checkouts/|/rustlib/src/|/gems/|/lib/ruby/|-sources\.jar!/|/src\.zip!/|` +
	`/(lib|local|libexec|sdk)/go[^/]*/src/|/goroot/src/|^/usr/(local/)?include/|^/usr/lib/.*/include/|^/opt/homebrew/include/|\.sdk/usr/include/`)

// IsLibrary reports whether a path looks like that of a file of a dependency.
func IsLibrary(file string) bool { return libraries.MatchString(filepath.ToSlash(file)) }

// isWide reports whether dir is the root of the file system or the user's home.
func isWide(dir string) bool {
	home, err := os.UserHomeDir()
	return err == nil && dir == filepath.Clean(home) || dir == filepath.Dir(dir)
}

// nearest returns dir or its nearest parent directory that holds one of the names.
func nearest(dir string, names []string) (string, bool) {
	for {
		for _, name := range names {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				return dir, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// ResolveRoot returns the canonical name of a workspace: absolute, without symbolic
// links. The error is one line and names the next step.
func ResolveRoot(path string) (string, error) {
	root, err := filepath.Abs(path)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return "", fmt.Errorf("open workspace %s: %w; give a directory that exists", path, bare(err))
	}
	info, err := os.Stat(root)
	if err != nil {
		return "", fmt.Errorf("open workspace %s: %w; give a directory that exists", path, bare(err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("open workspace %s: it is a file; give the directory it is in", path)
	}
	dir, err := os.Open(root)
	if err == nil {
		_, err = dir.Readdirnames(1)
		dir.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("open workspace %s: %w; give a directory you may read", path, bare(err))
	}
	return root, nil
}

// IndexName is the file name of an index.
const IndexName = "index.db"

// IndexPath returns the path of the index of the workspace at root, absolute and
// without symbolic links, and makes its directory: in cacheDir, or in [CacheDir] when
// that is "". The directory's name holds the name of the workspace for people, a hash
// of the root, and a hash of the build of ambit: builds may read files differently, so
// an editor that brings its own ambit gets its own index.
func IndexPath(root, cacheDir, build string) (string, error) {
	if cacheDir == "" {
		var err error
		if cacheDir, err = CacheDir(); err != nil {
			return "", err
		}
	}
	where, which := sha256.Sum256([]byte(root)), sha256.Sum256([]byte(build))
	dir := filepath.Join(cacheDir, safeName(filepath.Base(root))+"-"+hex.EncodeToString(where[:6])+"-"+hex.EncodeToString(which[:3]))
	return inDirectory(dir)
}

// VariantPath returns the path of another index of the workspace whose index is at path, and
// makes its directory, which is removed with that of the workspace. The name tells the
// variants apart.
func VariantPath(path, name string) (string, error) {
	which := sha256.Sum256([]byte(name))
	return inDirectory(filepath.Join(filepath.Dir(path), hex.EncodeToString(which[:3])))
}

// inDirectory returns the path of the index in a directory, which it makes.
func inDirectory(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", unwritable(fmt.Errorf("make the cache directory %s: %w; set XDG_CACHE_HOME or the setting cacheDir to a directory you can write",
			dir, bare(err)))
	}
	return filepath.Join(dir, IndexName), nil
}

// CacheDir returns ambit's directory in the user's cache, the default directory of the
// indexes. It need not exist.
func CacheDir() (string, error) {
	base, err := userCacheDir()
	if err != nil {
		return "", unwritable(fmt.Errorf("find the cache directory: %w; set XDG_CACHE_HOME to a directory you can write", err))
	}
	return filepath.Join(base, "ambit"), nil
}

// userCacheDir is [os.UserCacheDir], but obeys XDG_CACHE_HOME on every system and
// ignores a relative one.
//
// Source: XDG Base Directory Specification 0.8, "Basics".
func userCacheDir() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	switch {
	case filepath.IsAbs(dir):
		return dir, nil
	case dir == "" || runtime.GOOS == "windows" || runtime.GOOS == "darwin": // systems on which Go ignores the variable
		return os.UserCacheDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache"), err
}

// safeName replaces the characters of a name that are not letters, digits or one of
// "-_.".
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '_'
	}, name)
	return strings.TrimLeft(name[:min(len(name), 60)], ".")
}

// bare strips the operation and the path, which the caller's message already has. A
// loop of symbolic links has a message of its own in Go.
func bare(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	if errors.Is(err, syscall.ELOOP) {
		return syscall.ELOOP
	}
	return err
}

// Inside returns the path of a file relative to the workspace at root, with "/". Full
// is an absolute path, perhaps with symbolic links; root has none. A file outside of
// the workspace is an error that wraps [api.ErrQuestion].
func Inside(root, full string) (string, error) {
	for _, name := range []string{full, realName(full)} {
		rel, err := filepath.Rel(root, name)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), nil
		}
	}
	return "", fmt.Errorf("%w: %s is outside of the workspace %s; name the right one with --root DIR", api.ErrQuestion, full, root)
}

// realName resolves the symbolic links in the directory of a file. The file itself may
// be a link, which the workspace knows under its own name.
func realName(full string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}
