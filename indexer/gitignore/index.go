package gitignore

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// maxIndexBytes bounds .git/index; that of a million files has 100 MB. A larger one is
// not read, and tracked files that a rule ignores are then ignored.
const maxIndexBytes = 512 << 20

// The names of version 4 share prefixes, so the names of a forged index could grow without
// end. The names of a real index have about as many bytes as the index.
const (
	maxPath   = 4096
	maxGrowth = 4
)

// trackedNames is the sorted list of the paths in a git index.
type trackedNames struct {
	text []byte
	ends []int // of each name in text
}

// readIndex reads the paths of the index in a git directory. A missing or malformed entry
// ends the list: tracked files after it that a rule ignores are then ignored, and nothing
// else changes.
//
// A split index is the union of its two files: a path that the second one deletes
// still counts as tracked.
//
// Source: gitformat-index(5), versions 2 to 4.
func readIndex(gitDir string, sha256 bool) *trackedNames {
	hashLen := 20
	if sha256 {
		hashLen = 32
	}
	names, shared := parseIndex(readRegular(filepath.Join(gitDir, "index"), maxIndexBytes), hashLen)
	if shared != "" {
		more, _ := parseIndex(readRegular(filepath.Join(gitDir, "sharedindex."+shared), maxIndexBytes), hashLen)
		names = names.union(more)
	}
	return names
}

// readRegular returns the content of a regular file of at most so many bytes, else nil: a
// pipe would block.
func readRegular(file string, most int64) []byte {
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > most {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return data
}

// parseIndex returns the paths of an index file, and the name of the index that
// it shares, "" when it shares none.
func parseIndex(data []byte, hashLen int) (names *trackedNames, shared string) {
	names = &trackedNames{}
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return names, ""
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	if version < 2 || version > 4 {
		return names, ""
	}
	pos, prev := 12, []byte(nil)
	for range count {
		var name []byte
		if name, pos = indexEntry(data, pos, prev, hashLen, version); pos < 0 {
			return names, ""
		}
		if len(name) > maxPath || len(names.text) > maxGrowth*len(data) {
			return names, ""
		}
		if len(name) > 0 { // an entry that replaces a shared one has no name
			names.add(name)
		}
		prev = name
	}
	for len(data)-pos >= 8+hashLen { // extensions, then the checksum
		size := int64(binary.BigEndian.Uint32(data[pos+4:]))
		if string(data[pos:pos+4]) == "link" && size >= int64(hashLen) {
			return names, hex.EncodeToString(data[pos+8 : pos+8+hashLen])
		}
		if size > int64(len(data)-pos-8) {
			break
		}
		pos += 8 + int(size)
	}
	return names, ""
}

// indexEntry reads the entry at pos; next is -1 when there is none.
func indexEntry(data []byte, pos int, prev []byte, hashLen int, version uint32) (name []byte, next int) {
	const statLen, extended = 40, 0x4000
	start := pos
	if pos += statLen + hashLen + 2; pos > len(data) {
		return nil, -1
	}
	if binary.BigEndian.Uint16(data[pos-2:])&extended != 0 && version >= 3 {
		pos += 2
	}
	strip := 0
	if version == 4 {
		if strip, pos = offsetVarint(data, pos); pos < 0 || strip > len(prev) {
			return nil, -1
		}
	}
	if pos > len(data) {
		return nil, -1
	}
	n := bytes.IndexByte(data[pos:], 0)
	if n < 0 {
		return nil, -1
	}
	name, pos = data[pos:pos+n], pos+n+1
	if version == 4 {
		return append(prev[:len(prev)-strip:len(prev)-strip], name...), pos
	}
	if pos = start + (pos-1-start+8)&^7; pos > len(data) { // 1 to 8 NULs
		return nil, -1
	}
	return name, pos
}

// offsetVarint decodes the integer of pack offsets (gitformat-pack(5)).
func offsetVarint(data []byte, pos int) (value, next int) {
	for ; pos < len(data) && value < 1<<24; pos++ {
		value = value<<7 | int(data[pos]&0x7f)
		if data[pos]&0x80 == 0 {
			return value, pos + 1
		}
		value++
	}
	return 0, -1
}

// add appends a name, once for all stages of a conflict.
func (t *trackedNames) add(name []byte) {
	if n := len(t.ends); n > 0 && t.name(n-1) == string(name) {
		return
	}
	t.text = append(t.text, name...)
	t.ends = append(t.ends, len(t.text))
}

func (t *trackedNames) name(i int) string {
	start := 0
	if i > 0 {
		start = t.ends[i-1]
	}
	return string(t.text[start:t.ends[i]])
}

// from returns the index of the first name that is not less than s.
func (t *trackedNames) from(s string) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.name(i) >= s })
}

// has reports whether the name is in the list.
func (t *trackedNames) has(name string) bool {
	i := t.from(name)
	return i < len(t.ends) && t.name(i) == name
}

// hasBelow reports whether a name starts with dir, which ends in "/".
func (t *trackedNames) hasBelow(dir string) bool {
	i := t.from(dir)
	return i < len(t.ends) && strings.HasPrefix(t.name(i), dir)
}

// union returns the names of both, sorted.
func (t *trackedNames) union(o *trackedNames) *trackedNames {
	var all []string
	for _, l := range []*trackedNames{t, o} {
		for i := range l.ends {
			all = append(all, l.name(i))
		}
	}
	slices.Sort(all)
	u := &trackedNames{}
	for _, n := range all {
		u.add([]byte(n))
	}
	return u
}

// equal reports whether both lists name the same files.
func (t *trackedNames) equal(o *trackedNames) bool {
	return bytes.Equal(t.text, o.text) && slices.Equal(t.ends, o.ends)
}
