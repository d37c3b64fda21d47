package deps

import (
	"os"
	"time"
)

// cFolder is the names in a directory, in a state of it.
type cFolder struct {
	state stamp
	names map[string]bool // nil when there are too many
}

// maxFolderNames bounds the names of a directory that are kept: /usr/include has some hundreds.
const maxFolderNames = 20_000

// has reports whether a directory can have a file with a name. Most are not there: one directory of a
// compiler after the other is asked for each header.
func (c *clang) has(dir, name string) bool {
	if c.asked != nil {
		c.asked[dir] = true
	}
	f := c.folders[dir]
	if f == nil || !c.isSame(f.state) {
		f = readFolder(dir)
		c.folders[dir] = f
	}
	return f.names == nil || f.names[name]
}

// readFolder reads the names in a directory, none when there is no directory.
func readFolder(dir string) *cFolder {
	f := &cFolder{state: stampOf(dir), names: map[string]bool{}}
	d, err := os.Open(dir)
	if err != nil {
		return f
	}
	defer func() { _ = d.Close() }()           // it is only read
	names, _ := d.Readdirnames(maxFolderNames) // what was read counts
	if len(names) == maxFolderNames {
		f.names = nil
		return f
	}
	for _, name := range names {
		f.names[name] = true
	}
	return f
}

// look begins to read states anew when those that are known are too old.
func (c *clang) look() {
	if now := time.Now(); now.Sub(c.looked) > lookAgain {
		c.looked, c.same = now, map[stamp]bool{}
		c.looks++
	}
}

// isSame reports whether a file or a directory is in a state.
func (c *clang) isSame(s stamp) bool {
	c.look()
	same, known := c.same[s]
	if !known {
		same = stampOf(s.name) == s
		c.same[s] = same
	}
	return same
}

// forget removes what is known of headers.
func (c *clang) forget() {
	clear(c.headers)
	clear(c.records)
	clear(c.entered)
	clear(c.folders)
	clear(c.projects)
}
