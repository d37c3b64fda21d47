package store

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"go.etcd.io/bbolt"
)

// Reader reads one state of the index: everything that it returns belongs to one
// generation, also while batches are applied, and nothing refers to the file's memory. It is safe
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
	least := db.generation.Load()
	r, err := db.begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("read index %s: %w", db.path, err)
	}
	err = r.view(ctx, func(t *txn) error {
		s, err := t.state()
		r.generation = s.generation
		if err != nil {
			return err
		}
		return t.checkState(db.id, least)
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
		tx, err := beginBolt(db.bolt)
		if err != nil {
			return err
		}
		defer func() {
			if r == nil {
				_ = tx.Rollback() // fails only when called twice
			}
		}()
		below, err := db.beginBelow()
		if err == nil {
			r = &Reader{db: db, txn: &txn{bolt: tx, below: below, opened: db.openFiles()}}
			db.readers.add(r)
		}
		return err
	})
	return r, err
}

// beginBolt begins a read transaction. When both meta pages are damaged, bbolt panics and
// leaves two locks taken, for which every other call of bbolt would wait for good:
// beginBolt releases them.
func beginBolt(b *bbolt.DB) (*bbolt.Tx, error) {
	begun := false
	defer func() {
		if !begun {
			locks := reflect.ValueOf(b).Elem()
			(*sync.RWMutex)(locks.FieldByName("mmaplock").Addr().UnsafePointer()).RUnlock()
			(*sync.Mutex)(locks.FieldByName("metalock").Addr().UnsafePointer()).Unlock()
		}
	}()
	tx, err := b.Begin(false)
	begun = true
	return tx, err
}

// Close ends the transaction after the calls that are running. Closing twice is fine.
func (r *Reader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.txn == nil {
		return
	}
	rollback(append(r.txn.below, r.txn.bolt))
	r.txn = nil
	r.db.readers.remove(r)
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

// readers are the open Readers of an index.
type readers struct {
	mu  sync.Mutex // guards all
	all map[*Reader]bool
}

func (s *readers) add(r *Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[*Reader]bool{}
	}
	s.all[r] = true
}

func (s *readers) remove(r *Reader) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.all, r)
}

func (s *readers) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// borrow returns a Reader that is open, whose mu it holds for reading, or nil. It does not
// wait: a Reader that is being closed may wait for the caller.
func (s *readers) borrow() *Reader {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r := range s.all {
		if r.mu.TryRLock() {
			if r.txn != nil {
				return r
			}
			r.mu.RUnlock()
		}
	}
	return nil
}

// viewNow runs fn in the transaction of any open Reader, and in one of its own without one.
// So a goroutine that holds a Reader may call it, which must not begin a second one, see
// [Reader].
func (db *DB) viewNow(ctx context.Context, fn func(*txn) error) error {
	r := db.readers.borrow()
	if r == nil {
		return db.view(ctx, fn)
	}
	defer r.mu.RUnlock()
	return db.guarded(ctx, func() error { return fn(r.txn) })
}

// view runs fn in a read transaction of its own.
func (db *DB) view(ctx context.Context, fn func(*txn) error) error {
	r, err := db.begin(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.view(ctx, fn)
}
