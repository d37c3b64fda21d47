// Package watch lists the files of a workspace and reports which may have changed.
//
// One [Filter] holds git's ignore rules, those of .ambitignore, the directories that
// are never source, and the files that are listed but not indexed. [Scan] walks the
// tree with it, and [Filter.Entry] judges one path; both make the same decisions, so
// they cannot disagree. A [Watcher] watches the directories that Scan reads and reports
// paths; the caller asks the Filter for their present state.
//
// The package executes and writes nothing in the workspace, starts no subprocess and
// follows no symbolic link below the root: a file has one path only, and no path leads
// outside the root.
package watch

import "log/slog"

// DefaultMaxBytes is the size above which a file is left out. Hand-written source
// stays far below it; the parser needs 30 times the size in memory.
const DefaultMaxBytes = 1 << 20

// The reasons for which a file is listed but not indexed. A caller that cannot read a
// file that [Scan] listed sets Unreadable, too.
const (
	Secret     = "secret"
	LockFile   = "lock file"
	Binary     = "binary"
	TooLarge   = "too large"
	Generated  = "generated"
	Minified   = "minified"
	Unreadable = "unreadable"
)

// Options tunes [NewFilter]. The zero value is ready for use.
type Options struct {
	// MaxBytes is the largest file that is indexed; 0 or less means DefaultMaxBytes.
	MaxBytes int64
	// Include, when not empty, keeps only the files that one of the patterns
	// matches, or that lie in a directory that one matches.
	Include []string
	// Exclude takes files out, and its "!" takes files in, as in .ambitignore. It is
	// stronger than the .ambitignore files.
	Exclude []string
	// Memory is a file in which scans keep what directories hold, so that the next one need not
	// list those that have not changed. It lies outside of the workspace, in a directory of the
	// user alone. "" lists all each time.
	Memory string
	Logger *slog.Logger // nil discards
}

// Entry is one file of the workspace.
type Entry struct {
	Path    string // relative to the root, "/" between segments, the bytes of the file system
	Size    int64  // bytes
	ModTime int64  // nanoseconds since the Unix epoch
	LeftOut string // why it is not indexed; "" for a file to index
}
