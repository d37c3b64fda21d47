package lexical

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"ambit/vectors/record"
)

// writer lays out a segment: its rows first, then its terms in order.
type writer struct {
	blob   []byte // all up to the postings
	dict   []byte
	blocks []byte
	term   []byte // the one before
	nTerms int
	start  int // of the postings in blob
	nRows  int
}

// newWriter starts a segment of rows; size is how many bytes of postings to expect.
func newWriter(keys []record.Key, lengths []uint16, size int) *writer {
	w := &writer{nRows: len(keys), start: headerBytes + 6*len(keys)}
	w.blob = make([]byte, headerBytes, w.start+size)
	for _, k := range keys {
		w.blob = binary.LittleEndian.AppendUint32(w.blob, uint32(k))
	}
	for _, n := range lengths {
		w.blob = binary.LittleEndian.AppendUint16(w.blob, n)
	}
	return w
}

// add appends a term, which must be above the one before, with its rows, ascending,
// and their codes. A term without rows is left out.
func (w *writer) add(term []byte, rows []uint32, codes []byte) {
	if len(rows) == 0 {
		return
	}
	at := len(w.blob)
	w.blob = binary.AppendUvarint(w.blob, uint64(len(rows)))
	w.blob = append(w.blob, codes...)
	prev := uint32(0)
	for _, row := range rows {
		if d := row - prev; d < 1<<7 { // three in four
			w.blob = append(w.blob, byte(d))
		} else {
			w.blob = binary.AppendUvarint(w.blob, uint64(d))
		}
		prev = row
	}
	shared := 0
	if w.nTerms%blockTerms == 0 {
		w.blocks = binary.LittleEndian.AppendUint32(w.blocks, uint32(len(w.dict)))
		w.blocks = binary.LittleEndian.AppendUint32(w.blocks, uint32(at-w.start))
	} else {
		for shared < min(len(term), len(w.term)) && term[shared] == w.term[shared] {
			shared++
		}
	}
	w.dict = append(w.dict, byte(shared), byte(len(term)-shared))
	w.dict = binary.AppendUvarint(w.dict, uint64(len(w.blob)-at))
	w.dict = append(w.dict, term[shared:]...)
	w.term = append(w.term[:0], term...)
	w.nTerms++
}

// finish returns the segment. It fails above 4 GiB, the reach of its offsets.
func (w *writer) finish() (*segment, error) {
	nPostings := len(w.blob) - w.start
	if nPostings > math.MaxUint32 || len(w.dict) > math.MaxUint32 {
		return nil, fmt.Errorf("segment of %d rows: postings above 4 GiB", w.nRows)
	}
	b := append(append(w.blob, w.dict...), w.blocks...)
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint64(b[12:], recipe)
	le.PutUint32(b[20:], uint32(w.nRows))
	le.PutUint32(b[24:], uint32(w.nTerms))
	le.PutUint32(b[28:], uint32(nPostings))
	le.PutUint32(b[32:], uint32(len(w.dict)))
	le.PutUint32(b[8:], crc32.Checksum(b[12:], castagnoli))
	return makeSegment(b)
}
