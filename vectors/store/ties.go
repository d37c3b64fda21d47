package store

import (
	"encoding/binary"
	"errors"

	"ambit/vectors/record"
)

// appendTies appends ties to the row of a file:
//
//	offers | quotes | woven
func appendTies(b []byte, t *record.Ties) []byte {
	str := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	b = binary.AppendUvarint(b, uint64(len(t.Offers)))
	for i := range t.Offers {
		o := &t.Offers[i]
		for _, s := range [...]string{string(o.Kind), o.Path, o.From, o.Brief, o.Text} {
			str(s)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(t.Quotes)))
	for i := range t.Quotes {
		q := &t.Quotes[i]
		for _, s := range [...]string{string(q.Kind), q.Path, q.From} {
			str(s)
		}
		for _, n := range [...]int{q.Chunk, q.Prefix, q.Suffix, q.Whole} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return append(b, t.Woven[:]...)
}

// ties is the inverse of appendTies.
func (u *unpacker) ties() *record.Ties {
	const offerBytes, quoteBytes = 5, 7 // at least
	t := &record.Ties{}
	str := func() string { return string(u.bytes(u.count(1))) }
	if n := u.count(offerBytes); n > 0 {
		t.Offers = make([]record.Offer, n)
	}
	for i := range t.Offers {
		t.Offers[i] = record.Offer{Kind: record.EdgeKind(str()), Path: str(), From: str(), Brief: str(), Text: str()}
	}
	if n := u.count(quoteBytes); n > 0 {
		t.Quotes = make([]record.Quote, n)
	}
	for i := range t.Quotes {
		t.Quotes[i] = record.Quote{Kind: record.EdgeKind(str()), Path: str(), From: str(),
			Chunk: int(u.uint()), Prefix: int(u.uint()), Suffix: int(u.uint()), Whole: int(u.uint())}
	}
	copy(t.Woven[:], u.bytes(len(t.Woven)))
	return t
}

// validateTies returns what is wrong with the ties of a file that has the chunks.
func validateTies(t *record.Ties, chunks []record.Chunk) error {
	if t == nil {
		return nil
	}
	for i := range t.Quotes {
		q := &t.Quotes[i]
		if q.Chunk < 0 || q.Chunk >= len(chunks) || i > 0 && q.Chunk < t.Quotes[i-1].Chunk {
			return errors.New("a quote is in no chunk, or before the last")
		}
		if c := &chunks[q.Chunk]; q.Prefix < 0 || q.Suffix < 0 || q.Whole < 0 || q.Prefix > len(c.Prefix) || q.Suffix > len(c.Suffix) {
			return errors.New("a quote is outside of its chunk")
		}
	}
	return nil
}

// woven returns the sum of what other files have brought to the embedding texts of f.
func woven(f *record.File) record.Hash {
	if f.Ties == nil {
		return record.Hash{}
	}
	return f.Ties.Woven
}
