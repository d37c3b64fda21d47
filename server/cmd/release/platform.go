package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// platform is a system that ambit is released for.
type platform struct {
	os, arch string // as Go names them
	node     string // process.platform and process.arch of Node, as npm and VS Code name them
	debian   string // Debian's architecture; "" means no package
	cc       string // the C compiler of Debian on another system
}

// platforms are all systems. The first is the one whose binary prints the completions.
var platforms = []platform{
	{"linux", "amd64", "linux-x64", "amd64", "x86_64-linux-gnu-gcc"},
	{"linux", "arm64", "linux-arm64", "arm64", "aarch64-linux-gnu-gcc"},
	{"windows", "amd64", "win32-x64", "", "x86_64-w64-mingw32-gcc"},
	{"darwin", "arm64", "darwin-arm64", "", ""},
	{"darwin", "amd64", "darwin-x64", "", ""},
}

func (p platform) String() string { return p.os + "-" + p.arch }

// exe is the name of the binary.
func (p platform) exe() string {
	if p.os == "windows" {
		return name + ".exe"
	}
	return name
}

// binary is the path of the built binary.
func (r *release) binary(p platform) string {
	return filepath.Join(r.out, "build", p.String(), p.exe())
}

// compiler returns the C compiler for p on this machine, "" when Go knows it, and whether
// there is one.
func (p platform) compiler() (cc string, ok bool) {
	if p.os == runtime.GOOS && (p.arch == runtime.GOARCH || p.os == "darwin") { // clang has both
		return "", true
	}
	_, err := exec.LookPath(p.cc)
	return p.cc, p.cc != "" && err == nil
}

// build links the binary of each platform that is asked for.
func (r *release) build() error {
	asked := map[string]bool{}
	for _, s := range r.only {
		asked[s] = true
	}
	commit, err := head()
	if err != nil {
		return err
	}
	for _, p := range platforms {
		cc, ok := p.compiler()
		if len(r.only) > 0 && !asked[p.String()] {
			continue
		}
		delete(asked, p.String())
		switch {
		case !ok && len(r.only) > 0:
			return fmt.Errorf("%s: there is no C compiler for it here; docs/releasing.md names the packages", p)
		case !ok:
			fmt.Fprintf(os.Stderr, "%s: left out, because there is no C compiler for it here\n", p)
			continue
		}
		fmt.Fprintf(os.Stderr, "%s: building\n", p)
		if err := r.link(p, cc, commit); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for s := range asked {
		return fmt.Errorf("%s is no platform; known are %v", s, platforms)
	}
	return nil
}

// link builds one binary. Linux gets a static one: it runs with every C library, and on
// systems without one. It asks no name server and reads no user database, so the parts of a
// C library that static binaries lack are not missed.
func (r *release) link(p platform, cc, commit string) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this command has no build information; start it by go run")
	}
	flags := fmt.Sprintf("-s -w -X %[1]s.release=%[2]s -X %[1]s.commit=%[3]s", info.Main.Path+"/server/cli", r.version, commit)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-o", r.binary(p)}
	if p.os != "darwin" {
		flags += " -linkmode=external -extldflags=-static"
	}
	if p.os == "linux" {
		args = append(args, "-tags=netgo,osusergo")
	}
	cmd := exec.Command("go", append(args, "-ldflags="+flags, "./server/cmd/ambit")...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS="+p.os, "GOARCH="+p.arch)
	if cc != "" {
		cmd.Env = append(cmd.Env, "CC="+cc)
	}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// head returns the commit that is checked out; COMMIT in the environment says it where
// there is no repository.
func head() (string, error) {
	if commit := os.Getenv("COMMIT"); commit != "" {
		return commit, nil
	}
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "", fmt.Errorf("ask git for the commit: %w; or set COMMIT", err)
	}
	return strings.TrimSpace(string(out)), nil
}
