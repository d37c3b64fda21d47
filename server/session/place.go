package session

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// markers tell the root of a project that is in no repository, in no order.
var markers = []string{
	"go.work", "go.mod", "package.json", "pyproject.toml", "setup.py", "Cargo.toml", "pom.xml", "build.gradle",
	"build.gradle.kts", "Gemfile", "composer.json", "CMakeLists.txt", "compile_commands.json", "mix.exs", ".ambit.toml",
}

// FindRoot returns the workspace that the directory or file at path is in: the
// nearest parent with a repository, else the nearest with the mark of a project,
// else the directory itself. It returns [ErrWide] when that is the root of the file
// system or the user's home, which nobody means to index.
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
	if home, err := os.UserHomeDir(); err == nil && dir == filepath.Clean(home) || dir == filepath.Dir(dir) {
		return "", fmt.Errorf("%s: %w", dir, ErrWide)
	}
	return dir, nil
}

// nearest returns the nearest parent of dir, or dir, that holds one of the names.
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

// ResolveRoot returns the one name of a workspace: absolute, without links. Its
// errors are those of [Open].
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

// IndexName is the name of the file that an index is.
const IndexName = "index.db"

// IndexPath returns where the index of the workspace at root lies, an absolute path
// without links, and makes the directory: in cacheDir or, when that is "", in
// [CacheDir]. The name tells people which workspace it is, the first hash tells
// workspaces of one name apart, and the second builds of ambit, which may read files
// differently: an editor that brings a version of its own has an index of its own. Build
// is [Options].Build.
func IndexPath(root, cacheDir, build string) (string, error) {
	if cacheDir == "" {
		var err error
		if cacheDir, err = CacheDir(); err != nil {
			return "", err
		}
	}
	where, which := sha256.Sum256([]byte(root)), sha256.Sum256([]byte(build))
	dir := filepath.Join(cacheDir, safeName(filepath.Base(root))+"-"+hex.EncodeToString(where[:6])+"-"+hex.EncodeToString(which[:3]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the cache directory %s: %w; set XDG_CACHE_HOME or the setting cacheDir to a directory you can write",
			dir, bare(err))
	}
	return filepath.Join(dir, IndexName), nil
}

// CacheDir returns the directory in the user's cache that is ambit's, where indexes
// lie unless the settings say otherwise. It need not exist.
func CacheDir() (string, error) {
	base, err := userCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the cache directory: %w; set XDG_CACHE_HOME to a directory you can write", err)
	}
	return filepath.Join(base, "ambit"), nil
}

// userCacheDir is [os.UserCacheDir], with XDG_CACHE_HOME obeyed everywhere unless it is
// a relative path, which counts for nothing.
//
// Source: XDG Base Directory Specification 0.8, "Basics".
func userCacheDir() (string, error) {
	dir := os.Getenv("XDG_CACHE_HOME")
	switch {
	case filepath.IsAbs(dir):
		return dir, nil
	case dir == "" || runtime.GOOS == "windows" || runtime.GOOS == "darwin": // where Go does not look at it
		return os.UserCacheDir()
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".cache"), err
}

// safeName keeps what every file system and terminal shows as it is.
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

// bare returns what went wrong without the operation and path that the caller's
// message says already. Links that go round have a message of their own in Go.
func bare(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	if errors.Is(err, syscall.ELOOP) {
		return syscall.ELOOP
	}
	return err
}
