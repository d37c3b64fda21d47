// Package revisions is a bounded cache of earlier revisions of files, within the tables of
// a store: so a branch that the user returns to and an edit that the user undoes need not
// be parsed and embedded again.
//
// A revision is the state of one path at one time. Its name is the path, the hash of the
// bytes and the sum of the lines that other files added to the embedding texts. The cache
// drops the oldest revisions first. The store decides what a revision holds.
package revisions

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"ambit/vectors/record"
)

// ErrDamaged is returned for tables whose contents no cache wrote.
var ErrDamaged = errors.New("damaged revision cache")

// MaxKeyBytes bounds the keys of Tables. A revision whose path is so long that its key
// would be longer is not kept.
const MaxKeyBytes = 32768

// Table is one table within a transaction. Its results are valid until the transaction
// ends.
type Table interface {
	// Get returns the value of key, nil for none.
	Get(key []byte) ([]byte, error)
	// Put stores value, which the caller does not use afterwards.
	Put(key, value []byte) error
	Delete(key []byte) error
	// Scan calls fn with each pair from the first key >= from on, in order, until fn
	// returns false or an error.
	Scan(from []byte, fn func(key, value []byte) (more bool, err error)) error
}

// Counts are the numbers of a cache that the store keeps from one transaction to the next.
type Counts struct {
	Next  uint64 // the number that the next revision gets, from 1
	N     uint64 // revisions
	Bytes uint64 // the sum of their footprints
}

// Cache is a cache within one transaction.
type Cache struct {
	Values  Table // number → revision
	Numbers Table // path, 0, hash, sum unless it is zero → number
	*Counts
}

// ID names a revision.
type ID struct {
	Path     record.Path
	Hash     record.Hash // of the bytes
	Enriched record.Hash // the sum of the lines that other files added to the embedding texts
}

// key returns the key of an ID in Numbers, nil when it would be too long.
func (id *ID) key() []byte {
	n := len(id.Path) + 1 + len(id.Hash) + len(id.Enriched)
	if n > MaxKeyBytes {
		return nil
	}
	key := append(make([]byte, 0, n), id.Path...)
	key = append(append(key, 0), id.Hash[:]...)
	if id.Enriched != (record.Hash{}) {
		key = append(key, id.Enriched[:]...)
	}
	return key
}

// idOf is the inverse of key.
func idOf(key []byte) (id ID, ok bool) {
	path, sums, ok := bytes.Cut(key, []byte{0})
	if !ok || len(sums) != len(id.Hash) && len(sums) != len(id.Hash)+len(id.Enriched) {
		return ID{}, false
	}
	id.Path = record.Path(path)
	copy(id.Enriched[:], sums[copy(id.Hash[:], sums):])
	return id, true
}

// Revision is a revision that is kept.
type Revision struct {
	ID
	File      record.Key // under which the store keeps the rest
	Footprint uint64     // the bytes that the store keeps for it in all
	Value     []byte     // the payload; it is valid until the transaction ends
	number    uint32
}

// Add keeps a revision, whose Value it copies. It reports false when it cannot.
func (c *Cache) Add(r *Revision) (bool, error) {
	key := r.key()
	if key == nil || c.Next > 1<<32-1 {
		return false, nil
	}
	r.number = uint32(c.Next)
	c.Next++
	c.N++
	c.Bytes += r.Footprint
	value := binary.AppendUvarint(make([]byte, 0, len(key)+len(r.Value)+28), uint64(len(key)))
	value = append(value, key...)
	value = binary.BigEndian.AppendUint32(value, uint32(r.File))
	value = binary.AppendUvarint(value, r.Footprint)
	value = append(value, r.Value...)
	if err := c.Values.Put(numberKey(r.number), value); err != nil {
		return false, err
	}
	return true, c.Numbers.Put(key, numberKey(r.number))
}

func numberKey(n uint32) []byte { return binary.BigEndian.AppendUint32(nil, n) }

// decode reads a value that Add wrote. It never panics.
func decode(number, value []byte) (r Revision, err error) {
	n, size := binary.Uvarint(value)
	if size <= 0 || n > uint64(len(value)-size) || len(value)-size-int(n) < 4 || len(number) != 4 {
		return Revision{}, fmt.Errorf("%w: bad revision", ErrDamaged)
	}
	key, rest := value[size:size+int(n)], value[size+int(n):]
	id, ok := idOf(key)
	footprint, size := binary.Uvarint(rest[4:])
	if !ok || size <= 0 {
		return Revision{}, fmt.Errorf("%w: bad revision", ErrDamaged)
	}
	r = Revision{ID: id, File: record.Key(binary.BigEndian.Uint32(rest)), Footprint: footprint, Value: rest[4+size:]}
	r.number = binary.BigEndian.Uint32(number)
	return r, nil
}

// at returns the revision with a number.
func (c *Cache) at(number []byte) (Revision, error) {
	value, err := c.Values.Get(number)
	if err != nil {
		return Revision{}, err
	}
	return decode(number, value)
}

// Get returns the revision with an ID; ok is false when it is not kept.
func (c *Cache) Get(id ID) (r Revision, ok bool, err error) {
	key := id.key()
	if key == nil {
		return Revision{}, false, nil
	}
	number, err := c.Numbers.Get(key)
	if err != nil || number == nil {
		return Revision{}, false, err
	}
	r, err = c.at(number)
	if err == nil && r.ID != id {
		err = fmt.Errorf("%w: %q is at the wrong place", ErrDamaged, id.Path)
	}
	return r, err == nil, err
}

// Of calls fn with the revisions of a path, the latest first, until it returns false or
// an error; with hash, unless nil, only with those of these bytes. fn may remove them.
func (c *Cache) Of(path record.Path, hash *record.Hash, fn func(Revision) (more bool, err error)) error {
	prefix := append([]byte(path), 0)
	if hash != nil {
		prefix = append(prefix, hash[:]...)
	}
	var numbers [][]byte
	err := c.Numbers.Scan(prefix, func(key, number []byte) (bool, error) {
		if !bytes.HasPrefix(key, prefix) {
			return false, nil
		}
		numbers = append(numbers, slices.Clone(number))
		return true, nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(numbers, bytes.Compare)
	for _, number := range slices.Backward(numbers) {
		r, err := c.at(number)
		if err == nil && (r.Path != path || hash != nil && r.Hash != *hash) {
			err = fmt.Errorf("%w: %q is at the wrong place", ErrDamaged, path)
		}
		if err != nil {
			return err
		}
		if more, err := fn(r); err != nil || !more {
			return err
		}
	}
	return nil
}

// Remove drops a revision.
func (c *Cache) Remove(r *Revision) error {
	c.N--
	c.Bytes -= r.Footprint
	if err := c.Values.Delete(numberKey(r.number)); err != nil {
		return err
	}
	return c.Numbers.Delete(r.key())
}

// slack is the share of the limit by which Trim cuts a cache further than it must, so
// that most saves cut nothing: dropping a revision touches four more pages.
const slack = 16

// Trim drops the oldest revisions when the cache is over its limit in bytes, and calls
// dropped with each; its Value is no longer valid then.
func (c *Cache) Trim(limit uint64, dropped func(*Revision) error) error {
	if c.Bytes <= limit {
		return nil
	}
	limit -= limit / slack
	excess := c.Bytes
	var old []Revision
	err := c.Values.Scan(nil, func(number, value []byte) (bool, error) {
		r, err := decode(number, value)
		if err == nil && r.Footprint > excess {
			err = fmt.Errorf("%w: bad footprint", ErrDamaged)
		}
		old = append(old, r)
		excess -= r.Footprint
		return excess > limit, err
	})
	if err != nil {
		return err
	}
	for i := range old {
		if err := c.Remove(&old[i]); err != nil {
			return err
		}
		if err := dropped(&old[i]); err != nil {
			return err
		}
	}
	return nil
}
