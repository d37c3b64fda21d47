package session

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

// Build names the build of this program: the same for all copies of it, another for
// one of other sources, also where nobody has given them another version. It reads the
// beginning of the executable, so who opens several things asks once.
func Build() string {
	path, err := os.Executable()
	if runtime.GOOS == "linux" {
		path = "/proc/self/exe" // what runs, whatever has its name by now
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

// version is the second best name of a build.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
