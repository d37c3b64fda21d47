package lexical

import "errors"

// ErrFormat is returned by [Restore] and [Open] for a blob that is corrupted, of another
// version, or made with other weights; the caller applies the files anew.
var ErrFormat = errors.New("unusable lexical snapshot")
