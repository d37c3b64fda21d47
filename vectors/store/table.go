package store

import (
	"encoding/binary"
	"hash/crc32"
	"sync"

	"go.etcd.io/bbolt"

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
	tableVectors                // the same key → their vectors
	tableHistory                // part → what git tells
	tableViews                  // name, 0, part → what the views saved
	tableRevisions              // number → earlier revision, see package revisions
	tableNumbers                // name of a revision → number
	nTables
)

var tableNames = [nTables][]byte{
	[]byte("meta"), []byte("files"), []byte("contents"), []byte("graphs"), []byte("chunks"),
	[]byte("vectors"), []byte("history"), []byte("views"), []byte("revisions"), []byte("numbers"),
}

// sealBytes is the length of the checksum at the end of a value.
const sealBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// txn is one transaction. One that writes is used by one goroutine.
type txn struct {
	bolt    *bbolt.Tx
	mu      sync.Mutex // guards buckets
	buckets [nTables]*bbolt.Bucket
}

// bucket returns the bucket of tb, which exists in every file that Open accepts.
func (t *txn) bucket(tb table) (*bbolt.Bucket, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if b := t.buckets[tb]; b != nil {
		return b, nil
	}
	b := t.bolt.Bucket(tableNames[tb])
	if b == nil {
		return nil, corruptf("no table %s", tableNames[tb])
	}
	// Keys mostly ascend, so pages are filled to the brim and split no more.
	b.FillPercent = 1
	t.buckets[tb] = b
	return b, nil
}

// get returns the value of key without its seal, nil when there is none. It is
// valid until the transaction ends.
func (t *txn) get(tb table, key []byte) ([]byte, error) {
	b, err := t.bucket(tb)
	if err != nil {
		return nil, err
	}
	v := b.Get(key)
	if v == nil {
		return nil, nil
	}
	return unseal(tb, key, v)
}

// put stores value, which must not be used afterwards; it grows by sealBytes.
func (t *txn) put(tb table, key, value []byte) error {
	b, err := t.bucket(tb)
	if err != nil {
		return err
	}
	sum := checksum(tb, key, value)
	return b.Put(key, binary.LittleEndian.AppendUint32(value, sum))
}

func (t *txn) delete(tb table, key []byte) error {
	b, err := t.bucket(tb)
	if err != nil {
		return err
	}
	return b.Delete(key)
}

// scan calls fn with each pair of tb from the first key >= from on, in order, until
// fn returns false or an error.
func (t *txn) scan(tb table, from []byte, fn func(key, value []byte) (bool, error)) error {
	b, err := t.bucket(tb)
	if err != nil {
		return err
	}
	c := b.Cursor()
	for k, v := c.Seek(from); k != nil; k, v = c.Next() {
		if v, err = unseal(tb, k, v); err != nil {
			return err
		}
		if more, err := fn(k, v); err != nil || !more {
			return err
		}
	}
	return nil
}

// unseal checks value and returns it without its checksum.
func unseal(tb table, key, value []byte) ([]byte, error) {
	n := len(value) - sealBytes
	if n < 0 || binary.LittleEndian.Uint32(value[n:]) != checksum(tb, key, value[:n]) {
		return nil, corruptf("bad checksum in table %s", tableNames[tb])
	}
	return value[:n:n], nil
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
