package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// maxPathBytes is the longest key that bbolt takes.
const maxPathBytes = 32768

// Files returns all files of the index, left out ones included, by path.
func (r *Reader) Files(ctx context.Context) (files []record.File, err error) {
	err = r.view(ctx, func(t *txn) error {
		files, err = t.files()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read file table: %w", err)
	}
	return files, nil
}

// pathsBytes is the length of the strings that paths share.
const pathsBytes = 64 << 10

// files reads the file table in one pass. Many paths share one string, as
// 11,000 small allocations took longer than reading them.
func (t *txn) files() ([]record.File, error) {
	s, err := t.state()
	if err != nil {
		return nil, err
	}
	files := make([]record.File, 0, s.files)
	words := newInterned()
	var paths strings.Builder
	last := record.Path("")
	err = t.scan(tableFiles, nil, func(key, value []byte) (bool, error) {
		f, ok := decodeFile(value, words)
		if paths.Cap()-paths.Len() < len(key) {
			paths = strings.Builder{}
			paths.Grow(max(pathsBytes, len(key)))
		}
		start := paths.Len()
		paths.Write(key)
		f.Path = record.Path(paths.String()[start:])
		if !ok || f.Path <= last {
			return false, corruptf("bad row of %q", key)
		}
		files, last = append(files, f), f.Path
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if uint64(len(files)) != s.files {
		return nil, corruptf("%d files instead of %d", len(files), s.files)
	}
	return files, nil
}

// file returns the row of path; ok is false when there is none.
func (t *txn) file(path record.Path) (f record.File, ok bool, err error) { return t.row(path, true) }

// row is file with traits or without.
func (t *txn) row(path record.Path, traits bool) (f record.File, ok bool, err error) {
	if path == "" || len(path) > maxPathBytes {
		return record.File{}, false, nil
	}
	v, err := t.get(tableFiles, []byte(path))
	if err != nil || v == nil {
		return record.File{}, false, err
	}
	if f, ok = decodeRow(v, nil, traits); !ok {
		return record.File{}, false, corruptf("bad row of %q", path)
	}
	f.Path = path
	return f, true, nil
}

// indexed returns the row of a file that is stored and not left out, with or without
// traits; a caller that reads one thing of a file needs none.
func (t *txn) indexed(path record.Path, traits bool) (record.File, error) {
	f, ok, err := t.row(path, traits)
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
	if slices.ContainsFunc(files, func(f record.File) bool { return f.Path == path }) {
		return corruptf("%q is at the wrong place", path)
	}
	return ErrNotFound
}

// encodeFile returns the row of f, without its path.
func encodeFile(f *record.File) []byte {
	b := make([]byte, 0, 96)
	b = binary.AppendUvarint(b, uint64(f.Key))
	b = binary.AppendVarint(b, f.Size)
	b = binary.AppendVarint(b, f.ModTime)
	b = append(b, f.Hash[:]...)
	b = binary.AppendUvarint(b, uint64(f.Chunks.First))
	b = binary.AppendUvarint(b, uint64(f.Chunks.N))
	b = binary.AppendUvarint(b, f.Generation)
	b = binary.AppendVarint(b, int64(f.Masked))
	b = appendString(b, f.Language)
	b = appendString(b, f.LeftOut)
	return appendTail(b, f)
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// The parts of the tail of a row.
const (
	tailCrossFile = 1 << iota
	tailTraits
	tailPartial
)

// appendTail appends the parts that only some files have: a byte of flags, then each.
func appendTail(b []byte, f *record.File) []byte {
	holds := byte(0)
	if f.CrossFile != nil {
		holds |= tailCrossFile
	}
	if f.Traits != nil {
		holds |= tailTraits
	}
	if f.Partial != "" {
		holds |= tailPartial
	}
	b = append(b, holds)
	if f.Partial != "" {
		b = appendString(b, f.Partial)
	}
	if f.CrossFile != nil {
		b = appendCrossFile(b, f.CrossFile)
	}
	if f.Traits != nil {
		b = appendTraits(b, f.Traits)
	}
	return b
}

// decodeFile is the inverse of encodeFile; it never panics. It takes the strings that
// words holds from there; words may be nil.
func decodeFile(b []byte, words *interned) (record.File, bool) { return decodeRow(b, words, true) }

// decodeRow is decodeFile; without traits it does not look at them.
func decodeRow(b []byte, words *interned, traits bool) (f record.File, ok bool) {
	u := unpacker{b: b}
	if words == nil {
		words = &interned{}
	}
	f.Key = record.Key(u.uint())
	f.Size, f.ModTime = int64(u.int()), int64(u.int())
	copy(f.Hash[:], u.bytes(len(f.Hash)))
	f.Chunks.First, f.Chunks.N = record.Key(u.uint()), int(u.uint())
	f.Generation = u.uint()
	f.Masked = u.int()
	f.Language = words.str(u.bytes(u.count(1)))
	f.LeftOut = words.str(u.bytes(u.count(1)))
	holds := u.uint()
	if holds&tailPartial != 0 {
		f.Partial = words.str(u.bytes(u.count(1)))
	}
	if holds&tailCrossFile != 0 {
		f.CrossFile = u.crossFile()
	}
	switch {
	case holds > tailCrossFile|tailTraits|tailPartial:
		u.fail()
	case holds&tailTraits == 0:
	case traits:
		f.Traits = words.traits(&u)
	default:
		u.bytes(u.left())
	}
	if !u.done() || f.Chunks.N < 0 {
		return record.File{}, false
	}
	return f, true
}

// interned holds the strings that the rows of a file table share, and the memory of their
// lists: 11,000 small allocations took longer than reading them.
type interned struct {
	words map[string]string // nil shares none
	list  arena[record.Traits]
	kinds arena[record.KindSet]
	ids   arena[uint16]
}

func newInterned() *interned {
	return &interned{
		words: map[string]string{},
		list:  arena[record.Traits]{step: arenaItems / 16}, kinds: arena[record.KindSet]{step: arenaItems}, ids: arena[uint16]{step: arenaItems},
	}
}

// str returns b as a string, the same one for the same bytes.
func (w *interned) str(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if w.words == nil {
		return string(b)
	}
	s, ok := w.words[string(b)]
	if !ok {
		s = string(b)
		w.words[s] = s
	}
	return s
}
