package store

import (
	"errors"

	"ambit/vectors/record"
)

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
