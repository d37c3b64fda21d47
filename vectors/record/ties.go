package record

// Ties bind a file to others by what embedding texts quote: the offers are what it has
// for them, the quotes are where its own chunks tell of theirs. Both depend on the
// bytes of the file alone; what the quotes brought, Woven, does not. A value is never
// changed once it is in a File.
type Ties struct {
	Offers []Offer
	Quotes []Quote // ascending by Chunk
	// Woven is the sum of what the quotes brought when the file was written, zero for
	// nothing: while it is what they bring now, the embedding texts are as they should be.
	Woven Hash
}

// Offer is something of a file that embedding texts of other files quote.
type Offer struct {
	// Kind says what for: EdgeExtends is a type that others take in, EdgeAssociates an
	// association of From with the type at Path, EdgeType the table that the type at Path
	// stands for.
	Kind  EdgeKind
	Path  string // of a type, joined by ".": its own, or as it is written in From
	From  string // the type that names Path; "" when it is its own
	Brief string // it in one line
	Text  string // the whole of it, bounded; "" for what is no longer than Brief
}

// Quote is a place at which the embedding text of a chunk tells of offers.
type Quote struct {
	Kind EdgeKind // of the offers
	// Path and From are those of a type that takes others in as it names them, or the
	// path of the type that others are associated with.
	Path, From string
	Chunk      int // index into FileRecord.Chunks
	// Prefix and Suffix are the lengths of what the chunk has without quotes, in bytes.
	Prefix, Suffix int
	Whole          int // bytes of Offer.Text that are quoted at most, behind the chunk; 0 quotes Brief, before it
}
