package deps

import (
	"cmp"
	"go/version"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// goEnv is the environment of the go command, read without running it: the variables of the
// process, then what `go env -w` wrote.
type goEnv struct {
	getenv   func(string) string
	written  map[string]string
	modCache string // absolute, "" when unknown
	mod      string // -mod of GOFLAGS
	local    toolchain
}

// toolchain is an installed toolchain of Go.
type toolchain struct {
	dir     string // GOROOT; "" for none
	version string // "go1.26.8"
}

// newGoEnv reads the environment.
func newGoEnv(getenv func(string) string) *goEnv {
	e := &goEnv{getenv: getenv, written: map[string]string{}}
	home := homeOf(getenv)
	if name := cmp.Or(getenv("GOENV"), filepath.Join(configOf(getenv), "go", "env")); filepath.IsAbs(name) {
		for line := range strings.Lines(smallFile(name)) {
			if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
				e.written[key] = value
			}
		}
	}
	goPath := filepath.SplitList(e.get("GOPATH"))
	if len(goPath) == 0 && home != "" {
		goPath = []string{filepath.Join(home, "go")}
	}
	if e.modCache = e.get("GOMODCACHE"); e.modCache == "" && len(goPath) > 0 {
		e.modCache = filepath.Join(goPath[0], "pkg", "mod")
	}
	if !filepath.IsAbs(e.modCache) {
		e.modCache = ""
	}
	for _, flag := range strings.Fields(e.get("GOFLAGS")) {
		if mode, ok := strings.CutPrefix("-"+strings.TrimLeft(flag, "-"), "-mod="); ok {
			e.mod = mode
		}
	}
	e.local = e.findToolchain(home)
	return e
}

func (e *goEnv) get(name string) string { return cmp.Or(e.getenv(name), e.written[name]) }

// findToolchain returns the toolchain that GOROOT names, else that of the go on PATH, else one
// where installers put it.
func (e *goEnv) findToolchain(home string) toolchain {
	dirs := []string{e.get("GOROOT")}
	for _, dir := range filepath.SplitList(e.getenv("PATH")) {
		program := filepath.Join(dir, "go")
		if runtime.GOOS == "windows" {
			program += ".exe"
		}
		if real, err := filepath.EvalSymlinks(program); err == nil && filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Dir(filepath.Dir(real)))
		}
	}
	for _, dir := range append(dirs, "/usr/local/go", "/usr/lib/go", "/opt/homebrew/opt/go/libexec", filepath.Join(home, "sdk", "go")) {
		if t := toolchainAt(dir); t.dir != "" {
			return t
		}
	}
	return toolchain{}
}

// toolchainAt returns the toolchain in a directory, a zero one when there is none.
func toolchainAt(dir string) toolchain {
	if !filepath.IsAbs(dir) {
		return toolchain{}
	}
	v, _, _ := strings.Cut(smallFile(filepath.Join(dir, "VERSION")), "\n")
	v = strings.TrimSpace(v)
	if info, err := os.Stat(filepath.Join(dir, "src", "fmt")); err != nil || !info.IsDir() || !version.IsValid(v) {
		return toolchain{}
	}
	return toolchain{dir, v}
}

// toolchainFor returns the toolchain that builds a module: the installed one, or a newer one that
// the module asks for and that the go command has put into the module cache.
func (e *goEnv) toolchainFor(wanted ...string) toolchain {
	best := e.local
	for _, v := range wanted {
		if !version.IsValid(v) || version.Compare(v, best.version) <= 0 {
			continue
		}
		dir, ok := cacheDir("golang.org/toolchain", "v0.0.1-"+v+"."+runtime.GOOS+"-"+runtime.GOARCH)
		if !ok || e.modCache == "" {
			continue
		}
		if t := toolchainAt(filepath.Join(e.modCache, filepath.FromSlash(dir))); t.dir != "" {
			best = t
		}
	}
	return best
}

func homeOf(getenv func(string) string) string {
	return cmp.Or(getenv("HOME"), getenv("USERPROFILE"))
}

// configOf returns the directory of the user's settings.
func configOf(getenv func(string) string) string {
	switch home := homeOf(getenv); runtime.GOOS {
	case "windows":
		return getenv("AppData")
	case "darwin":
		return filepath.Join(home, "Library", "Application Support")
	default:
		if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(home, ".config")
	}
}

// smallFile returns the text of a file of the user or of a tool, "" when there is none.
func smallFile(name string) string {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return ""
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}
