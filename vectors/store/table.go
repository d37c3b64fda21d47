package store

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"os"
	"reflect"
	"sync"
	"sync/atomic"

	"go.etcd.io/bbolt"

	"ambit/vectors/pages"
	"ambit/vectors/record"
)

// table is one bucket of the file.
//
// Every value ends with four bytes, the CRC-32C of the table, the key and the rest
// of the value: bbolt has no checksum of its own for data, and a damaged page may
// also lead to a sound value under the wrong key.
type table uint8

const (
	tableMeta      table = iota // version and state
	tableFiles                  // path → file row
	tableContents               // file key → text, zstd
	tableGraphs                 // file key → packed graph
	tableChunks                 // last chunk key → packed chunks of one file, at most groupChunks
	tableVectors                // the same key → the second level of their vectors
	tableCodes                  // number of a block → the first level of its vectors
	tableHistory                // part → what git tells
	tableViews                  // name, 0, part → what the views saved
	tableRevisions              // number → earlier revision, see package revisions
	tableNumbers                // name of a revision → number
	nTables
)

var tableNames = [nTables][]byte{
	[]byte("meta"), []byte("files"), []byte("contents"), []byte("graphs"), []byte("chunks"),
	[]byte("vectors"), []byte("codes"), []byte("history"), []byte("views"), []byte("revisions"), []byte("numbers"),
}

// sealBytes is the length of the checksum at the end of a value.
const sealBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// txn is one transaction. One that writes is used by one goroutine.
type txn struct {
	bolt    *bbolt.Tx
	below   []*bbolt.Tx // of the layers, see layers.go
	opened  []*os.File  // of bolt and below; nil in a transaction that writes
	mu      sync.Mutex  // guards buckets
	buckets [nTables][]*bbolt.Bucket

	read atomic.Int64 // bytes since letGo
}

// bucketsOf returns the buckets of tb, which exist in every file that Open accepts: that
// of the index and those of its layers.
func (t *txn) bucketsOf(tb table) ([]*bbolt.Bucket, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if all := t.buckets[tb]; all != nil {
		return all, nil
	}
	all := make([]*bbolt.Bucket, 0, 1+len(t.below))
	for i := range cap(all) {
		tx := t.bolt
		if i > 0 {
			tx = t.below[i-1]
		}
		b := tx.Bucket(tableNames[tb])
		if b == nil {
			return nil, corruptf("no table %s", tableNames[tb])
		}
		all = append(all, b)
	}
	// Keys mostly ascend, so pages are filled to the brim and split no more.
	all[0].FillPercent = 1
	t.buckets[tb] = all
	return all, nil
}

// storedIn returns the value of key as the uppermost of some files has it, nil when none
// has.
func storedIn(buckets []*bbolt.Bucket, key []byte) []byte {
	for _, b := range buckets {
		if v := b.Get(key); v != nil {
			return v
		}
	}
	return nil
}

// get returns the value of key without its seal, nil when there is none. It is
// valid until the transaction ends.
func (t *txn) get(tb table, key []byte) ([]byte, error) {
	all, err := t.bucketsOf(tb)
	if err != nil {
		return nil, err
	}
	v := storedIn(all, key)
	t.took(lookupBytes + len(v))
	if v == nil {
		return nil, nil
	}
	return unseal(tb, key, v)
}

// put stores value, which must not be used afterwards; it grows by sealBytes. What the
// layers hold is not stored again.
func (t *txn) put(tb table, key, value []byte) error {
	all, err := t.bucketsOf(tb)
	if err != nil {
		return err
	}
	value = binary.LittleEndian.AppendUint32(value, checksum(tb, key, value))
	if below := storedIn(all[1:], key); below != nil && bytes.Equal(below, value) {
		return all[0].Delete(key)
	}
	return all[0].Put(key, value)
}

func (t *txn) delete(tb table, key []byte) error {
	all, err := t.bucketsOf(tb)
	if err != nil {
		return err
	}
	if below := storedIn(all[1:], key); below != nil && !gone(tb, key, below) {
		return all[0].Put(key, goneMark(tb, key))
	}
	return all[0].Delete(key)
}

// residentBytes is how much of the file a transaction reads until it lets go of the memory:
// the system counts the pages that a process has read through its mapping as memory of the
// process, also when nothing will read them again. A look-up counts as lookupBytes, since the
// system maps the pages around the one that is read, too.
const (
	residentBytes = 4 << 20
	lookupBytes   = 64 << 10
)

// took counts bytes that were read, and lets go of the memory when they are many.
func (t *txn) took(n int) {
	if t.read.Add(int64(n)) >= residentBytes {
		t.read.Store(0)
		t.letGo()
	}
}

// letGo unmaps the pages of the files from the process, which the system keeps as it
// does those of any file. They come back when they are read.
func (t *txn) letGo() {
	for _, tx := range append([]*bbolt.Tx{t.bolt}, t.below...) {
		letGo(mapping(tx.DB()))
	}
}

// mapping returns where a file is mapped and the length of the mapping, which does not
// change during a transaction. The length is not that of the state: when another file has
// taken the place of this one, its state may be longer, and what lies behind the mapping is
// the memory of the process.
func mapping(b *bbolt.DB) (at uintptr, size int) {
	return b.Info().Data, int(reflect.ValueOf(b).Elem().FieldByName("datasz").Int())
}

// pagesOf returns the size of a page in bytes, and the number of pages of a state, in use or free.
func pagesOf(tx *bbolt.Tx) (size int, n uint64) {
	size = tx.DB().Info().PageSize
	return size, uint64(tx.Size()) / uint64(size)
}

// scan calls fn with each pair of tb from the first key >= from on, in order, until
// fn returns false or an error. The slices are valid until the transaction ends.
func (t *txn) scan(tb table, from []byte, fn func(key, value []byte) (bool, error)) error {
	all, err := t.bucketsOf(tb)
	if err != nil {
		return err
	}
	t.took(lookupBytes)
	return seek(mapped(all), from).each(tb, func(key, value []byte) (bool, error) {
		t.took(len(key) + len(value))
		return fn(key, value)
	})
}

// sweep is scan for many pairs, whose slices are valid inside fn only. A transaction that only reads
// copies them from the file into memory that it uses again, see [pages.Cursor].
func (t *txn) sweep(tb table, from []byte, fn func(key, value []byte) (bool, error)) error {
	if t.opened == nil {
		return t.scan(tb, from, fn)
	}
	of, err := t.walks(tb)
	if err != nil {
		return err
	}
	return seek(of, from).each(tb, fn)
}

// walks returns the walks of a sweep in a transaction that only reads. A sweep uses the memory
// of the one before by the same walks.
func (t *txn) walks(tb table) ([]walk, error) {
	all, err := t.bucketsOf(tb)
	if err != nil {
		return nil, err
	}
	of := mapped(all)
	for i, b := range all {
		if b.Root() != 0 { // else the table is so small that it lies inside of the table of tables
			size, n := pagesOf(b.Tx())
			of[i] = pages.NewCursor(pages.Tree{File: t.opened[i], PageSize: size, Pages: n, Root: uint64(b.Root())})
		}
	}
	return of, nil
}

// unseal checks value and returns it without its checksum. It returns nil for a value
// that is gone.
func unseal(tb table, key, value []byte) ([]byte, error) {
	if gone(tb, key, value) {
		return nil, nil
	}
	n := len(value) - sealBytes
	if n < 0 || binary.LittleEndian.Uint32(value[n:]) != checksum(tb, key, value[:n]) {
		return nil, corruptf("bad checksum in table %s", tableNames[tb])
	}
	return value[:n:n], nil
}

// goneTable takes the place of the table in the checksum of a mark, which no value has.
const goneTable = 0x80

// goneMark returns what an index stores of a key that only its layers have: an empty
// value, sealed as no other one is.
func goneMark(tb table, key []byte) []byte {
	return binary.LittleEndian.AppendUint32(nil, checksum(tb|goneTable, key, nil))
}

// gone reports whether a stored value is a goneMark.
func gone(tb table, key, value []byte) bool {
	return len(value) == sealBytes && binary.LittleEndian.Uint32(value) == checksum(tb|goneTable, key, nil)
}

func checksum(tb table, key, value []byte) uint32 {
	sum := crc32.Update(uint32(tb), castagnoli, key)
	return crc32.Update(sum, castagnoli, value)
}

// keyBytes returns k so that the order of bytes is the order of keys.
func keyBytes(k record.Key) []byte { return binary.BigEndian.AppendUint32(nil, uint32(k)) }

// keyOf is the inverse of keyBytes; ok is false for anything else.
func keyOf(b []byte) (k record.Key, ok bool) {
	if len(b) != 4 {
		return 0, false
	}
	return record.Key(binary.BigEndian.Uint32(b)), true
}
