package watch

import "errors"

// ErrRoot is returned by [Scan] and [Watcher.Scan] when the root of the workspace
// cannot be read: it is gone, not mounted or closed to the user. The caller keeps
// its list of files; a [Watcher] reports when the root is back.
var ErrRoot = errors.New("read workspace")
