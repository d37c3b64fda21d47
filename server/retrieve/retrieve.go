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
	"ambit/server/api"
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
	// Keys returns which chunks the filter keeps, without reading them. The function is
	// safe for concurrent use.
	Keys(ctx context.Context, filter Filter) (func(record.Key) bool, error)
}

// Filter says which chunks count: those for which all of it holds. An empty field
// holds for all.
type Filter struct {
	Path     func(record.Path) bool
	Language string
	Kind     record.Kind // of the chunk or of a symbol that is declared in it
	Layer    string      // of documents
	Tags     []string    // of documents, all of them
}

// File reports whether a file can have such chunks. Traits may be nil.
func (f *Filter) File(path record.Path, language string, traits *record.Traits) bool {
	switch {
	case f.Path != nil && !f.Path(path), f.Language != "" && language != f.Language:
		return false
	case !f.documents():
		return true
	case traits == nil || !isProse(language) || f.Layer != "" && traits.Layer != f.Layer:
		return false
	}
	return !slices.ContainsFunc(f.Tags, func(tag string) bool { return !slices.Contains(traits.Tags, tag) })
}

// documents reports whether the filter keeps documents only.
func (f *Filter) documents() bool { return f.Layer != "" || len(f.Tags) > 0 }

// empty reports whether the filter keeps everything.
func (f *Filter) empty() bool {
	return f.Path == nil && f.Language == "" && f.Kind == "" && !f.documents()
}

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

// History tells how the files changed in git.
type History interface {
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
	History History
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
	Limit int // of the matches; 0 means [DefaultLimit]
	// Every channel ranks what the filter keeps as if there were nothing else.
	Filter Filter
	Pinned []Pin // for Ask, as in [Cursor]
}

// Pin names a unit as the candidates and matches of an earlier question did.
type Pin struct {
	Path record.Path
	ID   record.ChunkID
}

// DefaultLimit is the number of results that a person reads without scrolling.
const DefaultLimit = 10

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
	Relevance float64      // in [0, 1], the best candidate has 1
	Why       []api.Signal // largest first, never empty
	Pin       int          // place among what the asker pinned, from 1; 0 when not pinned
	// Focus are the lines that tie the unit to what was asked: where it calls the
	// symbol, where the words match. Ascending; empty when the whole unit matters.
	Focus []int
	// Frequency and Dependents are shown beside the unit.
	Frequency  record.Frequency
	Dependents int
}

// Result is what a question brings, best first.
type Result struct {
	Query        string // the question, or the identifier under the cursor
	Scope        api.Scope
	Documents    bool  // the question is about documents only
	Symbol       *Unit // what the cursor is on; nil for a question in words
	Candidates   []Candidate
	Lost         []Pin            // that the workspace does not have any more
	Dependencies []api.Dependency // among the symbol and the candidates, most used first
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
