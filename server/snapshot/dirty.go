package snapshot

import (
	"maps"

	"ambit/vectors/record"
)

// A snapshot has the files that have changed on disk and are not indexed yet, up to
// maxRead files with maxReadBytes, a tenth of a second of parsing. Files that have gone
// take a few microseconds each and do not count.
const (
	maxRead      = 32
	maxReadBytes = 512 << 10
)

// changes are files that differ between the disk and the index. It is immutable.
type changes struct {
	files  map[record.Path]*replacement
	unread int // further dirty files, which may differ
}

// changes returns the dirty files that differ from the index. The latest changes come
// first in dirty. Later snapshots reuse the files that one snapshot read. While the
// changes stay the same, it returns the same value, so that their overlay is reused too.
func (s *Source) changes(dirty []record.Path) *changes {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := &changes{files: map[record.Path]*replacement{}}
	files := s.index.now().files
	nRead, bytes := 0, int64(0)
	for i, path := range dirty {
		if nRead == maxRead || bytes > maxReadBytes {
			next.unread = len(dirty) - i
			break
		}
		before := s.last.files[path]
		now := s.onDisk(files, path, before)
		if now == nil || next.files[path] != nil {
			continue
		}
		next.files[path] = now
		if file := &now.analyze().File; file.LeftOut != gone {
			nRead++
			if now != before {
				bytes += file.Size
			}
		}
	}
	if next.unread != s.last.unread || !maps.Equal(next.files, s.last.files) {
		s.last = next
	}
	return s.last
}

// onDisk returns the file at path as it is on disk, nil when the index has the same or
// excludes the file. It returns before, unless nil, when the file has not changed since.
func (s *Source) onDisk(files *catalog, path record.Path, before *replacement) *replacement {
	indexed, known := files.find(path)
	shown := known && indexed.LeftOut == ""
	info, err := s.dir.Lstat(string(path))
	if err != nil || !info.Mode().IsRegular() {
		return s.absent(shown, path, before)
	}
	same := func(f *record.File) bool { return f.Size == info.Size() && f.ModTime == info.ModTime().UnixNano() }
	if shown && same(&indexed) {
		return nil
	}
	if !shown { // the name of a file that is indexed is not excluded
		if e, ok := s.filter.Entry(string(path)); !ok || e.LeftOut != "" {
			return nil
		}
	}
	if before != nil && same(&before.analyze().File) {
		return before
	}
	old := record.File{Path: path}
	if before != nil {
		old = before.analyze().File
	}
	r, differs, err := s.pipeline.Fresh(old)
	switch {
	case err != nil:
		return s.absent(shown, path, before)
	case differs:
		before = s.newFile(r)
	}
	file := &before.analyze().File
	if !known && file.LeftOut != "" || known && indexed.Hash == file.Hash && indexed.LeftOut == file.LeftOut {
		return nil
	}
	return before
}

// absent returns the replacement of a deleted or unreadable file. It returns nil when the
// index does not show the file, and when the whole workspace is missing: its index stays.
func (s *Source) absent(shown bool, path record.Path, before *replacement) *replacement {
	switch {
	case !shown || !s.dir.Current():
		return nil
	case before != nil && before.analyze().File.LeftOut == gone:
		return before
	}
	return s.newFile(record.FileRecord{File: record.File{Path: path, LeftOut: gone}})
}
