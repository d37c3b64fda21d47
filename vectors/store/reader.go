package store

import (
	"context"
	"fmt"
	"sync"

	"ambit/vectors/record"
)

// Reader reads one state of the index: all that it returns belongs to one generation,
// whatever is applied meanwhile, and nothing refers to the file's memory. It is safe
// for concurrent use.
//
// A Reader is one read transaction of bbolt. Until it is closed, the pages of its state
// are not used again, so that the file grows with each batch; and when the file outgrows
// its mapping, Apply waits for it. A goroutine that holds a Reader must therefore close
// it before it calls [DB.Begin], Apply or Close, or waits for a goroutine that does.
type Reader struct {
	db         *DB
	generation uint64

	mu sync.RWMutex // held by reads, which share it, and by Close; guards all fields below
	// txn may be used by several goroutines at once although those of bbolt may not: a
	// transaction that only reads keeps no nodes and no buckets, its cursors belong to
	// one call each, and it counts atomically.
	txn *txn // nil once closed
}

// Begin returns a Reader of the latest state, which the caller closes. It returns
// [ErrClosed], [ErrCorrupt] and the error of ctx.
func (db *DB) Begin(ctx context.Context) (*Reader, error) {
	r, err := db.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("read index %s: %w", db.path, err)
	}
	err = r.view(ctx, func(t *txn) error {
		s, err := t.state()
		r.generation = s.generation
		return err
	})
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("read index %s: %w", db.path, err)
	}
	return r, nil
}

// begin is Begin for a file that may have no state yet.
func (db *DB) begin(ctx context.Context) (r *Reader, err error) {
	err = db.guarded(ctx, func() error {
		begun := false
		defer func() {
			if !begun {
				db.stuck.Store(true)
			}
		}()
		tx, err := db.bolt.Begin(false)
		if begun = true; err == nil {
			db.readers.Add(1)
			r = &Reader{db: db, txn: &txn{bolt: tx}}
		}
		return err
	})
	return r, err
}

// Close ends the transaction after the calls that are running. Closing twice is fine.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.txn == nil {
		return
	}
	if !r.db.stuck.Load() {
		_ = r.txn.bolt.Rollback() // fails only when called twice
	}
	r.txn = nil
	r.db.readers.Add(-1)
}

// view runs fn in the transaction.
func (r *Reader) view(ctx context.Context, fn func(*txn) error) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.txn == nil {
		return ErrClosed
	}
	return r.db.guarded(ctx, func() error { return fn(r.txn) })
}

// Generation returns the number of the batch that was the last one when the Reader began,
// 0 for a new index.
func (r *Reader) Generation() uint64 { return r.generation }

// view runs fn in a read transaction of its own.
func (db *DB) view(ctx context.Context, fn func(*txn) error) error {
	r, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.view(ctx, fn)
}

// read returns what one call reads of the latest state.
func read[T any](ctx context.Context, db *DB, call func(*Reader) (T, error)) (T, error) {
	r, err := db.Begin(ctx)
	if err != nil {
		var none T
		return none, err
	}
	defer r.Close()
	return call(r)
}

// Each of the following is the method of [Reader] on the latest state.

func (db *DB) Files(ctx context.Context) ([]record.File, error) {
	return read(ctx, db, func(r *Reader) ([]record.File, error) { return r.Files(ctx) })
}

func (db *DB) Content(ctx context.Context, path record.Path) ([]byte, error) {
	return read(ctx, db, func(r *Reader) ([]byte, error) { return r.Content(ctx, path) })
}

func (db *DB) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	return read(ctx, db, func(r *Reader) (record.FileGraph, error) { return r.Graph(ctx, path) })
}

func (db *DB) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	return read(ctx, db, func(r *Reader) (record.FileGraph, error) { return r.GraphTo(ctx, path, name) })
}

func (db *DB) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	return read(ctx, db, func(r *Reader) ([]record.Chunk, error) { return r.Chunks(ctx, keys) })
}

func (db *DB) FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error) {
	return read(ctx, db, func(r *Reader) ([]record.Chunk, error) { return r.FileChunks(ctx, path) })
}

func (db *DB) Vectors(ctx context.Context, keys []record.Key) ([][]float32, error) {
	return read(ctx, db, func(r *Reader) ([][]float32, error) { return r.Vectors(ctx, keys) })
}

func (db *DB) EachCodes(ctx context.Context, fn func(first record.Key, codes []int8, scales []float32) error) error {
	_, err := read(ctx, db, func(r *Reader) (struct{}, error) { return struct{}{}, r.EachCodes(ctx, fn) })
	return err
}

func (db *DB) History(ctx context.Context) (record.History, error) {
	return read(ctx, db, func(r *Reader) (record.History, error) { return r.History(ctx) })
}

func (db *DB) Stats(ctx context.Context) (Stats, error) {
	return read(ctx, db, func(r *Reader) (Stats, error) { return r.Stats(ctx) })
}

func (db *DB) LoadView(ctx context.Context, name string) (data []byte, generation uint64, err error) {
	r, err := db.Begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	return r.LoadView(ctx, name)
}
