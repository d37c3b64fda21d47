package deps

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"
)

// std returns a crate of the standard library: of the toolchain that rustup uses, else of the
// packages of Linux distributions. The caller holds the mutex.
func (r *rust) std(name string) *rsCrate {
	for _, t := range r.toolchains() {
		library := filepath.Join(t.dir, "lib", "rustlib", "src", "rust", "library")
		real, err := filepath.EvalSymlinks(library)
		if err != nil || filepath.Base(real) != "library" {
			continue
		}
		c, err := r.crateAt(real, name, name, "")
		if err != nil {
			continue
		}
		c.std, c.version = true, t.version
		return c
	}
	return nil
}

// toolchains returns the toolchains that can be in use, the likeliest first.
func (r *rust) toolchains() (out []toolchain) {
	rustup := r.getenv("RUSTUP_HOME")
	if home := homeOf(r.getenv); rustup == "" && home != "" {
		rustup = filepath.Join(home, ".rustup")
	}
	if filepath.IsAbs(rustup) {
		var settings struct {
			Default string `toml:"default_toolchain"`
		}
		_ = toml.Unmarshal([]byte(smallFile(filepath.Join(rustup, "settings.toml"))), &settings) // without it the newest counts
		wanted := cmp.Or(r.getenv("RUSTUP_TOOLCHAIN"), settings.Default)
		dirs := directories(rustup, "toolchains")
		for i := range dirs {
			dir := dirs[len(dirs)-1-i]
			channel, _, _ := strings.Cut(dir, "-")
			t := toolchain{filepath.Join(rustup, "toolchains", dir), channel}
			if wanted != "" && (dir == wanted || strings.HasPrefix(dir, wanted+"-")) {
				out = append([]toolchain{t}, out...)
			} else {
				out = append(out, t)
			}
		}
	}
	for _, dir := range filepath.SplitList(r.getenv("PATH")) {
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "rustc")); err == nil && filepath.IsAbs(dir) {
			out = append(out, toolchain{dir: filepath.Dir(filepath.Dir(real))})
		}
	}
	out = append(out, toolchain{dir: "/usr"}) // where Linux distributions put it
	for i, t := range out {
		if real, err := filepath.EvalSymlinks(filepath.Join(t.dir, "lib", "rustlib", "src", "rust")); t.version == "" && err == nil {
			if v, ok := strings.CutPrefix(path.Base(filepath.ToSlash(real)), "rustc-"); ok && isVersion(v) {
				out[i].version = v // /usr/src/rustc-1.63.0
			}
		}
	}
	return out
}
