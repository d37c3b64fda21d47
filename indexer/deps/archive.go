package deps

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"ambit/vectors/record"
)

const (
	// maxArchiveBytes bounds an archive: the sources of a JDK are 53 MB.
	maxArchiveBytes = 256 << 20
	// maxArchiveFiles bounds the entries of an archive that count: those of a JDK are 16,000.
	maxArchiveFiles = 40_000
)

// archive is a zip file with sources. Nothing of it is unpacked to the disk: an entry is read to
// memory, so its name leads nowhere.
type archive struct {
	base, name string // of the file: name is below base, with slashes
	info       fs.FileInfo
	entries    map[string]*zip.File // by the name of the entry
}

// archiveFile reads a file that it opens for each read: an archive is in use for as long as the
// workspace is open, and hundreds of them would be open at once. No symbolic link leads out of base.
type archiveFile struct {
	base, name string
	opened     *os.File // while the list of entries is read
}

// ReadAt implements [io.ReaderAt].
func (a *archiveFile) ReadAt(p []byte, offset int64) (int, error) {
	if a.opened != nil {
		return a.opened.ReadAt(p, offset)
	}
	f, err := os.OpenInRoot(a.base, a.name)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // it is only read
	return f.ReadAt(p, offset)
}

// openArchive reads the list of the entries of an archive that accepts takes.
func openArchive(base, name string, accepts func(string) bool) (*archive, error) {
	local := filepath.FromSlash(name)
	f, err := os.OpenInRoot(base, local)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("no regular file")
	case info.Size() > maxArchiveBytes:
		return nil, errors.New("too large")
	}
	at := &archiveFile{base, local, f}
	r, err := zip.NewReader(at, info.Size())
	at.opened = nil
	if err != nil {
		return nil, err
	}
	a := &archive{base: base, name: name, info: info, entries: map[string]*zip.File{}}
	for _, e := range r.File {
		if a.entries[e.Name] == nil && len(a.entries) < maxArchiveFiles && fs.ValidPath(e.Name) && e.Mode().IsRegular() && accepts(e.Name) {
			a.entries[e.Name] = e
		}
	}
	return a, nil
}

// read returns the content of an entry of at most maxFileBytes, whatever size the archive claims.
func (a *archive) read(entry string) ([]byte, error) {
	e := a.entries[entry]
	if e == nil {
		return nil, fs.ErrNotExist
	}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it is only read
	text, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err == nil && len(text) > maxFileBytes {
		return nil, errors.New("too large")
	}
	return text, err
}

// archiveMark stands between the name of an archive and that of an entry, as in the URLs of Java.
const archiveMark = "!/"

// entryFile returns an entry of an archive, parsed, nil when it is no text. s describes the
// directory of the entry: its base is the archive.
func (c *Cache) entryFile(a *archive, s *source, entry string) *File {
	return c.remembered(s, path.Base(entry), stateOf(a.info), func() *File {
		text, err := a.read(entry)
		if err != nil || !utf8.Valid(text) {
			return nil
		}
		f := c.parseText(s, path.Base(entry), text)
		f.Name, f.InArchive = a.nameOf(entry), true
		return f
	})
}

// file returns the absolute path of the archive.
func (a *archive) file() string { return filepath.Join(a.base, filepath.FromSlash(a.name)) }

// nameOf returns the name of an entry, see [File.Name].
func (a *archive) nameOf(entry string) string { return a.file() + archiveMark + entry }

// sourceOf returns the directory of an entry.
func (a *archive) sourceOf(entry, view, pkg string, std bool) *source {
	dir := path.Dir(entry)
	return &source{base: a.file() + "!", dir: dir, view: record.Path(view), shown: record.Path(path.Join(pkg, dir)), pkg: pkg, std: std}
}

// Text returns the text of a file by its name, as [File.Name] has it, with secrets masked. It returns
// an error for a file that Locate does not find, and for an entry of an archive that Find would not
// read.
func (f *Finder) Text(files []record.Path, name string) ([]byte, error) {
	i := strings.LastIndex(name, archiveMark)
	if i < 0 {
		at, err := f.Locate(files, name)
		if err != nil {
			return nil, err
		}
		return at.File.Text, nil
	}
	for _, e := range f.ecosystems {
		if j, ok := e.(*java); ok {
			return j.text(name[:i], name[i+len(archiveMark):])
		}
	}
	return nil, fs.ErrNotExist
}
