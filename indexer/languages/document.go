package languages

import "ambit/vectors/record"

// Document is the shape of Markdown and prose.
type Document struct {
	Title     string // first heading or front matter
	Tags      []string
	Layer     string // front matter only
	UpdatedAt string
	// Blocks are the top-level blocks, in order, disjoint; what lies between two of
	// them is blank or belongs to the earlier one.
	Blocks []Block
	Links  []Link
	// CodeRefs are mentions of code by place, "path:12" or "path:12-20".
	CodeRefs []string
}

// BlockKind says what a block is.
type BlockKind uint8

// The kinds of blocks.
const (
	BlockParagraph BlockKind = iota
	BlockHeading
	BlockFence // fenced or indented code
	BlockTable
	BlockList
	BlockQuote
	BlockHTML
	BlockRule
	BlockFrontMatter
)

// Block is one block of a document.
type Block struct {
	Kind  BlockKind
	Span  record.Span   // whole lines
	Level int           // of a heading, 1 to 6
	Text  string        // of a heading, without mark-up; info string of a fence
	Parts []record.Span // a list's top-level items, a table's rows (the header with its rule first)
}

// Link is an outbound link as written.
type Link struct {
	Target string
	Start  int
}
