package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"ambit/vectors/record"
)

// partBytes is how much of a blob one value holds, and viewPartBytes how much of a view: a
// [View] is read part by part, and a part takes 50 us.
const (
	partBytes     = 1 << 20
	viewPartBytes = 64 << 10
)

// partsPerWrite bounds what a transaction of SaveView holds in memory: 16 MB, in parts.
const partsPerWrite = 256

// maxViewBytes bounds the unpacked size of a view. That of 100,000 files takes 200 MB.
const maxViewBytes = 1 << 30

// maxViewName is the longest name of a view, in bytes.
const maxViewName = 255

// A blob is a long value: part 0 holds its generation, its length and its slot, the further
// parts of that slot hold its bytes, as many each. Part 0 is written last. A view has two
// slots: the old one stays until the new one is complete.
type blob struct {
	table  table
	prefix string // of the keys
	// packed says that each part is compressed on its own, so that reading takes no more
	// memory than the value.
	packed bool
}

// slotBit is set in the number of a part in slot 1.
const slotBit = 1 << 31

func (b blob) key(part uint32) []byte {
	return binary.BigEndian.AppendUint32([]byte(b.prefix), part)
}

// partBytes returns how much each part but the last holds.
func (b blob) partBytes() int {
	if b.packed {
		return viewPartBytes
	}
	return partBytes
}

// parts returns the number of parts of n bytes.
func (b blob) parts(n int) uint32 { return uint32((n + b.partBytes() - 1) / b.partBytes()) }

// blobHead is what part 0 holds.
type blobHead struct {
	generation, size uint64
	slot             uint32 // 0 or slotBit
}

// SaveView keeps data under name until the next SaveView of that name; generation
// says which batches it includes. Empty data removes the view. It is kept compressed,
// which takes 40 % off the arrays of numbers that views are and 25 ms of an Open to
// undo for 10,000 files.
//
// It takes several transactions, each of bounded size. A crash or an error in between
// leaves the old view: making a view from all files takes a minute in a large tree, and
// an editor that ends waits for no more than a second. A [View] of that name that is open
// is read into memory before.
//
// The pieces of data follow one another.
func (db *DB) SaveView(ctx context.Context, name string, generation uint64, data ...[]byte) error {
	if n := lenOf(data); n > maxViewBytes {
		return fmt.Errorf("save view %q: %d bytes are too many", name, n)
	}
	if err := db.saveView(ctx, name, generation, data); err != nil {
		return fmt.Errorf("save view %q: %w", name, err)
	}
	return nil
}

func (db *DB) saveView(ctx context.Context, name string, generation uint64, data [][]byte) error {
	b, err := viewBlob(name)
	if err != nil {
		return err
	}
	db.write.Lock()
	defer db.write.Unlock()
	db.views.mu.Lock()
	defer db.views.mu.Unlock()
	if err := db.loadOpen(ctx, b.prefix); err != nil {
		return err
	}
	size := lenOf(data)
	if size == 0 {
		return db.update(ctx, func(t *txn) error { return t.deleteBlob(b) })
	}
	head := blobHead{generation: generation, size: uint64(size)}
	err = db.update(ctx, func(t *txn) error {
		old, ok, err := t.blobHead(b)
		if ok && old.slot == 0 {
			head.slot = slotBit
		}
		if err != nil {
			return err
		}
		return t.deleteParts(b, head.slot) // those of an unfinished write
	})
	if err != nil {
		return err
	}
	n := b.parts(size)
	for part := uint32(0); part < n; part += partsPerWrite {
		err := db.update(ctx, func(t *txn) error {
			to := min(part+partsPerWrite, n)
			t.letGo() // the transaction before has read parts, to write them to other pages
			if err := t.putParts(b, head.slot, data, part, to); err != nil || to < n {
				return err
			}
			if err := t.putBlobHead(b, head); err != nil {
				return err
			}
			return t.deleteParts(b, slotBit-head.slot)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// LoadView returns the data that SaveView kept under name, nil for none.
func (r *Reader) LoadView(ctx context.Context, name string) (data []byte, generation uint64, err error) {
	b, err := viewBlob(name)
	if err == nil {
		err = r.view(ctx, func(t *txn) error {
			data, generation, err = t.blob(b)
			return err
		})
	}
	if err != nil {
		return nil, 0, fmt.Errorf("load view %q: %w", name, err)
	}
	return data, generation, nil
}

func viewBlob(name string) (blob, error) {
	if name == "" || len(name) > maxViewName || strings.ContainsRune(name, 0) {
		return blob{}, errors.New("not a name for a view")
	}
	return blob{tableViews, name + "\x00", true}, nil
}

// historyBlob is the blob of the history, which is compressed as a whole.
func historyBlob() blob { return blob{tableHistory, "", false} }

// History returns the stored history of the repository, an empty one when
// there is none.
func (r *Reader) History(ctx context.Context) (h record.History, err error) {
	err = r.view(ctx, func(t *txn) error {
		data, _, err := t.blob(historyBlob())
		if err != nil || data == nil {
			return err
		}
		raw, err := r.db.unzip.DecodeAll(data, nil)
		if err != nil {
			return corruptf("history: %v", err)
		}
		var ok bool
		if h, ok = decodeHistory(raw); !ok {
			return corruptf("bad history")
		}
		return nil
	})
	if err != nil {
		return record.History{}, fmt.Errorf("read history: %w", err)
	}
	return h, nil
}

// encodeHistory returns h as a packed value.
func encodeHistory(p *packer, h *record.History) []byte {
	p.reset()
	p.str(h.Head)
	p.int(h.Commits)
	p.str(h.Cut)
	p.uint(uint64(len(h.Files)))
	for _, f := range h.Files {
		p.str(string(f.Path))
		p.str(string(f.Frequency))
		p.int(f.Commits90)
		p.int(f.Commits)
	}
	p.uint(uint64(len(h.Pairs)))
	for _, c := range h.Pairs {
		p.str(string(c.A))
		p.str(string(c.B))
		p.float(c.Weight)
	}
	p.uint(uint64(len(h.Subjects)))
	for _, s := range h.Subjects {
		p.str(s.Text)
		p.uint(uint64(len(s.Files)))
		for _, f := range s.Files {
			p.str(string(f))
		}
	}
	return p.finishPlain(nil)
}

// decodeHistory is the inverse of encodeHistory; it never panics.
func decodeHistory(b []byte) (h record.History, ok bool) {
	u := unpack(b)
	defer u.release()
	h.Head, h.Commits, h.Cut = u.str(), u.int(), u.str()
	if n := u.count(4); n > 0 {
		h.Files = make([]record.FileHistory, n)
		for i := range h.Files {
			h.Files[i] = record.FileHistory{Path: record.Path(u.str()), Frequency: record.Frequency(u.str()), Commits90: u.int(), Commits: u.int()}
		}
	}
	if n := u.count(10); n > 0 {
		h.Pairs = make([]record.CoChange, n)
		for i := range h.Pairs {
			h.Pairs[i] = record.CoChange{A: record.Path(u.str()), B: record.Path(u.str()), Weight: u.float()}
		}
	}
	if n := u.count(2); n > 0 {
		h.Subjects = make([]record.Subject, n)
		for i := range h.Subjects {
			s := &h.Subjects[i]
			s.Text, s.Files = u.str(), make([]record.Path, u.count(1))
			for j := range s.Files {
				s.Files[j] = record.Path(u.str())
			}
		}
	}
	if !u.done() {
		return record.History{}, false
	}
	return h, true
}

func lenOf(data [][]byte) (n int) {
	for _, piece := range data {
		n += len(piece)
	}
	return n
}

// appendCut appends at most n bytes of data, from an offset on, to dst, with room for a seal.
func appendCut(dst []byte, data [][]byte, from, n int) []byte {
	n = min(n, lenOf(data)-from)
	dst = slices.Grow(dst, n+sealBytes)
	for _, piece := range data {
		if from >= len(piece) {
			from -= len(piece)
			continue
		}
		piece = piece[from:min(len(piece), from+n)]
		dst, from, n = append(dst, piece...), 0, n-len(piece)
	}
	return dst
}

// putBlob replaces a blob within this transaction.
func (t *txn) putBlob(b blob, generation uint64, data []byte) error {
	if err := t.deleteBlob(b); err != nil {
		return err
	}
	if err := t.putParts(b, 0, [][]byte{data}, 0, b.parts(len(data))); err != nil {
		return err
	}
	return t.putBlobHead(b, blobHead{generation: generation, size: uint64(len(data))})
}

// putParts stores parts [from, to) of data, counted from 0, in a slot.
func (t *txn) putParts(b blob, slot uint32, data [][]byte, from, to uint32) error {
	var part []byte
	for i := from; i < to; i++ {
		part = appendCut(part[:0], data, int(i)*b.partBytes(), b.partBytes())
		value := part
		if b.packed {
			value = s2.EncodeBetter(nil, part)
		} else {
			part = nil // bbolt keeps it until the commit
		}
		if err := t.put(b.table, b.key(slot|(i+1)), value); err != nil {
			return err
		}
	}
	return nil
}

func (t *txn) putBlobHead(b blob, h blobHead) error {
	value := binary.AppendUvarint(nil, h.generation)
	value = binary.AppendUvarint(value, h.size)
	value = binary.AppendUvarint(value, uint64(h.slot))
	return t.put(b.table, b.key(0), value)
}

// blobHead reads the head of a blob; ok is false when there is none.
func (t *txn) blobHead(b blob) (h blobHead, ok bool, err error) {
	value, err := t.get(b.table, b.key(0))
	if err != nil || value == nil {
		return blobHead{}, false, err
	}
	u := unpacker{b: value}
	h = blobHead{u.uint(), u.uint(), uint32(u.uint())}
	if !u.done() || h.size > b.most(t) || h.slot != 0 && h.slot != slotBit {
		return blobHead{}, false, corruptf("bad head of a blob")
	}
	return h, true, nil
}

// blob reads a blob, nil when there is none.
func (t *txn) blob(b blob) (data []byte, generation uint64, err error) {
	head, ok, err := t.blobHead(b)
	if err != nil || !ok {
		return nil, 0, err
	}
	data = make([]byte, 0, head.size)
	for i := range b.parts(int(head.size)) {
		part, err := t.get(b.table, b.key(head.slot|(i+1)))
		if err != nil {
			return nil, 0, err
		}
		if data, err = b.appendPart(data, part); err != nil {
			return nil, 0, err
		}
	}
	if uint64(len(data)) != head.size {
		return nil, 0, corruptf("a blob has %d bytes instead of %d", len(data), head.size)
	}
	return data, head.generation, nil
}

// most returns a bound of the length of b.
func (b blob) most(t *txn) uint64 {
	if b.packed {
		return maxViewBytes
	}
	return uint64(t.bolt.Size() + t.bytesBelow())
}

// appendPart appends what a stored part holds, and nothing beyond the capacity of data.
func (b blob) appendPart(data, part []byte) ([]byte, error) {
	if !b.packed {
		return append(data, part...), nil
	}
	n, err := s2.DecodedLen(part)
	if err != nil || n > cap(data)-len(data) {
		return nil, corruptf("bad length of a part of a view")
	}
	if _, err := s2.Decode(data[len(data):len(data)+n], part); err != nil {
		return nil, corruptf("part of a view: %v", err)
	}
	return data[:len(data)+n], nil
}

// deleteBlob removes all parts of b, also those that an unfinished write left.
func (t *txn) deleteBlob(b blob) error { return t.deleteKeys(b, 0, math.MaxUint32) }

// deleteParts removes the parts of a slot.
func (t *txn) deleteParts(b blob, slot uint32) error {
	return t.deleteKeys(b, slot+1, slot|(slotBit-1))
}

// deleteKeys removes the parts of b with the numbers from first to last. It looks at no others: each
// part is one page in memory, and many more around it.
func (t *txn) deleteKeys(b blob, first, last uint32) error {
	all, err := t.bucketsOf(b.table)
	if err != nil {
		return err
	}
	var keys [][]byte
	c, end := seek(mapped(all), b.key(first)), string(b.key(last))
	for key, _ := c.next(); key != nil && string(key) <= end; key, _ = c.next() {
		keys = append(keys, slices.Clone(key))
	}
	for _, k := range keys {
		if err := t.delete(b.table, k); err != nil {
			return err
		}
	}
	return nil
}
