//go:build !unix

package workspace

import "os"

// private reports true: the user's cache directory is private on these systems.
func private(os.FileInfo) bool { return true }
