package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"runtime"
	"runtime/debug"
)

// buildIDBytes is how much of an executable is sure to hold the build ID that Go's
// linker puts near its beginning (readSize in cmd/internal/buildid).
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

// version names a build whose executable cannot be read.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
