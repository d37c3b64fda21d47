// Package watch says what a file of the workspace is, which there are, and when one
// changed.
//
// One [Filter] holds git's ignore rules, those of .ambitignore, the folders that
// are never source, and the files that are listed but not indexed. [Scan] walks
// the tree with it, and [Filter.Entry] asks it about one path; both go through
// the same decisions, so they cannot disagree. A [Watcher] watches the directories
// that Scan looks into and tells of paths; what came of them is asked of the Filter.
//
// Nothing of the workspace is executed or written, no subprocess is started, and
// no symbolic link below the root is followed: a file is reached by one path
// only, and never one outside the root.
package watch

import "log/slog"

// DefaultMaxBytes is the size above which a file is left out. Hand-written source
// stays far below it; the parser needs 30 times the size in memory.
const DefaultMaxBytes = 1 << 20

// The reasons for which a file is listed but not indexed. Unreadable is also what
// a caller sets when it cannot read a file that [Scan] listed.
const (
	Secret     = "secret"
	LockFile   = "lock file"
	Binary     = "binary"
	TooLarge   = "too large"
	Generated  = "generated"
	Minified   = "minified"
	UTF16      = "UTF-16 text: save it as UTF-8 to index it"
	Unreadable = "unreadable"
)

// Options tunes [NewFilter]. The zero value is ready for use.
type Options struct {
	// MaxBytes is the largest file that is indexed; 0 or less means DefaultMaxBytes.
	MaxBytes int64
	// Include, when not empty, keeps only the files that one of the patterns
	// matches, or that lie in a directory that one matches.
	Include []string
	// Exclude takes files out. A "!" takes them in again, as in .ambitignore,
	// whose rules are weaker than these.
	Exclude []string
	Logger  *slog.Logger // nil discards
}

// Entry is one file of the workspace.
type Entry struct {
	Path    string // relative to the root, "/" between segments, the bytes of the file system
	Size    int64  // bytes
	ModTime int64  // nanoseconds since the Unix epoch
	LeftOut string // why it is not indexed; "" for a file to index
}
