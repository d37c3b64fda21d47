package store

import (
	"context"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"ambit/vectors/record"
)

// MaxContentBytes bounds the text of one file.
const MaxContentBytes = 256 << 20

// Content returns the stored text of the file at path, in which secrets are masked.
// It returns [ErrNotFound] for a path that is not stored or left out.
func (r *Reader) Content(ctx context.Context, path record.Path) (text []byte, err error) {
	err = r.view(ctx, func(t *txn) error {
		f, err := t.indexed(path, false)
		if err != nil {
			return err
		}
		text, err = r.db.content(t, &f)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("content of %q: %w", path, err)
	}
	return text, nil
}

// content reads the text of f; it is never nil without an error.
func (db *DB) content(t *txn, f *record.File) ([]byte, error) {
	v, err := t.get(tableContents, keyBytes(f.Key))
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, corruptf("no content of %q", f.Path)
	}
	text, err := db.unzip.DecodeAll(v, []byte{})
	if err != nil {
		return nil, corruptf("content of %q: %v", f.Path, err)
	}
	return text, nil
}

// newZip returns the compressor of contents. On the Go sources zstd at its default
// level takes 3.9 ns a byte for a ratio of 0.26 and 0.9 ns a byte back; s2 takes
// 2.2 and 0.6 ns for 0.39. The level above the default saves 3 % more for twice the
// time, a fortieth of that of a new index.
func newZip() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithSingleSegment(true), zstd.WithWindowSize(1<<20), zstd.WithLowerEncoderMem(true))
}

func newUnzip() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(MaxContentBytes))
}
