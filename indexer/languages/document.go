package languages

import "ambit/vectors/record"

// Document is the shape of Markdown and prose.
type Document struct {
	Title     string // front matter, else the first heading of level 1, else the first heading
	Tags      []string
	Layer     string // front matter only
	UpdatedAt string // front matter only, as written
	// Blocks are the top-level blocks, in order and disjoint. Text between two blocks is
	// blank or belongs to the earlier block.
	Blocks []Block
	// Fences are the blocks of code at any depth: whole lines, in order and disjoint.
	// Chunks never divide a fence.
	Fences   []record.Span
	Links    []Link    // by start
	CodeRefs []CodeRef // by start
}

// BlockKind is the kind of a block.
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
	Level int           // 1 to 6 for a heading, else 0
	Text  string        // the text of a heading without mark-up, or the info string of a fence
	Parts []record.Span // the top-level items of a list, or the rows of a table (the header and its rule are one)
}

// Link is an outbound link.
type Link struct {
	Target string      // as written
	Path   record.Path // the target in the workspace; "" outside the workspace
	Anchor string      // the text after "#"
	Start  int
}

// CodeRef is a mention of code by place: "path:12" or "path:12-20".
type CodeRef struct {
	Text  string
	Start int
}
