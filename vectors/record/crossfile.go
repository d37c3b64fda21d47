package record

// CrossFile connects a file with the embedding texts of other files: lines of its
// exports stand in theirs, and its references say which exports of others stand in its
// own. Both depend on the bytes of the file alone; Enriched does not. A value never
// changes once it is in a File.
type CrossFile struct {
	Exports    []Export
	References []Reference // ascending by Chunk
	// Enriched is the sum of the lines that the references added when the file was
	// written, zero for none: while they add the same lines, its texts are up to date.
	Enriched Hash
}

// ExportKind is the kind of an export. The values are part of the format of the index:
// append only.
type ExportKind uint8

// The kinds of exports.
const (
	ExportMixin       ExportKind = iota + 1 // for the classes that include it
	ExportAssociation                       // for the class that it is with
	ExportTable                             // for the class whose values are its rows
)

// Export is a part of a file that the embedding texts of other files quote.
type Export struct {
	Kind ExportKind
	// Path is the path of the mixin, of the class that the association is with, as
	// written in From, or of the class of the table. Names are joined by ".".
	Path  string
	From  string // the class that declares the association; "" for the other kinds
	Brief string // one line
	Text  string // of a mixin: its body, bounded
}

// Reference is a place in the embedding text of a chunk to which matching exports of
// other files are added.
type Reference struct {
	Kind ExportKind
	// Path is the path of a mixin as written in the class From; for the other kinds it
	// is the path of the class itself, and From is "".
	Path, From     string
	Chunk          int // index into FileRecord.Chunks
	Prefix, Suffix int // bytes of the chunk's prefix and suffix before anything is added
	// TextBytes bounds how much of Export.Text is added to the suffix; 0 adds
	// Export.Brief to the prefix.
	TextBytes int
}
