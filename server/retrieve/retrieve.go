// Package retrieve turns a cursor or a question into ranked candidates.
//
// Each candidate says through which channels it was found and which named terms
// made its score. The package knows no budget and no format, reads through the
// interfaces that it declares, and never writes.
package retrieve

import (
	"context"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Reader reads one state of the workspace: what it returns for a path belongs
// together and stays the same for the time of a request, unsaved buffers and files
// that changed a moment ago included.
type Reader interface {
	// Graph returns what a file defines and uses.
	Graph(ctx context.Context, path record.Path) (record.FileGraph, error)
	// GraphTo returns the same with, of what it uses, at least what has a name.
	GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error)
	// Content returns the text that the spans of Graph refer to, secrets masked.
	Content(ctx context.Context, path record.Path) ([]byte, error)
	// Chunks returns the chunks of keys in their order; one that is gone is zero.
	Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error)
	// FileChunks returns the chunks of a file, in order; none of a file that is gone.
	FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error)
	// Keys returns which chunks are to be kept; that costs much less than reading them.
	// What it returns is safe for concurrent use.
	Keys(ctx context.Context, keep Keep) (func(record.Key) bool, error)
}

// Keep says which chunks count: those for which all of it holds.
type Keep struct {
	Path     func(record.Path) bool // nil for all, as what is empty below
	Language string
	Kind     record.Kind // of the chunk or of something that is declared in it
	Layer    string      // of documents
	Tags     []string    // of documents, all of them
}

// File reports whether a file can have such chunks, t being its traits or nil.
func (k *Keep) File(path record.Path, language string, t *record.Traits) bool {
	switch {
	case k.Path != nil && !k.Path(path), k.Language != "" && language != k.Language:
		return false
	case !k.documents():
		return true
	case t == nil || !languages.IsProse(language) || k.Layer != "" && t.Layer != k.Layer:
		return false
	}
	return !slices.ContainsFunc(k.Tags, func(tag string) bool { return !slices.Contains(t.Tags, tag) })
}

// documents reports whether documents only are kept.
func (k *Keep) documents() bool { return k.Layer != "" || len(k.Tags) > 0 }

// TextSearcher finds chunks by words. *lexical.Index satisfies it.
type TextSearcher interface {
	// Search returns at most k hits, best first, of the chunks that keep, nil for all,
	// reports true for; no hit is not an error.
	Search(ctx context.Context, query string, k int, keep func(record.Key) bool) ([]record.Hit, error)
}

// VectorSearcher finds chunks by cosine. *flat.Index satisfies it.
type VectorSearcher interface {
	// Search returns at most k hits, best first, with scores in [-1, 1], of the chunks
	// that keep, nil for all, reports true for. It calls keep from several goroutines.
	Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error)
}

// Embedder embeds a question. *embed.Builtin satisfies it.
type Embedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// Historian tells what git knows. The session's history satisfies it.
type Historian interface {
	Frequency(path record.Path) record.Frequency
	// CoChanged returns the pairs that a file is part of, heaviest first.
	CoChanged(path record.Path) []record.CoChange
}

// Index is what a question is asked of. All fields are required.
type Index struct {
	Files   Reader
	Names   *graph.View
	Text    TextSearcher
	Vectors VectorSearcher
	Embed   Embedder
	History Historian
}

// Cursor is a place in a file.
type Cursor struct {
	Path    record.Path
	Offset  int                    // in bytes, in what Reader.Content returns
	Outline *languages.Outline     // of that content, when it is at hand; nil has it parsed
	Brief   bool                   // Result.Structure is not wanted
	Keep    func(record.Path) bool // the files that the result may be made of; nil for all
	Pinned  []Pin                  // units that are in the result whatever the channels bring and Keep says
}

// Question is a question in words.
type Question struct {
	Query string
	Limit int // results of Search at most; 0 means DefaultLimit
	// Keep says which files there are to find something in, nil all. Language, Kind,
	// Layer and Tags narrow what is found; empty ones do not. Every channel ranks what
	// is left, as if there were nothing else.
	Keep     func(record.Path) bool
	Language string
	Kind     record.Kind
	Layer    string   // of documents
	Tags     []string // of documents, all of them
	Pinned   []Pin    // for Ask, as in [Cursor]
}

// Pin names a unit as the candidates and matches of an earlier question did.
type Pin struct {
	Path record.Path
	ID   record.ChunkID
}

// DefaultLimit is the number of results that a person reads without scrolling.
const DefaultLimit = 10

// Match is one result of a search.
type Match struct {
	Path       record.Path
	Lines      record.Lines
	Identifier string
	Kind       record.Kind
	ID         record.ChunkID
	Score      float64
	Why        []Signal
}

// Role says why a candidate is in an answer, as the graph sees it.
type Role string

// The roles. The first two are what was asked for (primary), the rest is what the
// graph and the indexes brought (supporting).
const (
	RoleDefinition Role = "definition" // of the identifier under the cursor
	RoleEnclosing  Role = "enclosing"  // the unit around the cursor
	RoleMatch      Role = "match"      // found by words or by vector
	RoleUses       Role = "uses"       // used by the unit
	RoleUsedBy     Role = "used by"    // uses the unit
	RoleTest       Role = "test"
	RoleDoc        Role = "doc"
	RoleCoChange   Role = "co-change"
	RoleSibling    Role = "sibling"
	RoleSimilar    Role = "similar" // neighbour by vector or by words
	RoleFramework  Role = "framework"
	RolePinned     Role = "pinned" // wanted by the asker, and found by no channel
)

// Signal is one named term of a score.
type Signal struct {
	Name  string
	Score float64
}

// Unit names a unit of a file: what a candidate is about.
type Unit struct {
	Path       record.Path
	Language   string
	Kind       record.Kind
	Identifier string // qualified name, or the path for text without a name
	ID         record.ChunkID
	Span       record.Span // whole unit, doc comment included
	Header     record.Span // its signature
	Doc        record.Span
	Body       record.Span
	Lines      record.Lines // of Span
	NameLine   int          // the line that declares it
	Parent     string       // identifier of the unit around it, "" at the top
	Members    []Member     // of a type: its fields and methods in this file, in order
}

// Member is a part of a type that can be shown alone.
type Member struct {
	Name   string
	Kind   record.Kind
	Span   record.Span // doc comment included
	Header record.Span
}

// Candidate is a unit with the reasons to show it.
type Candidate struct {
	Unit      Unit
	Role      Role
	Relevance float64  // in [0, 1], the best candidate has 1
	Why       []Signal // largest first, never empty
	Pin       int      // place among what the asker pinned, from 1; 0 when not pinned
	// Focus are the lines that tie the unit to what was asked: where it calls the
	// symbol, where the words match. Ascending; empty when the whole unit matters.
	Focus []int
	// Frequency and Dependents are shown beside the unit.
	Frequency  record.Frequency
	Dependents int
}

// Scope is how wide a question is.
type Scope string

// The scopes of a question.
const (
	ScopeFocused       Scope = "focused"
	ScopeExploratory   Scope = "exploratory"
	ScopeComprehensive Scope = "comprehensive"
)

// Dependency is an arrow between two units of an answer.
type Dependency struct {
	From, To string // identifiers
	Kind     record.EdgeKind
}

// Result is what a question brings, best first.
type Result struct {
	Query        string // the question, or the identifier under the cursor
	Scope        Scope
	Documents    bool  // the question is about documents only
	Symbol       *Unit // what the cursor is on; nil for a question in words
	Candidates   []Candidate
	Lost         []Pin        // that the workspace does not have any more
	Dependencies []Dependency // among the symbol and the candidates, most used first
	// Structure is what tells where things are: the path of files and their
	// outlines, most relevant first; package assemble decides how much is shown.
	Structure []FileOutline
}

// FileOutline is one file of the structural section.
type FileOutline struct {
	Path  record.Path
	Lines int
	Units []string // signatures of its top-level units, in order
}
