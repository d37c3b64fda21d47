// Package record holds the nouns of ambit: files, chunks, symbols, batches and hits.
//
// They are plain values with exported fields; a Row is a File in the form in which it is
// stored. A position is a byte offset, a range is half-open, a line is 1-based and
// inclusive. Nothing here reads or writes, or knows where it is kept; every other codec
// belongs to the store and the wire to the server.
package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// Path names a file of the workspace: relative to its root, with "/" between
// segments. It holds the bytes that the file system gave, so it need not be
// valid UTF-8.
type Path string

// Span is a half-open byte range [Start, End) of one file.
type Span struct{ Start, End int }

// Lines is an inclusive, 1-based range of lines.
type Lines struct{ First, Last int }

// Place is a span of a file with its lines.
type Place struct {
	Span  Span
	Lines Lines
}

// Hash is a SHA-256 sum.
type Hash [32]byte

// String returns the sum in lower-case hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText returns the sum in lower-case hexadecimal.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads a sum in hexadecimal.
func (h *Hash) UnmarshalText(text []byte) error {
	if len(text) != hex.EncodedLen(len(h)) {
		return hex.ErrLength
	}
	_, err := hex.Decode(h[:], text)
	return err
}

// TextHash is the first half of a SHA-256 sum. It tells the embedding texts of one path
// apart; a whole sum would take one byte more in an index for each four of source.
type TextHash [16]byte

// HashText returns the hash of a text.
func HashText(text []byte) TextHash {
	sum := sha256.Sum256(text)
	return TextHash(sum[:16])
}

// Key numbers what the index holds. Keys ascend in the order of writing and are
// never given twice in the life of an index file; 0 is "not stored yet".
type Key uint32

// KeyRange is the half-open range of keys [First, First+N).
type KeyRange struct {
	First Key
	N     int
}

// Contains reports whether k lies in the range.
func (r KeyRange) Contains(k Key) bool { return k >= r.First && int64(k) < int64(r.First)+int64(r.N) }

// File describes one file of the workspace.
type File struct {
	Path     Path
	Key      Key    // given by the store
	Size     int64  // bytes
	ModTime  int64  // nanoseconds since the Unix epoch
	Hash     Hash   // of the bytes on disk
	Language string // the name of a row of the language table, "" when left out
	Chunks   KeyRange
	// Generation is the number of the batch that wrote the file.
	Generation uint64
	// LeftOut says why the file has no chunks ("binary", "too large", "generated",
	// "secret", …); it is "" for an indexed file.
	LeftOut string
	// Partial says why a part of an indexed file is read as text although its language has a
	// grammar; it is "" for most files.
	Partial string
	// Masked counts the secrets that were masked in the stored text.
	Masked int
	// CrossFile is nil for a file without exports and references, as nearly all are.
	CrossFile *CrossFile
	// Traits are nil for a file without chunks. They are never changed.
	Traits *Traits
}

// Traits are the properties by which a search filters files and chunks. They are small
// enough to keep those of all files in memory: some 20 bytes a chunk.
type Traits struct {
	Kinds []KindSet  // of each chunk: its own kind and those of the declarations in it
	IDs   []uint16   // the first two bytes of the ids of chunks and units, ascending, each once
	Doc   *DocTraits // nil for all but documents with a layer or tags
}

// DocTraits are the properties by which a search filters documents.
type DocTraits struct {
	Layer string
	Tags  []string
}

// KindSet is a set of kinds, a bit for each in the order of their declaration. Those that
// package record does not declare have none.
type KindSet uint32

// kindsInOrder gives the kinds their bits. The order is part of the format of the index:
// append only.
var kindsInOrder = [...]Kind{
	KindFunction, KindMethod, KindClass, KindStruct, KindInterface, KindEnum, KindType, KindModule, KindField, KindVariable, KindConstant,
	KindMacro, KindImpl, KindTest, KindSection, KindDocument, KindFile, KindText,
	KindModel, KindController, KindMailer, KindJob, KindService, KindComponent, KindMixin, KindAction, KindGraphQL, KindView,
}

// KindSetOf returns the set of one kind.
func KindSetOf(k Kind) KindSet {
	for i, known := range kindsInOrder {
		if k == known {
			return 1 << i
		}
	}
	return 0
}

// FileRecord is everything that the index keeps of one file. Everything in it depends on
// the bytes of that file and on the recipe, on nothing else, except the lines of the
// prefixes that quote the repository's history, and those of the prefixes and suffixes
// that come from other files, see File.CrossFile.
type FileRecord struct {
	File    File
	Content []byte  // the text the chunks' spans refer to; secrets are masked in place
	Chunks  []Chunk // in order; see Chunk
	// Codes are the vectors of the embedding texts of Chunks, one each: of unit length, or zero
	// for a text without words. Code is nil where the vector is not computed yet.
	Codes    []Codes
	Embedded int // how many of Codes were computed anew; the store had the others
	Graph    FileGraph
	// Recalled says that the record, except Size and ModTime, came from the store's cache
	// of revisions, so that the store need not write it again.
	Recalled bool
}

// Codes is a vector of d components as it is stored: two levels of codes, made by
// package quantize.
type Codes struct {
	Code          []byte // two components in a byte
	Scale         float32
	Residual      []int8 // d
	ResidualScale float32
}

// Batch holds the changes of one transaction. A path stands in Files or in Removed,
// not in both, and only once.
type Batch struct {
	Generation uint64 // given by the store, one more than the last
	Files      []FileRecord
	Touched    []File // same content under another size or time: the stored File is replaced, its Key, Chunks and Generation stay
	Removed    []Path
	Forget     []Path     // those of Removed whose earlier revisions are dropped too: files that must not be known any more
	Dropped    []KeyRange // chunks that stop to exist, filled by the store for the views
	History    *History   // nil keeps the stored one
}

// Hit is one row that a search found.
type Hit struct {
	Key   Key
	Score float64
}

// Word is a part of a query with the weight of its terms.
type Word struct {
	Text   string
	Weight float64
}
