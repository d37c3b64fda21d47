// Package chunk cuts one file into the pieces that the index stores.
//
// Code is cut at declarations, Markdown at headings and prose at blank lines.
// Split is a pure function of the outline and the options: it reads no disk, keeps
// no state and never fails. Limits are measured by an estimate, so the cuts do not
// depend on the encoding that answers are counted in.
//
// Package enrich adds lines of other files to the embedding texts.
//
// The chunks of a file that are no summaries are in order, do not overlap and cover
// every byte. A section of a class by purpose has several places when its statements are
// scattered over the class. Equal outlines give equal chunks.
package chunk

import (
	"iter"
	"strconv"
	"sync"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Recipe names the rules of this package. It changes with them, and the index is then built
// again.
const Recipe = "6"

// ContextMode says how much context an embedding text adds to the content.
type ContextMode string

// The context modes.
const (
	ContextNone    ContextMode = "none"    // content alone
	ContextMinimal ContextMode = "minimal" // the lines Unit and File
	ContextFull    ContextMode = "full"
)

// Defaults of Options, see docs/design.md.
const (
	DefaultMaxTokens     = 700
	DefaultOverlapTokens = 80
)

// Options tunes [Split]. The zero value is ready for use.
type Options struct {
	ContextMode   ContextMode // "" means ContextFull
	MaxTokens     int         // of a chunk of prose; 0 means DefaultMaxTokens
	OverlapTokens int         // of prose; 0 means DefaultOverlapTokens, negative none
	TextOnly      bool        // cut code as if it were prose
	// Without has the labels of lines that the embedding texts lack, and "Signatures" for
	// the list at the end of a summary: a benchmark measures what each is worth.
	Without []string
}

// Split cuts a file. It sets every field of the chunks but Key.
func Split(o *languages.Outline, opt Options) []record.Chunk {
	if len(o.Content) == 0 {
		return nil
	}
	if opt.ContextMode == "" {
		opt.ContextMode = ContextFull
	}
	if opt.MaxTokens <= 0 {
		opt.MaxTokens = DefaultMaxTokens
	}
	if opt.OverlapTokens == 0 {
		opt.OverlapTokens = DefaultOverlapTokens
	}
	s := splitter{o: o, opt: opt, spare: sparePieces.Get().(*pieceLists)}
	defer s.giveBack()
	switch {
	case o.Doc != nil && len(o.Decls) > 0 && !opt.TextOnly:
		s.rows = newRows(o.Content, cost)
		s.markdown()
	case o.Doc != nil || opt.TextOnly:
		s.rows = newRows(o.Content, costProse)
		s.prose()
	default:
		s.coarse = coarseness(o)
		if languages.IsData(o.Language) && opt.ContextMode == ContextFull {
			s.opt.ContextMode = ContextMinimal // the content has all keys
		}
		s.rows = newRows(o.Content, coarse(s.coarse))
		s.code()
	}
	return s.finish()
}

// pieceLists is the memory for the pieces of a file, which files borrow one after the other.
type pieceLists struct {
	cut    []piece
	summed []piece // with the summaries
}

var sparePieces = sync.Pool{New: func() any { return new(pieceLists) }}

// maxSparePieces bounds the lists that are kept, to 3 MB each.
const maxSparePieces = 1 << 14

// giveBack ends the use of what the splitter has borrowed. No text of the file stays in it.
func (s *splitter) giveBack() {
	for _, list := range []*[]piece{&s.spare.cut, &s.spare.summed} {
		if clear(*list); cap(*list) > maxSparePieces {
			*list = nil
		}
		*list = (*list)[:0]
	}
	sparePieces.Put(s.spare)
}

// splitter holds the work on one file.
type splitter struct {
	o      *languages.Outline
	opt    Options
	rows   *rows
	pieces []piece
	names  []string // qualified name of each declaration
	sigs   []string // signature of each declaration, "" before the first use
	kids   []int    // indices of declarations grouped by their parent
	kidsAt []int    // len(Decls)+2: the children of i are kids[kidsAt[i+1]:kidsAt[i+2]]
	roles  bool     // some declarations have one
	notes  []remark // of each row, nil before the first use
	depth  int      // number of units around the current one
	usage  usage
	spare  *pieceLists
	coarse int // the factor of the limits, see coarseness; 0 for documents
	buf    []byte
}

// piece is a chunk in the making.
type piece struct {
	span    record.Span
	also    []record.Span // where a section goes on, see gather
	decl    int           // the unit, -1 for text between units
	parent  int           // the unit around, -1 at the top
	section string
	title   string // the purpose of the section, without a number; "" for none
	// directives counts those of a section by purpose.
	directives int
	tokens     int
	part       int  // number of the part of a cut unit, from 1; 0 for a whole unit
	own        bool // text of parent outside of its members
	merged     bool // several small neighbours
	alone      bool // does not merge with its neighbours
	overlap    string
	summary    bool
}

// spans yields the span of p and those in also.
func (p *piece) spans() iter.Seq[record.Span] {
	return func(yield func(record.Span) bool) {
		if !yield(p.span) {
			return
		}
		for _, span := range p.also {
			if !yield(span) {
				return
			}
		}
	}
}

// partName names the n-th part of a cut unit.
func partName(n int) string { return "part " + strconv.Itoa(n) }

// finish makes chunks of the pieces, with the summaries beside them.
func (s *splitter) finish() []record.Chunk {
	s.addSummaries()
	s.qualify()
	chunks := make([]record.Chunk, len(s.pieces))
	lines := lineNumbers{content: s.o.Content}
	ordinals := make(map[string]uint32, len(s.pieces))
	doc := newDocMeta(s)
	for i := range s.pieces {
		p, c := &s.pieces[i], &chunks[i]
		if s.isText(p) && p.section == "" && s.isImports(p.span) {
			p.section = importsSection
		}
		c.Path, c.Language, c.Span, c.Tokens = s.o.Path, s.o.Language, p.span, p.tokens
		c.Section, c.IsSummary = p.section, p.summary
		if s.coarse > 1 {
			c.Tokens = toTokens(cost(s.o.Content[p.span.Start:p.span.End]))
		}
		if p.summary {
			own := lineNumbers{content: s.o.Content[:p.span.End]}
			c.Lines = record.Lines{First: own.of(p.span.Start), Last: own.of(p.span.End - 1)}
		} else {
			c.Lines = record.Lines{First: lines.of(p.span.Start), Last: lines.of(p.span.End - 1)}
		}
		more := lines
		for _, span := range p.also {
			c.Also = append(c.Also, record.Place{Span: span, Lines: record.Lines{First: more.of(span.Start), Last: more.of(span.End - 1)}})
		}
		s.describe(p, c)
		c.Doc = doc.of(p)
		s.embedding(p, c)
		s.identify(p, c, ordinals)
		if c.Section == "" && s.isText(p) {
			c.Section = s.mergedName(p)
		}
	}
	return chunks
}

// isText reports whether a piece of code is no unit and no part of one.
func (s *splitter) isText(p *piece) bool {
	return p.decl < 0 && !p.summary && s.o.Doc == nil && !s.opt.TextOnly
}

// importsSection names a chunk of imports.
const importsSection = "imports"

// mergedName names a chunk of several small units by the first of them and the number of the
// others, "" for none.
func (s *splitter) mergedName(p *piece) string {
	name, others := "", 0
	for i, last := s.declsIn(p.span); i < last; i++ {
		switch d := &s.o.Decls[i]; {
		case d.Parent != p.parent:
		case name == "":
			name = d.Name
		default:
			others++
		}
	}
	if others > 0 {
		name += " + " + strconv.Itoa(others)
	}
	return name
}

// identify sets the id and the hash of a chunk. The id depends on the path, the unit (or
// the first name that the text defines), the section, and the ordinal among the chunks with
// the same unit and section.
func (s *splitter) identify(p *piece, c *record.Chunk, ordinals map[string]uint32) {
	unit := c.Unit
	switch {
	case p.decl >= 0 && s.o.Doc != nil:
		unit = s.names[p.decl]
	case unit == "" && len(c.Defines) > 0:
		unit = c.Defines[0]
	}
	b := append(append(append(s.buf[:0], unit...), 0), c.Section...)
	n := ordinals[string(b)]
	ordinals[string(b)] = n + 1
	c.ID = record.NewChunkID(c.Path, unit, c.Section, n)

	b = c.AppendEmbeddingText(b[:0], s.o.Content)
	c.EmbedHash = record.HashText(b)
	s.buf = b
}
