package deps

import (
	"path"
	"path/filepath"

	"ambit/vectors/record"
)

func (r *rust) report(files []record.Path) (out Report, ok bool) {
	out = Report{Ecosystem: "Rust", Remedy: "cargo fetch"}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, code := 0, false
	for _, file := range files {
		code = code || path.Ext(string(file)) == ".rs"
		if path.Base(string(file)) != "Cargo.toml" || n == maxManifests {
			continue
		}
		n++
		l := r.lockOf(file)
		if c := l.member(file); c != nil {
			ok = true
			r.addTo(&out, l, c)
		}
		out.Refused = append(out.Refused, l.refused...)
	}
	if !ok && !code {
		return out, false
	}
	r.lockOf(".") // of files without a Cargo.toml
	if std := r.std("std"); std != nil {
		out.Std = &Package{"rust", std.version, filepath.Join(std.base, "std")}
	} else {
		out.Missing = append(out.Missing, Package{Name: "the standard library"})
		out.Remedy += "; for the standard library rustup component add rust-src"
	}
	return out, true
}

// addTo adds the direct dependencies of a package of the workspace.
func (r *rust) addTo(out *Report, l *rsLock, of *rsCrate) {
	for _, d := range of.manifest.inherit(l.manifest) {
		version := d.requirement
		if locked := l.locked(of, d); locked != nil {
			version = locked.Version
		}
		switch c, err := r.resolve(l, of, d); err {
		case nil:
			out.Found = append(out.Found, Package{Name: d.pkg, Version: c.version, Dir: filepath.Join(c.base, filepath.FromSlash(c.dir))})
		case errWorkspace:
		case errAbsent:
			out.Missing = append(out.Missing, Package{Name: d.pkg, Version: version})
		default:
			out.Refused = append(out.Refused, Refused{d.pkg + " = " + d.path, err.Error()})
		}
	}
}
