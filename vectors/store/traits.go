package store

import (
	"encoding/binary"

	"ambit/vectors/record"
)

// appendTraits appends traits to the row of a file:
//
//	kinds | ids | n tags | layer | tags
func appendTraits(b []byte, t *record.Traits) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Kinds)))
	for _, k := range t.Kinds {
		b = binary.AppendUvarint(b, uint64(k))
	}
	b = binary.AppendUvarint(b, uint64(len(t.IDs)))
	for _, id := range t.IDs {
		b = binary.LittleEndian.AppendUint16(b, id)
	}
	d := t.Doc
	if d == nil {
		d = &record.DocTraits{}
	}
	b = binary.AppendUvarint(b, uint64(len(d.Tags)))
	b = appendString(b, d.Layer)
	for _, s := range d.Tags {
		b = appendString(b, s)
	}
	return b
}

// traits reads what appendTraits wrote. Empty lists are nil.
func (w *interned) traits(u *unpacker) *record.Traits {
	t := &w.list.room(1)[0]
	t.Kinds = w.kinds.room(u.count(1))
	for i := range t.Kinds {
		k := u.uint()
		if t.Kinds[i] = record.KindSet(k); uint64(t.Kinds[i]) != k {
			u.fail()
		}
	}
	t.IDs = w.ids.room(u.count(2))
	for i := range t.IDs {
		if b := u.bytes(2); b != nil {
			t.IDs[i] = binary.LittleEndian.Uint16(b)
		}
	}
	n, layer := u.count(1), w.str(u.bytes(u.count(1)))
	if n == 0 && layer == "" {
		return t
	}
	t.Doc = &record.DocTraits{Layer: layer}
	for range n {
		t.Doc.Tags = append(t.Doc.Tags, w.str(u.bytes(u.count(1))))
	}
	return t
}

// arenaItems is the room that is made at once for the lists of many rows.
const arenaItems = 1 << 14

// arena is room for lists, made for at least step items at once.
type arena[T any] struct {
	step int
	left []T
}

// room returns a list of n, nil for 0.
func (a *arena[T]) room(n int) (list []T) {
	if n == 0 {
		return nil
	}
	if n > len(a.left) {
		a.left = make([]T, max(n, a.step))
	}
	list, a.left = a.left[:n:n], a.left[n:]
	return list
}
