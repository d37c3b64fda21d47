package store

import (
	"context"
	"errors"
	"reflect"
	"runtime/debug"

	"go.etcd.io/bbolt"

	"ambit/vectors/pages"
)

// update runs fn in a write transaction and commits it, unless fn fails.
func (db *DB) update(ctx context.Context, fn func(*txn) error) error {
	return db.updateBy(ctx, db.bolt.Update, fn)
}

// updateBy is update in a transaction that begin begins and commits.
func (db *DB) updateBy(ctx context.Context, begin func(func(*bbolt.Tx) error) error, fn func(*txn) error) error {
	return db.guarded(ctx, func() error {
		return begin(func(b *bbolt.Tx) error {
			s, err := pages.Latest(db.file)
			if err == nil {
				err = s.CheckFreelist()
			}
			if err != nil {
				return err
			}
			below, err := db.beginBelow()
			if err != nil {
				return err
			}
			defer rollback(below)
			t := &txn{bolt: b, below: below}
			if err := t.checkState(db.id, db.generation.Load()); err != nil {
				return err
			}
			if err := fn(t); err != nil {
				return err
			}
			return t.checkNodes()
		})
	})
}

// checkNodes returns [ErrCorrupt] when a page that the commit is to free claims to be longer than the
// file. bbolt frees as many pages as the header of a page says, one by one and without looking: with
// a header that was spoilt while the file was open, four thousand million, which take all memory.
func (t *txn) checkNodes() error {
	_, pages := pagesOf(t.bolt)
	buckets := []reflect.Value{reflect.ValueOf(t.bolt).Elem().FieldByName("root")} // the table of tables
	for _, all := range t.buckets {
		if all != nil {
			buckets = append(buckets, reflect.ValueOf(all[0]).Elem())
		}
	}
	for _, b := range buckets {
		for _, id := range b.FieldByName("nodes").MapKeys() { // the pages that were read to be written again
			info, err := t.bolt.Page(int(id.Uint()))
			if err != nil {
				return err
			}
			if info == nil || uint64(info.ID)+uint64(info.OverflowCount) >= pages {
				return corruptf("page %d does not say how long it is", id.Uint())
			}
		}
	}
	return nil
}

// checkState returns [ErrCorrupt] when the file has become that of another index, or when a
// batch is missing that was written: the meta page of the latest transaction is damaged, or
// the file is as it was before. Least is the generation of the last batch when the
// transaction began, or an earlier one.
func (t *txn) checkState(id, least uint64) error {
	if id == 0 { // a new file may have no state
		return nil
	}
	s, err := t.state()
	switch {
	case err != nil:
		return err
	case s.id != id:
		return corruptf("another index is in its place")
	case s.generation < least:
		return corruptf("it has generation %d, and %d was written", s.generation, least)
	}
	return nil
}

// guarded runs fn, which calls bbolt, and turns the panics and memory faults that a
// damaged file causes into [ErrCorrupt]; giveUp moves the file aside then. Panics of the
// caller's functions pass through, see call.
func (db *DB) guarded(ctx context.Context, fn func() error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if db.broken.Load() {
		return corruptf("it was found damaged before")
	}
	defer func() {
		if db.open && errors.Is(err, ErrCorrupt) {
			db.giveUp(err)
		}
	}()
	defer func() {
		switch r := recover().(type) {
		case nil:
		case foreignPanic:
			panic(r.value)
		default:
			db.broken.Store(true)
			err = corruptf("%v", r)
		}
	}()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	return Explain(fn())
}

// foreignPanic is a panic of a function of the caller.
type foreignPanic struct{ value any }

// call runs a function of the caller. A memory fault still counts as damage: the function
// may read memory of the file.
func call(fn func() error) error {
	defer func() {
		if r := recover(); r != nil {
			if _, fault := r.(interface{ Addr() uintptr }); fault {
				panic(r)
			}
			panic(foreignPanic{r})
		}
	}()
	return fn()
}
