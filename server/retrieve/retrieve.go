// Package retrieve turns a cursor or a question into ranked candidates.
//
// Each candidate lists the channels that found it as the named terms of its score. The
// package knows no budget and no format, reads through the interfaces that it declares,
// and never writes.
package retrieve

import (
	"context"
	"iter"
	"slices"

	"ambit/indexer/deps"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// Reader reads one state of the workspace, which does not change during a request: the
// graph, the text and the chunks of a file are of the same revision. Open documents and
// files that have just changed are part of the state.
type Reader interface {
	// Graph returns the definitions and uses of a file.
	Graph(ctx context.Context, path record.Path) (record.FileGraph, error)
	// GraphTo is like Graph, but may return only the edges to name.
	GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error)
	// Content returns the text that the spans of Graph refer to, secrets masked.
	Content(ctx context.Context, path record.Path) ([]byte, error)
	// Outline returns the outline of that text. It may have to parse the text.
	Outline(ctx context.Context, path record.Path) (*languages.Outline, error)
	// Chunks returns the chunks of keys in their order, and a zero chunk for a missing one.
	Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error)
	// FileChunks returns the chunks of a file in order, none if there is no such file.
	FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error)
	// Files yields the files that answers show, in no order.
	Files() iter.Seq[record.Row]
	// Generated yields the files of the workspace that the index leaves out as generated, in order.
	Generated() iter.Seq[record.Path]
	// Keys returns a function that reports whether the filter keeps a chunk, without
	// reading the chunk. The function is safe for concurrent use.
	Keys(ctx context.Context, filter Filter) (func(record.Key) bool, error)
}

// Filter keeps the chunks for which all its fields hold. An empty field holds for all.
type Filter struct {
	Path     func(record.Path) bool
	Language string
	Kind     record.Kind // of the chunk or of a symbol that is declared in it
	Layer    string      // of documents
	Tags     []string    // of documents, all of them
}

// File reports whether a file can have such chunks.
func (f *Filter) File(file record.Row) bool {
	switch {
	case f.Path != nil && !f.Path(file.Path()), f.Language != "" && file.Language() != f.Language:
		return false
	case !f.documents():
		return true
	}
	doc := file.Doc()
	if doc == nil || !languages.IsProse(file.Language()) || f.Layer != "" && doc.Layer != f.Layer {
		return false
	}
	return !slices.ContainsFunc(f.Tags, func(tag string) bool { return !slices.Contains(doc.Tags, tag) })
}

// documents reports whether the filter keeps documents only.
func (f *Filter) documents() bool { return f.Layer != "" || len(f.Tags) > 0 }

// empty reports whether the filter keeps everything.
func (f *Filter) empty() bool {
	return f.Path == nil && f.Language == "" && f.Kind == "" && !f.documents()
}

// TextSearcher finds chunks by words. A question asks it while it asks the [Embedder] and the
// [VectorSearcher].
type TextSearcher interface {
	// Search returns at most k hits, best first, among the chunks for which keep is true;
	// a nil keep is true for all. No hit is not an error.
	Search(ctx context.Context, query []record.Word, k int, keep func(record.Key) bool) ([]record.Hit, error)
	// Files returns how well each file answers query as a whole, in any order; a file
	// without any word of it may be missing.
	Files(ctx context.Context, query []record.Word) (iter.Seq[FileScore], error)
}

// FileScore is the score of a file, above 0.
type FileScore struct {
	Path  record.Path
	Score float64
}

// VectorSearcher finds chunks by cosine.
type VectorSearcher interface {
	// Search returns at most k hits, best first, with scores in [-1, 1], among the chunks
	// for which keep is true; a nil keep is true for all. It calls keep from several
	// goroutines.
	Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error)
}

// Embedder embeds a question. *embed.Builtin satisfies it.
type Embedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// History is the git history of the workspace.
type History interface {
	Frequency(path record.Path) record.Frequency
	// CoChanged returns the pairs of files that contain a file, heaviest first.
	CoChanged(path record.Path) []record.CoChange
	// Subjects returns the subjects of commits of few files, latest first.
	Subjects() []record.Subject
}

// Index answers questions. All fields are required.
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
	Path   record.Path
	Offset int                    // in bytes, in the text of Reader.Content
	Brief  bool                   // leave out Result.Structure and similar units
	Keep   func(record.Path) bool // the files that the result may come from; nil for all
	Pinned []Pin                  // units that are always in the result
	// In is the file of a dependency that the cursor is in, in place of Path; nil for the workspace.
	// Offset is in its text. Dependencies is set then.
	In *deps.Place
	// Dependencies finds what the symbol uses outside of the workspace; nil leaves it out.
	Dependencies Dependencies
}

// Question is a question in words.
type Question struct {
	Query string
	Limit int // of the matches; 0 means the default
	// Every channel ranks the chunks that the filter keeps as if there were no others.
	Filter Filter
	Pinned []Pin // for Ask, as in [Cursor]
}

// Pin names a unit of the result of an earlier question.
type Pin struct {
	Path record.Path
	ID   record.ChunkID
}

// Role is the relation of a candidate to the question.
type Role string

// The roles.
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
	RoleSchema     Role = "schema"  // the table of a model in question
	RoleChanged    Role = "changed" // the diff in question changes it
	RolePinned     Role = "pinned"  // pinned by the caller and found by no channel
)

// Unit is a declaration, a piece of text or a whole file.
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
	Members    []Member     // of a type: its fields and methods in this file, in order
	Sections   []Section    // of a class of a framework in question: its other statements by purpose
}

// KindTable is the kind of a table of a database in an answer.
const KindTable record.Kind = "table"

// Section is what a class of a framework declares for one purpose.
type Section struct {
	Title string        // "associations"
	Spans []record.Span // of each statement, in order
}

// Member is a part of a type that can be shown alone.
type Member struct {
	Kind   record.Kind
	Span   record.Span // doc comment included
	Header record.Span
}

// Candidate is a unit with the reasons to show it.
type Candidate struct {
	Unit      Unit
	Role      Role
	Relevance float64 // in [0, 1], the best candidate has 1; it orders the candidates of an answer
	// Probability that the unit is right, in [0, 1], which is comparable between answers. It rises
	// with the relevance.
	Probability float64
	Why         []api.Signal    // largest first, never empty
	Pin         int             // place in the list of pins, from 1; 0 when not pinned
	UsedBy      record.EdgeKind // of a user: the strongest way in which it uses the unit in question
	Named       Naming
	Glance      bool // its signature tells enough
	// Focus are the lines that relate the unit to the question: calls of the symbol, or
	// matches of the words. Ascending; empty when the whole unit matters.
	Focus []int
	// Found are the lines of the chunks by which a question in words found the unit, in any
	// order. They may go beyond the unit.
	Found      []record.Lines
	Frequency  record.Frequency // of changes to the file
	Dependents int              // files that use its name
}

// Naming says how much of a unit a question in words names.
type Naming int

// How much of a unit is named.
const (
	NotNamed   Naming = iota
	NamedLines        // its Focus: "the associations of Story"
	NamedUnit         // the unit: "what is Story"
)

// Result is the ranked candidates of a question.
type Result struct {
	Query        string // the question, or the identifier under the cursor
	Scope        api.Scope
	Documents    bool             // the question is about documents only
	Symbol       *Unit            // under the cursor; nil for a question in words
	Candidates   []Candidate      // best first
	Lost         []Pin            // pins whose units do not exist any more
	Dependencies []api.Dependency // among the symbol and the candidates, most used first
	Structure    []FileOutline    // of the files of the candidates, most relevant first
	Externals    []External       // that the symbol uses, the most useful first
	Overview     *api.Overview    // of a question about the whole project or an area of it; else nil
}

// FileOutline lists the top-level units of a file.
type FileOutline struct {
	Path  record.Path
	Lines int
	Units []string // signatures, in order; each on one line when they are shown
	More  int      // how many further units the file has
}
