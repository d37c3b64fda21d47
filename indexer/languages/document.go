package languages

import "ambit/vectors/record"

// Document is the shape of Markdown and prose.
type Document struct {
	Title     string // front matter, else the first heading of level 1, else the first heading
	Tags      []string
	Layer     string // front matter only
	UpdatedAt string // front matter only, as written
	// Blocks are the top-level blocks, in order, disjoint; what lies between two of
	// them is blank or belongs to the earlier one.
	Blocks []Block
	// Fences are the blocks of code at any depth, in order, disjoint, whole lines:
	// no cut goes through one of them.
	Fences   []record.Span
	Links    []Link    // by start
	CodeRefs []CodeRef // by start
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

// Link is an outbound link.
type Link struct {
	Target string      // as written
	Path   record.Path // the workspace path it leads to; "" outside the workspace
	Anchor string      // what follows "#", without it
	Start  int
}

// CodeRef is a mention of code by place: "path:12" or "path:12-20".
type CodeRef struct {
	Text  string
	Start int
}
