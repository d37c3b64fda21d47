package assemble

import (
	"strings"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Bundle is an answer: what was chosen, in the order in which it is shown.
type Bundle struct {
	Query    string
	Text     string // the bundle as Format spells it
	Format   string
	Tokens   int // of Text, exact
	Budget   int
	Encoding string
	Scope    retrieve.Scope
	Context  ContextMode // what stands beside the code of a source
	Root     string      // absolute path of the workspace, for URIs
	Symbol   *Symbol
	Sections []Section // in order of appearance, those that hold something
	// Structure is shown before the sources when StructureFirst, else after them.
	Structure      []Outline
	StructureFirst bool
	Sources        []Source
	Dependencies   []retrieve.Dependency // those shown
	Omitted        []Omission            // by rank
	Freshness      Freshness
}

// ContextMode says how much of what is known of a unit stands beside its code. It is
// named after the setting that says the same of what is embedded.
type ContextMode string

// The modes. The zero value is ContextFull.
const (
	ContextNone    ContextMode = "none"    // nothing: neither structure nor arrows either
	ContextMinimal ContextMode = "minimal" // what it is and where, and the structure
	ContextFull    ContextMode = "full"    // also relevance, change frequency, dependents and the arrows
)

// Symbol is what the cursor is on.
type Symbol struct {
	Name       string // last component of Identifier
	Identifier string
	Kind       record.Kind
	Path       record.Path
	Lines      record.Lines
}

// Section is one part of the answer.
type Section struct {
	Name   string
	Tokens int // what it takes, mark-up included
	Budget int // what it was given, at least Tokens
}

// Outline is one file of the structural section.
type Outline struct {
	Path  record.Path
	Lines int
	Units []string // signatures, each on one line
	More  int      // how many further units the file has
}

// Source is a unit as it appears in the answer.
type Source struct {
	ID         record.ChunkID
	Identifier string
	Kind       record.Kind
	Language   string
	Path       record.Path
	Start, End Position       // of the whole unit, half-open
	Lines      record.Lines   // of the whole unit
	Ranges     []record.Lines // the lines really shown, ascending, disjoint
	Section    string
	Role       retrieve.Role
	Relevance  float64 // in [0, 1]
	Frequency  record.Frequency
	Dependents int
	Tokens     int // of Text
	// Text holds the shown lines, each ended by "\n", without trailing blanks, and,
	// in the comment syntax of the language, a mark at a gap beside a focus line and
	// the truncation note as the last line. It is valid UTF-8.
	Text      string
	Truncated *Truncation // nil when the whole unit is shown
	Why       []retrieve.Signal
}

// Position is a place in a file that can be told in every encoding of columns.
type Position struct {
	Line   int    // 1-based
	Before string // the text of the line up to the position, as in the file
}

// Truncation says what is missing of a source.
type Truncation struct {
	LinesOmitted int
	Kinds        []string // what the lines held: "doc", "body", "methods", …
	TotalLines   int
	TotalTokens  int // of the whole unit
}

// Omission is a candidate that is not shown, or what was named and is not there.
type Omission struct {
	ID         record.ChunkID
	Identifier string
	Path       record.Path
	Tokens     int // of the whole unit; 0 when it could not be read
	Reason     string
}

// Freshness says how new the answer is.
type Freshness struct {
	Generation uint64
	Pending    int    // files that wait to be indexed
	State      string // as ambit/status: "ready", "indexing", …
}

func newSymbol(u *retrieve.Unit) *Symbol {
	name := u.Identifier[strings.LastIndexByte(u.Identifier, '.')+1:]
	if strings.Contains(name, "/") || name == "" { // of a path
		name = u.Identifier
	}
	return &Symbol{Name: name, Identifier: u.Identifier, Kind: u.Kind, Path: u.Path, Lines: u.Lines}
}
