package store

import (
	"encoding/binary"
	"errors"

	"ambit/vectors/record"
)

// appendCrossFile appends to the row of a file
//
//	exports | references | enriched
func appendCrossFile(b []byte, c *record.CrossFile) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.Exports)))
	for i := range c.Exports {
		e := &c.Exports[i]
		b = append(b, byte(e.Kind))
		for _, s := range [...]string{e.Path, e.From, e.Brief, e.Text} {
			b = appendString(b, s)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(c.References)))
	for i := range c.References {
		r := &c.References[i]
		b = append(b, byte(r.Kind))
		b = appendString(b, r.Path)
		b = appendString(b, r.From)
		for _, n := range [...]int{r.Chunk, r.Prefix, r.Suffix, r.TextBytes} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return append(b, c.Enriched[:]...)
}

// crossFile is the inverse of appendCrossFile.
func (u *unpacker) crossFile() *record.CrossFile {
	const exportBytes, referenceBytes = 5, 7 // at least
	str := func() string { return string(u.bytes(u.count(1))) }
	kind := func() (k record.ExportKind) {
		if b := u.bytes(1); b != nil {
			k = record.ExportKind(b[0])
		}
		return k
	}
	c := &record.CrossFile{}
	if n := u.count(exportBytes); n > 0 {
		c.Exports = make([]record.Export, n)
	}
	for i := range c.Exports {
		c.Exports[i] = record.Export{Kind: kind(), Path: str(), From: str(), Brief: str(), Text: str()}
	}
	if n := u.count(referenceBytes); n > 0 {
		c.References = make([]record.Reference, n)
	}
	for i := range c.References {
		c.References[i] = record.Reference{Kind: kind(), Path: str(), From: str(),
			Chunk: int(u.uint()), Prefix: int(u.uint()), Suffix: int(u.uint()), TextBytes: int(u.uint())}
	}
	copy(c.Enriched[:], u.bytes(len(c.Enriched)))
	return c
}

// validateCrossFile returns an error when a reference does not fit the chunks of its file.
func validateCrossFile(c *record.CrossFile, chunks []record.Chunk) error {
	if c == nil {
		return nil
	}
	for i := range c.References {
		r := &c.References[i]
		if r.Chunk < 0 || r.Chunk >= len(chunks) || i > 0 && r.Chunk < c.References[i-1].Chunk {
			return errors.New("a reference is in no chunk, or before the last")
		}
		at := &chunks[r.Chunk]
		if r.Prefix < 0 || r.Suffix < 0 || r.TextBytes < 0 || r.Prefix > len(at.Prefix) || r.Suffix > len(at.Suffix) {
			return errors.New("a reference is outside of its chunk")
		}
	}
	return nil
}

// enriched returns the sum of the lines that other files added to the embedding texts
// of f.
func enriched(f *record.File) record.Hash {
	if f.CrossFile == nil {
		return record.Hash{}
	}
	return f.CrossFile.Enriched
}
