package main

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// debian writes the Debian package of a Linux platform. The binary is static, so it depends
// on nothing and suits every release of Debian and Ubuntu.
func (r *release) debian(p platform, binary []byte, s *shared) error {
	if p.debian == "" {
		return nil
	}
	files, err := r.debianFiles(p, binary, s)
	if err != nil {
		return err
	}
	var sums strings.Builder
	size := 0
	for _, e := range sorted(files) {
		size += len(e.data)
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(e.data), e.name)
	}
	version := strings.Replace(r.version, "-", "~", 1)
	control := fmt.Sprintf("Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: The %s authors <%s>\nInstalled-Size: %d\n"+
		"Section: devel\nPriority: optional\nHomepage: %s\n"+
		"Description: code that belongs with a symbol or answers a question\n"+
		" ambit finds what belongs with a symbol or answers a question about a\n"+
		" source tree, within a budget of tokens, and serves it to editors (by the\n"+
		" Language Server Protocol), to agents (by the Model Context Protocol) and\n"+
		" on the command line. It works offline.\n",
		name, version, p.debian, name, maintainer, (size+1023)/1024, address)
	head, err := tarGz([]entry{{"./", 0o755, nil}, {"./control", 0o644, []byte(control)}, {"./md5sums", 0o644, []byte(sums.String())}}, r.date)
	if err != nil {
		return err
	}
	body, err := tarGz(withDirectories(files), r.date)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s_%s_%s.deb", name, version, p.debian), ar([]entry{
		{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, head}, {"data.tar.gz", 0o644, body},
	}, r.date))
}

// maintainer is the address in the Debian package.
const maintainer = "OWNER@users.noreply.github.com"

// debianFiles returns the files that the package installs.
func (r *release) debianFiles(p platform, binary []byte, s *shared) ([]entry, error) {
	manual, err := gzipped(s.manual)
	if err != nil {
		return nil, err
	}
	notices, err := gzipped(s.noticesOf(p))
	if err != nil {
		return nil, err
	}
	log, err := gzipped(fmt.Appendf(nil, "%s (%s) unstable; urgency=medium\n\n  * See %s/releases.\n\n -- The %s authors <%s>  %s\n",
		name, strings.Replace(r.version, "-", "~", 1), address, name, maintainer, r.date.Format(time.RFC1123Z)))
	if err != nil {
		return nil, err
	}
	doc := "usr/share/doc/" + name + "/"
	files := []entry{
		{"usr/bin/" + name, 0o755, binary},
		{"usr/share/man/man1/" + name + ".1.gz", 0o644, manual},
		{doc + "copyright", 0o644, slices.Concat(s.licence, []byte("\nTHIRD-PARTY.md.gz beside this file has the licences of what is linked into ambit.\n"))},
		{doc + "THIRD-PARTY.md.gz", 0o644, notices},
		{doc + "changelog.gz", 0o644, log},
		{"usr/share/lintian/overrides/" + name, 0o644, []byte("# one binary for every release of Debian and Ubuntu\n" + name + ": statically-linked-binary [usr/bin/" + name + "]\n")},
	}
	places := map[string]string{
		"ambit.bash": "usr/share/bash-completion/completions/" + name,
		"_ambit":     "usr/share/zsh/vendor-completions/_" + name,
		"ambit.fish": "usr/share/fish/vendor_completions.d/" + name + ".fish",
	}
	for _, c := range s.completions {
		if place := places[c.name]; place != "" {
			files = append(files, entry{place, c.mode, c.data})
		}
	}
	return files, nil
}

// withDirectories returns the files below "./" and the directories that hold them.
func withDirectories(files []entry) []entry {
	all := []entry{{"./", 0o755, nil}}
	seen := map[string]bool{".": true}
	for _, f := range files {
		for dir := path.Dir(f.name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			all = append(all, entry{"./" + dir + "/", 0o755, nil})
		}
		all = append(all, entry{"./" + f.name, f.mode, f.data})
	}
	return all
}

// ar returns an archive in the format of ar(1), the outer one of a Debian package.
func ar(entries []entry, date time.Time) []byte {
	var b bytes.Buffer
	b.WriteString("!<arch>\n")
	for _, e := range entries {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", e.name, date.Unix(), 0, 0, 0o100000|e.mode, len(e.data))
		b.Write(e.data)
		if len(e.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.Bytes()
}
