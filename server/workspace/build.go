package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// buildIDBytes is the length of the beginning of an executable that contains the build ID
// of Go's linker (readSize in cmd/internal/buildid).
const buildIDBytes = 32 << 10

// Build names the build of this program: equal for all copies of one executable,
// different for different sources even when they have the same version. It reads the
// beginning of the executable; call it once per process.
func Build() string {
	path, err := os.Executable()
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // the running executable, even if its file was replaced
	} else if err != nil {
		return version()
	}
	file, err := os.Open(path)
	if err != nil {
		return version()
	}
	defer file.Close()
	head := sha256.New()
	if _, err := io.CopyN(head, file, buildIDBytes); err != nil {
		return version()
	}
	return hex.EncodeToString(head.Sum(nil)[:8])
}

// version returns the version of the module, for a build whose executable cannot be read.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
