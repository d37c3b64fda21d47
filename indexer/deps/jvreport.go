package deps

import (
	"path"
	"strings"

	"ambit/vectors/record"
)

func (j *java) report(files []record.Path) (out Report, ok bool) {
	out = Report{Ecosystem: "Java"}
	j.mu.Lock()
	defer j.mu.Unlock()
	seen := map[string]bool{}
	var remedies []string
	for _, file := range files {
		if !j.serves(path.Ext(string(file))) || seen[path.Dir(string(file))] {
			continue
		}
		ok, seen[path.Dir(string(file))] = true, true
		p := j.project(file)
		if seen["\x00"+p.dir] {
			continue
		}
		seen["\x00"+p.dir] = true
		remedy := "mvn dependency:sources"
		if p.gradle {
			remedy = "gradle eclipseClasspath, with the plugin eclipse,"
		}
		if j.addTo(p, &out) && !seen[remedy] {
			seen[remedy] = true
			remedies = append(remedies, remedy)
		}
	}
	if j.std != nil {
		out.Std = &Package{"java", j.jdk.version, j.jdk.archive}
	} else if ok {
		out.Missing = append(out.Missing, Package{Name: "the standard library", Version: j.jdk.version})
		remedies = append(remedies, "for the standard library a JDK with lib/src.zip on PATH or in JAVA_HOME (of Debian the package openjdk-17-source)")
	}
	out.Remedy = strings.Join(remedies, "; ")
	return out, ok
}

// addTo adds the direct dependencies of a project. It reports whether sources of one are missing.
func (j *java) addTo(p *jvProject, r *Report) (missing bool) {
	r.Refused = append(r.Refused, p.refused...)
	for _, n := range p.direct {
		for _, a := range p.artifacts {
			if a.key() != n.key() {
				continue
			}
			d := Package{Name: a.key(), Version: a.version, Dir: a.dir}
			if a.sources != nil {
				r.Found = append(r.Found, d)
				continue
			}
			d.Dir, missing = "", true
			r.Missing = append(r.Missing, d)
		}
	}
	return missing
}
