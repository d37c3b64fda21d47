package deps

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/indexer/redact"
	"ambit/vectors/record"
)

const (
	// maxFileBytes bounds a file: larger ones are generated tables.
	maxFileBytes = 1 << 20
	// maxDirFiles bounds the files of a package.
	maxDirFiles = 2000
)

// open opens a directory below a base. No symbolic link leads out of the base.
func open(base, dir string) (*os.Root, error) {
	root, err := os.OpenRoot(base)
	if err != nil || dir == "." {
		return root, err
	}
	defer func() { _ = root.Close() }() // nothing is written
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil, errors.New("the path leads out of " + base)
	}
	return root.OpenRoot(filepath.FromSlash(dir))
}

// readFile returns the content of a regular file of at most maxFileBytes.
func readFile(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	return readUpTo(root, name, maxFileBytes)
}

// readUpTo returns the content of a regular file of at most most bytes.
func readUpTo(root *os.Root, name string, most int64) ([]byte, fs.FileInfo, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // it is only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errors.New("no regular file")
	case info.Size() > most:
		return nil, nil, errors.New("too large")
	}
	text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead)) // without the copies of a growing buffer
	_, err = text.ReadFrom(io.LimitReader(f, most))
	return text.Bytes(), info, err
}

// declaring returns at most most of the files of a package that declare one of the names.
func (c *Cache) declaring(ctx context.Context, s source, names []string, most int) []*File {
	root, err := open(s.base, s.dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // nothing is written
	var found []*File
	for _, e := range regularFiles(root) {
		if len(found) >= most || ctx.Err() != nil {
			break
		}
		if file := c.declared(root, &s, e, names); file != nil {
			found = append(found, file)
		}
	}
	return found
}

// declared returns a file of a package that declares one of the names, nil for another one.
func (c *Cache) declared(root *os.Root, s *source, info fs.FileInfo, names []string) *File {
	e := c.entry(s.key(info.Name()), info.Size(), info.ModTime())
	if e == nil {
		if e = newEntry(root, s, info); e == nil {
			return nil
		}
		c.keep(e)
	}
	if !slices.ContainsFunc(names, e.declares) {
		return nil
	}
	return c.parsed(e, func() *File { return c.parse(root, s, info.Name()) })
}

// regularFiles returns the regular files of a directory by name.
func regularFiles(root *os.Root) []fs.FileInfo {
	dir, err := root.Open(".")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()     // it is only read
	entries, _ := dir.ReadDir(maxDirFiles) // what was read is used
	var files []fs.FileInfo
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil && info.Size() <= maxFileBytes {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return files
}

// newEntry returns what the cache knows of a file before it is parsed: the names that it
// declares, none when the file is not of the package. It returns nil for an unreadable file.
func newEntry(root *os.Root, s *source, info fs.FileInfo) *entry {
	e := &entry{key: s.key(info.Name()), size: info.Size(), modTime: info.ModTime()}
	if !s.accepts(root, info.Name()) {
		return e
	}
	text, _, err := readFile(root, info.Name())
	if err != nil {
		return nil
	}
	e.names = s.names(text)
	return e
}

// parse returns a file of a package, nil when it is no text.
func (c *Cache) parse(root *os.Root, s *source, name string) *File {
	text, _, err := readFile(root, name)
	if err != nil || !utf8.Valid(text) {
		return nil
	}
	return c.parseText(s, name, text)
}

// minShelved is the size from which a parsed file is kept on the shelf: a smaller one is parsed in a
// millisecond or two.
const minShelved = 4 << 10

// parseText returns a file of a package with a text. What it uses is not asked for.
func (c *Cache) parseText(s *source, name string, text []byte) *File {
	if c.shelf == nil || len(text) < minShelved {
		f, _ := analyze(s, name, text, false)
		f.Record.Graph.Edges = nil
		return f
	}
	p := s.record(name)
	key := record.Hash(sha256.Sum256(slices.Concat([]byte(p), []byte{0}, text)))
	if known, ok := c.shelf.Get(key); ok {
		if known.Text != nil {
			text = known.Text
		}
		known.Graph.Path = p
		return fileOf(s, name, text, known.Graph)
	}
	f, _ := analyze(s, name, text, false)
	f.Record.Graph.Edges = nil
	made := &Parsed{Graph: f.Record.Graph}
	if !bytes.Equal(text, f.Text) {
		made.Text = f.Text
	}
	c.shelf.Put(key, made)
	return f
}

// fileOf returns a file of a package with its masked text and its graph.
func fileOf(s *source, name string, text []byte, g record.FileGraph) *File {
	f := &File{Path: record.Path(path.Join(string(s.shown), name)), Package: s.pkg, Name: s.absolute(name), Text: text, Std: s.std}
	f.Record = record.FileRecord{File: record.File{Path: g.Path, Size: int64(len(text)), Language: g.Language}, Graph: g}
	return f
}

// analyze returns a file of a package with a text, and its outline. Without uses the outline can lack those
// in the bodies of functions.
func analyze(s *source, name string, text []byte, uses bool) (*File, languages.Outline) {
	text, _ = redact.Mask(name, text)
	read := text
	if s.plain != nil {
		read = s.plain(text)
	}
	if s.brief != nil && !uses {
		read = s.brief(read)
	}
	o := languages.Parse(s.record(name), read)
	f := fileOf(s, name, text, graph.Extract(&o))
	if s.extend != nil {
		s.extend(f)
	}
	return f, o
}

// file returns a file of a source, parsed, nil when it cannot be read. A file that the cache has
// in its present state is not opened.
func (c *Cache) file(s *source, name string) *File {
	info, err := os.Lstat(s.absolute(name))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileBytes {
		return nil
	}
	return c.remembered(s, name, stateOf(info), func() *File {
		root, err := open(s.base, s.dir)
		if err != nil {
			return nil
		}
		defer func() { _ = root.Close() }() // nothing is written
		if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
			return nil
		}
		return c.parse(root, s, name)
	})
}

// remembered returns a file of a source in a state, from the cache or by parsing it.
func (c *Cache) remembered(s *source, name string, in stamp, parse func() *File) *File {
	e := c.entry(s.key(name), in.size, in.modTime)
	if e == nil {
		e = &entry{key: s.key(name), size: in.size, modTime: in.modTime}
		c.keep(e)
	}
	return c.parsed(e, parse)
}

// stamp is a file that something was read from, in its state; a zero one when it was absent.
type stamp struct {
	name    string // relative to the workspace
	size    int64
	modTime time.Time
}

// stateOf returns the state that a file has by what is known of it.
func stateOf(info fs.FileInfo) stamp { return stamp{info.Name(), info.Size(), info.ModTime()} }

// readStamped returns a file of the workspace, nil when it cannot be read, and its state.
func readStamped(root *os.Root, name string) ([]byte, stamp) {
	text, info, err := readFile(root, filepath.FromSlash(name))
	s := stamp{name: name}
	if err == nil {
		s.size, s.modTime = info.Size(), info.ModTime()
	}
	return text, s
}

// areCurrent reports whether files are as they were when stampOf described them.
func areCurrent(files []stamp) bool {
	return !slices.ContainsFunc(files, func(s stamp) bool { return stampOf(s.name) != s })
}

// isCurrent reports whether files are as they were read.
func isCurrent(root *os.Root, files []stamp) bool {
	return !slices.ContainsFunc(files, func(s stamp) bool {
		now := stamp{name: s.name}
		if info, err := root.Stat(filepath.FromSlash(s.name)); err == nil {
			now.size, now.modTime = info.Size(), info.ModTime()
		}
		return now.size != s.size || !now.modTime.Equal(s.modTime)
	})
}
