// Package shelf keeps values in files, for all processes of a user, by a hash of what they were
// made from.
//
// Each value is a file of its own that is renamed into place. So no process ever waits for another
// one, and there is no lock. A value that is damaged is as one that is missing, and its file is
// removed. The values that were used longest ago are removed when all of them take more than a limit.
package shelf

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"ambit/vectors/record"
)

const (
	// used is how exactly the time of the last use is known: a use writes nothing more often.
	used = time.Hour
	// sumBytes is the length of the checksum before a value.
	sumBytes = 8
	// maxUnswept is the part of the limit that a process adds before it looks at the whole shelf.
	maxUnswept = 16
	// kept is what remains of a shelf over its limit, in tenths of the limit.
	kept = 9
)

// Shelf is a directory of values. Its methods are safe for concurrent use, by processes too.
type Shelf struct {
	dir   string
	limit int64 // in bytes

	mu      sync.Mutex // guards all fields below
	added   int64      // bytes since the last sweep
	pending bool       // something was added since
}

// Open returns the shelf in a directory, which need not exist, with at most limit bytes of values
// and a sixteenth more for each process that adds some.
func Open(dir string, limit int64) *Shelf { return &Shelf{dir: dir, limit: limit} }

func (s *Shelf) file(key record.Hash) string {
	name := key.String()
	return filepath.Join(s.dir, name[:2], name[2:])
}

// Get returns a value, nil when there is none.
func (s *Shelf) Get(key record.Hash) []byte {
	name := s.file(key)
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	if len(data) < sumBytes || !bytes.Equal(data[:sumBytes], sum(data[sumBytes:])) {
		_ = os.Remove(name) // it is missing for the next reader, too
		return nil
	}
	if info, err := os.Stat(name); err == nil && time.Since(info.ModTime()) > used {
		now := time.Now()
		_ = os.Chtimes(name, now, now) // without it the value is removed earlier
	}
	return data[sumBytes:]
}

// Put keeps a value. One that cannot be written is made again by the next process.
func (s *Shelf) Put(key record.Hash, value []byte) {
	size := int64(len(value)) + sumBytes
	if size > s.limit/maxUnswept {
		return
	}
	name := s.file(key)
	if os.MkdirAll(filepath.Dir(name), 0o700) != nil {
		return
	}
	next, err := os.CreateTemp(filepath.Dir(name), "new-*") // readable by the user only
	if err != nil {
		return
	}
	_, err = next.Write(append(sum(value), value...))
	if closeErr := next.Close(); err != nil || closeErr != nil || os.Rename(next.Name(), name) != nil {
		_ = os.Remove(next.Name()) // a sweep removes it otherwise
		return
	}
	s.mu.Lock()
	s.added += size
	s.pending = true
	full := s.added > s.limit/maxUnswept
	s.mu.Unlock()
	if full {
		s.Sweep()
	}
}

func sum(value []byte) []byte {
	h := sha256.Sum256(value)
	return h[:sumBytes:sumBytes]
}

// value is a file of a shelf.
type value struct {
	name string
	size int64
	used time.Time
}

// Sweep removes the values that were used longest ago when the shelf has more than its limit. It does
// nothing when nothing was added.
func (s *Shelf) Sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.pending {
		return
	}
	s.added, s.pending = 0, false
	all, total := s.values()
	if total <= s.limit {
		return
	}
	slices.SortFunc(all, func(a, b value) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.name, b.name)) })
	for _, v := range all {
		if total <= s.limit*kept/10 {
			break
		}
		if os.Remove(v.name) == nil {
			total -= v.size
		}
	}
}

// Bytes returns the size of all values.
func (s *Shelf) Bytes() int64 {
	_, total := s.values()
	return total
}

func (s *Shelf) values() (all []value, total int64) {
	_ = filepath.WalkDir(s.dir, func(name string, e fs.DirEntry, err error) error { // what was read counts
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if info, err := e.Info(); err == nil {
			all = append(all, value{name, info.Size(), info.ModTime()})
			total += info.Size()
		}
		return nil
	})
	return all, total
}
