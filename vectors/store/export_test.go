package store

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"syscall"

	"go.etcd.io/bbolt"

	"ambit/vectors/record"
)

// ApplyUnsynced is Apply on a disk that has taken all that was written and then, asked
// to synchronize the meta page, says that it is full.
func (db *DB) ApplyUnsynced(ctx context.Context, b *record.Batch) error {
	return db.apply(ctx, b, nil, func(fn func(*bbolt.Tx) error) error {
		if err := db.bolt.Update(fn); err != nil {
			return err
		}
		return syscall.ENOSPC
	})
}

// SetVersion writes another format version.
func (db *DB) SetVersion(v byte) error {
	return db.update(context.Background(), func(t *txn) error { return t.put(tableMeta, []byte(keyVersion), []byte{v}) })
}

// EncodeGraph, DecodeGraph and the others are the codecs.
func EncodeGraph(g *record.FileGraph) []byte { return encodeGraph(newPacker(), nil, g) }

func DecodeGraph(b []byte) (record.FileGraph, bool) { return decodeGraph(b, allEdges) }

func DecodeGraphTo(b []byte, name string) (record.FileGraph, bool) {
	return decodeGraph(b, edgesTo{name: name})
}

func EncodeChunks(path record.Path, chunks []record.Chunk) []byte {
	return encodeGroup(newPacker(), nil, path, chunks)
}

// DecodeChunks decodes a group whose first key is 1, without the chunks at which
// skip holds.
func DecodeChunks(b []byte, skip func(int) bool) ([]record.Chunk, bool) {
	if len(b) == 0 {
		return nil, false
	}
	g, ok := openGroup(keyBytes(record.Key(b[0])), b)
	if !ok {
		return nil, false
	}
	chunks, want := make([]record.Chunk, g.n), make([]*record.Chunk, g.n)
	for i := range want {
		if !skip(i) {
			want[i] = &chunks[i]
		}
	}
	return chunks, g.decode(want) == nil
}

func EncodeHistory(h *record.History) []byte { return encodeHistory(newPacker(), h) }

func DecodeHistory(b []byte) (record.History, bool) { return decodeHistory(b) }

// OpenRows reports whether a value is that of the vectors of one group.
func OpenRows(value []byte, dim int) bool {
	r, ok := openRows(value, dim)
	if ok {
		r.row(r.n - 1)
	}
	return ok
}

// Mapping returns where the file is mapped and the length of the mapping.
func (db *DB) Mapping() (at uintptr, size int) { return mapping(db.bolt) }

// Grow takes and frees the lock that a writer takes, which waits for all Readers, when the file
// outgrows its mapping of 1 GB.
func (db *DB) Grow() {
	db.mapLock().Lock()
	defer db.mapLock().Unlock()
}

// WaitsToGrow reports whether Grow waits for Readers.
func (db *DB) WaitsToGrow() bool {
	if db.mapLock().TryRLock() {
		db.mapLock().RUnlock()
		return false
	}
	return true
}

func (db *DB) mapLock() *sync.RWMutex {
	return (*sync.RWMutex)(reflect.ValueOf(db.bolt).Elem().FieldByName("mmaplock").Addr().UnsafePointer())
}

// Held returns how many bytes of parts are in memory.
func (v *View) Held() int { return int(v.held.Load()) }

// Parts returns how many parts of a view there are in either slot.
func (db *DB) Parts(name string) (n int, err error) {
	b, err := viewBlob(name)
	if err != nil {
		return 0, err
	}
	err = db.view(context.Background(), func(t *txn) error {
		return t.scan(tableViews, b.key(1), func(key, _ []byte) (bool, error) {
			if !strings.HasPrefix(string(key), b.prefix) {
				return false, nil
			}
			n++
			return true, nil
		})
	})
	return n, err
}

// DeleteBlock deletes the block of the first level of vectors that has a key.
func (db *DB) DeleteBlock(k record.Key) error {
	return db.update(context.Background(), func(t *txn) error {
		st, err := t.state()
		if err != nil {
			return err
		}
		return t.delete(tableCodes, keyBytes(k/record.Key(blockRows(st.dim))))
	})
}

// Blocks returns how many blocks of the first level of vectors there are, and how many keys
// each has.
func (db *DB) Blocks() (blocks, rows int, err error) {
	err = db.view(context.Background(), func(t *txn) error {
		st, err := t.state()
		if err != nil {
			return err
		}
		rows = blockRows(st.dim)
		return t.scan(tableCodes, nil, func(_, _ []byte) (bool, error) {
			blocks++
			return true, nil
		})
	})
	return blocks, rows, err
}
