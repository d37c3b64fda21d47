package store

import (
	"context"
	"fmt"
	"slices"

	"ambit/vectors/record"
)

// maxPathBytes is the longest key that bbolt takes.
const maxPathBytes = 32768

// Files returns all files of the index, left out ones included, by path.
func (r *Reader) Files(ctx context.Context) (files []record.Row, err error) {
	err = r.EachFile(ctx, func(n int) { files = make([]record.Row, 0, n) }, func(f record.Row) { files = append(files, f) })
	return files, err
}

// EachFile calls begin with the number of files of the index, left out ones included, and then fn with
// each of them, by path. Neither may call the store or panic. After an error the caller has seen
// some of the files.
func (r *Reader) EachFile(ctx context.Context, begin func(n int), fn func(record.Row)) error {
	err := r.view(ctx, func(t *txn) error { return t.eachFile(begin, fn) })
	if err != nil {
		return fmt.Errorf("read file table: %w", err)
	}
	return nil
}

// files reads the file table in one pass.
func (t *txn) files() (files []record.Row, err error) {
	err = t.eachFile(func(n int) { files = make([]record.Row, 0, n) }, func(f record.Row) { files = append(files, f) })
	return files, err
}

// eachFile is [Reader.EachFile].
func (t *txn) eachFile(begin func(n int), fn func(record.Row)) error {
	s, err := t.state()
	if err != nil {
		return err
	}
	begin(int(s.files))
	var rows record.Rows
	last, n := record.Path(""), uint64(0)
	err = t.sweep(tableFiles, nil, func(key, value []byte) (bool, error) {
		f, ok := rows.Add(key, value)
		if !ok || f.Path() <= last {
			return false, corruptf("bad row of %q", key)
		}
		last, n = f.Path(), n+1
		fn(f)
		return true, nil
	})
	if err == nil && n != s.files {
		err = corruptf("%d files instead of %d", n, s.files)
	}
	return err
}

// file returns the row of path; ok is false when there is none.
func (t *txn) file(path record.Path) (f record.File, ok bool, err error) { return t.row(path, true) }

// row is file with CrossFile and Traits or without.
func (t *txn) row(path record.Path, whole bool) (f record.File, ok bool, err error) {
	if path == "" || len(path) > maxPathBytes {
		return record.File{}, false, nil
	}
	v, err := t.get(tableFiles, []byte(path))
	if err != nil || v == nil {
		return record.File{}, false, err
	}
	r, ok := new(record.Rows).Add([]byte(path), v)
	switch {
	case !ok:
		return record.File{}, false, corruptf("bad row of %q", path)
	case whole:
		return r.File(), true, nil
	}
	return r.Bare(), true, nil
}

// indexed returns the row of a file that is stored and not left out; a caller that reads one
// thing of a file needs not the whole of it.
func (t *txn) indexed(path record.Path, whole bool) (record.File, error) {
	f, ok, err := t.row(path, whole)
	if err != nil {
		return record.File{}, err
	}
	if !ok {
		return record.File{}, t.checkAbsent(path)
	}
	if f.LeftOut != "" {
		return record.File{}, ErrNotFound
	}
	return f, nil
}

// checkAbsent returns [ErrNotFound] for a path that a lookup did not find, unless
// the file table does hold it: a damaged branch page leads lookups astray.
func (t *txn) checkAbsent(path record.Path) error {
	files, err := t.files()
	if err != nil {
		return err
	}
	if slices.ContainsFunc(files, func(f record.Row) bool { return f.Path() == path }) {
		return corruptf("%q is at the wrong place", path)
	}
	return ErrNotFound
}
