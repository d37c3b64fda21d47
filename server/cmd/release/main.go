// Command release makes the files of a release of ambit.
//
//	release -version 1.2.3 build    links the binary of each platform
//	release -version 1.2.3 pack     packs the binaries that are there
//
// The two can run on different machines: macOS has no cross compiler elsewhere, so a Mac
// links its binaries, and one machine packs all. Pack is a function of the binaries, the
// repository and SOURCE_DATE_EPOCH: two runs write the same bytes. Nothing is published.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// name is the name of the command, of the archives and of the packages.
const name = "ambit"

// address is where the releases are. docs/releasing.md says what else knows it.
const address = "https://github.com/OWNER/ambit"

// release is one release.
type release struct {
	version string
	date    time.Time // of every file
	out     string    // the directory of the files; the binaries are in its directory build
	only    []string  // the platforms to build; empty means those that this machine can link
}

// semver is a version of semver.org. Debian and npm order these in the same way when a
// pre-release is written with a tilde for Debian.
var semver = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?$`)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run runs the command line, in the root of the repository.
func run(args []string) error {
	var r release
	var platforms string
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "the version, 1.2.3")
	flags.StringVar(&r.out, "out", "bin/release", "the directory to write to")
	flags.StringVar(&platforms, "platforms", "", "the platforms to build, separated by commas: linux-amd64,…")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !semver.MatchString(r.version) {
		return fmt.Errorf("%q is no version; write -version 1.2.3", r.version)
	}
	r.only = strings.FieldsFunc(platforms, func(c rune) bool { return c == ',' || c == ' ' })
	switch flags.Arg(0) {
	case "build":
		return r.build()
	case "pack":
		seconds, err := sourceDate()
		if err != nil {
			return err
		}
		r.date = time.Unix(seconds, 0).UTC()
		return r.pack()
	}
	return errors.New("say build or pack")
}

// sourceDate returns SOURCE_DATE_EPOCH, or else the time of the last commit.
func sourceDate() (int64, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := exec.Command("git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return 0, fmt.Errorf("ask git for the time of the last commit: %w; or set SOURCE_DATE_EPOCH", err)
		}
		text = strings.TrimSpace(string(out))
	}
	return strconv.ParseInt(text, 10, 64)
}

// write writes a file of the release.
func (r *release) write(file string, data []byte) error {
	path := filepath.Join(r.out, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
