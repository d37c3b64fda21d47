package store

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// View is what [DB.SaveView] kept, read part by part as it is needed: one question reads a
// small share of the views of a large workspace. The parts that were read stay in memory, up
// to a bound. It is safe for concurrent use, and stays as it is when SaveView replaces it.
type View struct {
	db   *DB
	blob blob
	head blobHead
	keep int64                    // bytes of parts that stay in memory, more or less
	read []atomic.Pointer[[]byte] // by part; nil for one that is not in memory
	used []atomic.Bool            // by part, since hand was there
	held atomic.Int64             // bytes of read

	whole atomic.Pointer[[]byte] // once it was read whole: it is no longer in the file, or soon

	mu   sync.Mutex // guards all fields below
	hand int        // the part at which evict goes on
}

// openViews are the views that a process has opened, by the prefix of their keys.
type openViews struct {
	mu  sync.Mutex // held while a view is saved; guards all
	all map[string][]*View
}

// OpenView returns the view that SaveView kept under name, nil for none. Up to keep bytes of
// its parts stay in memory, 0 means all that were read.
func (db *DB) OpenView(ctx context.Context, name string, keep int) (*View, error) {
	b, err := viewBlob(name)
	if err != nil {
		return nil, fmt.Errorf("open view %q: %w", name, err)
	}
	var v *View
	db.views.mu.Lock()
	defer db.views.mu.Unlock()
	err = db.viewNow(ctx, func(t *txn) error {
		head, ok, err := t.blobHead(b)
		if ok {
			n := b.parts(int(head.size))
			v = &View{db: db, blob: b, head: head, keep: int64(keep), read: make([]atomic.Pointer[[]byte], n), used: make([]atomic.Bool, n)}
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("open view %q: %w", name, err)
	}
	if v != nil {
		if db.views.all == nil {
			db.views.all = map[string][]*View{}
		}
		db.views.all[b.prefix] = append(db.views.all[b.prefix], v)
	}
	return v, nil
}

// LoadOpen reads the open views of a name into memory, as SaveView does: what the caller then
// makes of one to save it shares the memory.
func (db *DB) LoadOpen(ctx context.Context, name string) error {
	b, err := viewBlob(name)
	if err == nil {
		db.views.mu.Lock()
		defer db.views.mu.Unlock()
		err = db.loadOpen(ctx, b.prefix)
	}
	if err != nil {
		return fmt.Errorf("load view %q: %w", name, err)
	}
	return nil
}

// loadOpen reads the open views of a name into memory, and forgets them: their parts are
// about to go. The caller holds db.views.mu.
func (db *DB) loadOpen(ctx context.Context, prefix string) error {
	for _, v := range db.views.all[prefix] {
		whole, err := v.bytes(ctx, 0, v.Len())
		if err != nil {
			return err
		}
		v.whole.Store(&whole)
		for i := range v.read {
			v.read[i].Store(nil)
		}
	}
	delete(db.views.all, prefix)
	return nil
}

// Close forgets a view that is not used: SaveView need not read it.
func (v *View) Close() {
	v.db.views.mu.Lock()
	defer v.db.views.mu.Unlock()
	all := v.db.views.all
	all[v.blob.prefix] = slices.DeleteFunc(all[v.blob.prefix], func(other *View) bool { return other == v })
}

// Generation says which batches the view includes.
func (v *View) Generation() uint64 { return v.head.generation }

// Len returns the length of the view.
func (v *View) Len() int { return int(v.head.size) }

// Bytes returns the bytes [from, to), which the caller does not change. A file that is damaged
// gives zeros, and [DB.Damaged] is closed then.
func (v *View) Bytes(from, to int) []byte {
	out, err := v.bytes(context.Background(), from, to)
	if err != nil {
		return make([]byte, to-from)
	}
	return out
}

// bytes is Bytes. The parts that it reads for their whole do not stay in memory: nothing else
// needs them.
func (v *View) bytes(ctx context.Context, from, to int) ([]byte, error) {
	if from >= to {
		return nil, nil
	}
	if whole := v.whole.Load(); whole != nil {
		return (*whole)[from:to:to], nil
	}
	size := v.blob.partBytes()
	first, last := from/size, (to-1)/size
	if first == last {
		part, err := v.part(ctx, first)
		if err != nil {
			return nil, err
		}
		return part[from-first*size : to-first*size : to-first*size], nil
	}
	out := make([]byte, to-from)
	return out, v.fill(ctx, out, from)
}

// ReadAt implements [io.ReaderAt], for what is needed once: of parts that it reads for their
// whole nothing stays in memory. It returns an error that says why the view cannot be read.
func (v *View) ReadAt(dst []byte, from int64) (int, error) {
	if from < 0 || from > int64(v.Len()) {
		return 0, io.EOF
	}
	n := min(len(dst), v.Len()-int(from))
	if err := v.fill(context.Background(), dst[:n], int(from)); err != nil {
		return 0, err
	}
	if n < len(dst) {
		return n, io.EOF
	}
	return n, nil
}

// fill reads the bytes from an offset on to dst.
func (v *View) fill(ctx context.Context, dst []byte, from int) error {
	if whole := v.whole.Load(); whole != nil {
		copy(dst, (*whole)[from:])
		return nil
	}
	for size := v.blob.partBytes(); len(dst) > 0; {
		i := from / size
		at := from - i*size
		n := min(len(dst), v.partLen(i)-at)
		if n == v.partLen(i) && v.read[i].Load() == nil {
			if err := v.readPart(ctx, i, dst[:n]); err != nil {
				return err
			}
		} else {
			part, err := v.part(ctx, i)
			if err != nil {
				return err
			}
			copy(dst, part[at:at+n])
		}
		dst, from = dst[n:], from+n
	}
	return nil
}

func (v *View) partLen(i int) int { return min(v.blob.partBytes(), v.Len()-i*v.blob.partBytes()) }

// part returns a part, which stays in memory.
func (v *View) part(ctx context.Context, i int) ([]byte, error) {
	if p := v.read[i].Load(); p != nil {
		if !v.used[i].Load() {
			v.used[i].Store(true)
		}
		return *p, nil
	}
	part := make([]byte, v.partLen(i))
	if err := v.readPart(ctx, i, part); err != nil {
		return nil, err
	}
	if v.read[i].CompareAndSwap(nil, &part) && v.held.Add(int64(len(part))) > v.keep && v.keep > 0 {
		v.evict(i)
	}
	return part, nil
}

// evict lets go of parts but one until those in memory fit the bound: of those that nothing
// has asked for since it was there the last time.
//
// Source: Corbató, "A Paging Experiment with the Multics System" (1968), the algorithm CLOCK.
func (v *View) evict(but int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for range 2 * len(v.read) {
		if v.held.Load() <= v.keep {
			return
		}
		i := v.hand
		v.hand = (v.hand + 1) % len(v.read)
		if i == but || v.used[i].Swap(false) {
			continue
		}
		if p := v.read[i].Swap(nil); p != nil {
			v.held.Add(int64(-len(*p)))
		}
	}
}

// readPart reads a part to dst, which has its length.
func (v *View) readPart(ctx context.Context, i int, dst []byte) error {
	return v.db.viewNow(ctx, func(t *txn) error {
		if whole := v.whole.Load(); whole != nil { // it may be gone from the file
			copy(dst, (*whole)[i*v.blob.partBytes():])
			return nil
		}
		stored, err := t.get(v.blob.table, v.blob.key(v.head.slot|uint32(i+1)))
		if err != nil {
			return err
		}
		if n, err := s2.DecodedLen(stored); err != nil || n != len(dst) {
			return corruptf("bad length of a part of a view")
		}
		if _, err := s2.Decode(dst, stored); err != nil {
			return corruptf("part of a view: %v", err)
		}
		return nil
	})
}
