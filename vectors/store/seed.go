package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ambit/vectors/record"
)

// seedAge is how old what a Seed left behind must be for Open to remove it: longer than
// any copy takes.
const seedAge = time.Hour

// seedInfix stands in the name of a copy that is not whole yet.
const seedInfix = ".seed-"

// source is the file of an index that is read without its lock, as another process
// holds that for as long as it has a workspace open.
//
// It is safe because bbolt never writes to the pages of a committed state before the
// second transaction after it: the first one writes to pages that were free, and what
// it frees is given out only by its successor. So what was read belongs to one state
// if the file has the same one afterwards.
type source struct {
	pages
	file *os.File
	meta []byte
}

// openSource opens the file at path and checks its pages.
func openSource(path string) (s *source, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	s = &source{pages: pages{file: f, size: info.Size()}, file: f}
	if s.meta, err = s.pages.meta(); err != nil {
		return nil, err
	}
	if err = s.check(); err != nil {
		return nil, errors.Join(err, s.unchanged())
	}
	return s, s.unchanged()
}

// unchanged returns [ErrChanged] when the file has another state than at first.
func (s *source) unchanged() error {
	p := pages{file: s.file, size: s.size}
	if now, err := p.meta(); err != nil || !bytes.Equal(now, s.meta) {
		return ErrChanged
	}
	return nil
}

// Peek returns the files of the index at path, by path, without its lock: another
// process may have it open. It returns [ErrFormat], [ErrModel] and [ErrRecipe] when
// the index is not what Open would take with the same options, [ErrCorrupt], and
// [ErrChanged] when it was written to meanwhile.
func Peek(path string, o Options) (files []record.File, err error) {
	s, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("look into index %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, s.file.Close()) }()
	if files, err = s.peek(o); err != nil {
		err = errors.Join(err, s.unchanged())
	} else {
		err = s.unchanged()
	}
	if err != nil {
		return nil, fmt.Errorf("look into index %s: %w", path, err)
	}
	return files, nil
}

func (s *source) peek(o Options) (files []record.File, err error) {
	values := map[string][]byte{}
	err = s.each(tableMeta, func(key, value []byte) error {
		values[string(key)] = bytes.Clone(value)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := checkVersion(values[keyVersion]); err != nil {
		return nil, err
	}
	st, ok := decodeState(values[keyState])
	if !ok {
		return nil, corruptf("bad state")
	}
	if err := st.suits(o); err != nil {
		return nil, err
	}
	words := newInterned()
	err = s.each(tableFiles, func(key, value []byte) error {
		f, ok := decodeFile(value, words)
		if !ok {
			return corruptf("bad row of %q", key)
		}
		f.Path = record.Path(key)
		if n := len(files); n > 0 && files[n-1].Path >= f.Path {
			return corruptf("%q is at the wrong place", key)
		}
		files = append(files, f)
		return nil
	})
	if err == nil && uint64(len(files)) != st.files {
		err = corruptf("%d files instead of %d", len(files), st.files)
	}
	return files, err
}

// each calls fn with the pairs of a table, in order, the values without their seals.
func (s *source) each(tb table, fn func(key, value []byte) error) error {
	top, err := s.read(binary.LittleEndian.Uint64(s.meta[16:]))
	if err != nil {
		return err
	}
	visit := func(key, value []byte) error {
		value, err := unseal(tb, key, value)
		if err != nil {
			return err
		}
		return fn(key, value)
	}
	for i := range int(top.count) {
		key, value, ok := top.pair(i)
		if !ok || len(value) < bucketBytes {
			return corruptf("bad table of tables")
		}
		if !bytes.Equal(key, tableNames[tb]) {
			continue
		}
		if id := binary.LittleEndian.Uint64(value); id != 0 {
			return s.leaves(id, 0, visit)
		}
		inside := page{body: value[bucketBytes:]}
		if len(inside.body) < pageHeaderBytes {
			return corruptf("bad table of tables")
		}
		inside.count = binary.LittleEndian.Uint16(inside.body[10:])
		inside.body = inside.body[pageHeaderBytes:]
		return inside.pairs(visit)
	}
	return corruptf("no table %s", tableNames[tb])
}

// leaves calls fn with the pairs of all leaves at and below page id.
func (s *source) leaves(id uint64, depth int, fn func(key, value []byte) error) error {
	pg, err := s.read(id)
	if err != nil {
		return err
	}
	if pg.flags == leafFlag {
		if pg, err = s.readAll(id); err != nil {
			return err
		}
		return pg.pairs(fn)
	}
	if pg.flags != branchFlag || depth > maxDepth || int(pg.count)*elementBytes > len(pg.body) {
		return corruptf("page %d is neither branch nor leaf", id)
	}
	for i := range int(pg.count) {
		if err := s.leaves(binary.LittleEndian.Uint64(pg.body[i*elementBytes+8:]), depth+1, fn); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads a leaf with its overflow.
func (s *source) readAll(id uint64) (page, error) {
	head := make([]byte, pageHeaderBytes)
	if _, err := s.file.ReadAt(head, int64(id*s.pageSize)); err != nil {
		return page{}, err
	}
	n := uint64(binary.LittleEndian.Uint32(head[12:])) + 1
	if n > s.n-id {
		return page{}, corruptf("page %d does not say so", id)
	}
	b := make([]byte, n*s.pageSize)
	if _, err := s.file.ReadAt(b, int64(id*s.pageSize)); err != nil {
		return page{}, err
	}
	return page{flags: leafFlag, count: binary.LittleEndian.Uint16(b[10:]), body: b[pageHeaderBytes:]}, nil
}

// pairs calls fn with the pairs of a leaf.
func (pg *page) pairs(fn func(key, value []byte) error) error {
	for i := range int(pg.count) {
		key, value, ok := pg.pair(i)
		if !ok {
			return corruptf("bad leaf")
		}
		if err := fn(key, value); err != nil {
			return err
		}
	}
	return nil
}

// pair returns element i of a leaf.
func (pg *page) pair(i int) (key, value []byte, ok bool) {
	at := i * elementBytes
	if at+elementBytes > len(pg.body) {
		return nil, nil, false
	}
	e := pg.body[at:]
	le := binary.LittleEndian
	start := uint64(at) + uint64(le.Uint32(e[4:]))
	middle := start + uint64(le.Uint32(e[8:]))
	end := middle + uint64(le.Uint32(e[12:]))
	if end > uint64(len(pg.body)) {
		return nil, nil, false
	}
	return pg.body[start:middle], pg.body[middle:end], true
}

// Seed starts the index at path, which does not exist, as a copy of the one at from,
// which another process may have open. The copy takes no file for granted: every time
// is voided, so that each file is read and compared, and the history is left out. Its
// errors are those of [Peek] and those of the system; path then stays as it is, also
// when another process has made it meanwhile.
func Seed(ctx context.Context, path, from string, o Options) error {
	if err := seed(ctx, path, from, o); err != nil {
		return fmt.Errorf("copy index %s: %w", from, err)
	}
	return nil
}

func seed(ctx context.Context, path, from string, o Options) (err error) {
	s, err := openSource(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.file.Close()) }()
	to, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+seedInfix+"*") // of mode 0600
	if err != nil {
		return explain(err)
	}
	defer os.Remove(to.Name())
	_, err = io.CopyN(to, s.file, int64(s.n*s.pageSize)) // by the system, where it can share the blocks
	if err = errors.Join(err, to.Close()); err != nil {
		return explain(err)
	}
	if err := errors.Join(s.unchanged(), ctx.Err()); err != nil {
		return err
	}
	db, err := Open(to.Name(), o)
	if err != nil {
		return err
	}
	if err := errors.Join(db.disown(ctx, from), db.Close()); err != nil {
		return err
	}
	return os.Link(to.Name(), path) // which, unlike a rename, replaces nothing
}

// removeOld removes what a Seed left behind that did not end.
func removeOld(path string) {
	dir, prefix := filepath.Dir(path), filepath.Base(path)+seedInfix
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > seedAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// disown takes out of a copy what is true of the original's workspace only.
func (db *DB) disown(ctx context.Context, from string) error {
	return db.update(ctx, func(t *txn) error {
		files, err := t.files()
		if err != nil {
			return err
		}
		for i := range files {
			files[i].ModTime = 0
			if err := t.put(tableFiles, []byte(files[i].Path), encodeFile(&files[i])); err != nil {
				return err
			}
		}
		if err := t.deleteBlob(historyBlob()); err != nil {
			return err
		}
		st, err := t.state()
		if err != nil {
			return err
		}
		st.seed, st.embedded, st.kept, st.recalled = from, 0, 0, 0
		return t.putState(&st)
	})
}
