package deps

import (
	"path"
	"path/filepath"

	"ambit/vectors/record"
)

func (c *clang) report(files []record.Path) (out Report, ok bool) {
	out = Report{Ecosystem: "C and C++"}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]bool{}
	for _, file := range files {
		if !c.serves(path.Ext(string(file))) || seen[path.Dir(string(file))] {
			continue
		}
		ok, seen[path.Dir(string(file))] = true, true
		p := c.project(file)
		if seen["\x00"+p.at] {
			continue
		}
		seen["\x00"+p.at] = true
		out.Refused = append(out.Refused, p.refused...)
		for _, d := range p.all {
			dir := filepath.Join(d.base, filepath.FromSlash(d.dir))
			if d.base != c.root {
				out.Found = append(out.Found, Package{Name: dir, Dir: dir})
			}
		}
		if p.at == "" {
			out.Missing = append(out.Missing, Package{Name: "compile_commands.json"})
			out.Remedy = "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or bear -- make,"
		}
	}
	if !ok {
		return out, false
	}
	for _, d := range c.system.common {
		if header := filepath.Join(d.base, "stdio.h"); !stampOf(header).modTime.IsZero() {
			out.Std = &Package{"c", c.system.version, d.base}
			return out, true
		}
	}
	out.Missing = append(out.Missing, Package{Name: "the standard library"})
	if out.Remedy != "" {
		out.Remedy += " and "
	}
	out.Remedy += "a C compiler with its headers (of Debian the package libc6-dev)"
	return out, true
}
