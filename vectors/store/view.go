package store

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/s2"
)

// View is what [DB.SaveView] kept, read part by part as it is needed: one question reads a
// small share of the views of a large workspace. The parts that were read stay in memory.
// It is safe for concurrent use, and stays as it is when SaveView replaces it.
type View struct {
	db   *DB
	blob blob
	head blobHead
	read []atomic.Pointer[[]byte] // by part; nil for one that was not read yet
}

// openViews are the views that a process has opened, by the prefix of their keys.
type openViews struct {
	mu  sync.Mutex // held while a view is saved; guards all
	all map[string][]*View
}

// OpenView returns the view that SaveView kept under name, nil for none.
func (db *DB) OpenView(ctx context.Context, name string) (*View, error) {
	b, err := viewBlob(name)
	if err != nil {
		return nil, fmt.Errorf("open view %q: %w", name, err)
	}
	var v *View
	db.views.mu.Lock()
	defer db.views.mu.Unlock()
	err = db.view(ctx, func(t *txn) error {
		head, ok, err := t.blobHead(b)
		if ok {
			v = &View{db: db, blob: b, head: head, read: make([]atomic.Pointer[[]byte], b.parts(int(head.size)))}
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

// loadOpen reads the open views of a name into memory, and forgets them: their parts are
// about to go. The caller holds db.views.mu.
func (db *DB) loadOpen(ctx context.Context, prefix string) error {
	for _, v := range db.views.all[prefix] {
		for i := range v.read {
			if _, err := v.part(ctx, i); err != nil {
				return err
			}
		}
	}
	delete(db.views.all, prefix)
	return nil
}

// Generation says which batches the view includes.
func (v *View) Generation() uint64 { return v.head.generation }

// Len returns the length of the view.
func (v *View) Len() int { return int(v.head.size) }

// Bytes returns the bytes [from, to), which the caller does not change. A file that is damaged
// gives zeros, and [DB.Damaged] is closed then.
func (v *View) Bytes(from, to int) []byte {
	if from >= to {
		return nil
	}
	out, err := v.bytes(from, to)
	if err != nil {
		return make([]byte, to-from)
	}
	return out
}

// bytes is Bytes. The parts that it reads for their whole do not stay in memory: nothing else
// needs them.
func (v *View) bytes(from, to int) ([]byte, error) {
	size := v.blob.partBytes()
	first, last := from/size, (to-1)/size
	if first == last {
		part, err := v.part(context.Background(), first)
		if err != nil {
			return nil, err
		}
		return part[from-first*size : to-first*size : to-first*size], nil
	}
	out := make([]byte, 0, to-from)
	for i := first; i <= last; i++ {
		start, end := i*size, i*size+v.partLen(i)
		if from <= start && end <= to && v.read[i].Load() == nil {
			n := len(out)
			out = out[:n+end-start]
			if err := v.readPart(context.Background(), i, out[n:]); err != nil {
				return nil, err
			}
			continue
		}
		part, err := v.part(context.Background(), i)
		if err != nil {
			return nil, err
		}
		out = append(out, part[max(0, from-start):min(end, to)-start]...)
	}
	return out, nil
}

func (v *View) partLen(i int) int { return min(v.blob.partBytes(), v.Len()-i*v.blob.partBytes()) }

// part returns a part, which stays in memory.
func (v *View) part(ctx context.Context, i int) ([]byte, error) {
	if p := v.read[i].Load(); p != nil {
		return *p, nil
	}
	part := make([]byte, v.partLen(i))
	if err := v.readPart(ctx, i, part); err != nil {
		return nil, err
	}
	v.read[i].Store(&part)
	return part, nil
}

// readPart reads a part to dst, which has its length.
func (v *View) readPart(ctx context.Context, i int, dst []byte) error {
	return v.db.view(ctx, func(t *txn) error {
		if p := v.read[i].Load(); p != nil { // SaveView has read it, and it may be gone from the file
			copy(dst, *p)
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
