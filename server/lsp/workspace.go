package lsp

import (
	"context"
	"log/slog"

	"ambit/server/assemble"
	"ambit/server/config"
	"ambit/server/format"
)

// Opener opens workspaces. An adapter over ambit/server/session satisfies it.
type Opener interface {
	// Open opens the workspace at root, an absolute path as the client spells it. It
	// may take its time; cancelling ctx ends it. Root "" asks for a workspace without
	// a directory, for documents that belong to no folder: it holds what
	// [Buffers.SetBuffer] brings and nothing else. An error is one line and names the
	// next step; the client is shown it.
	Open(ctx context.Context, root string, o OpenOptions) (Workspace, error)
}

// OpenOptions is what a workspace is opened with.
type OpenOptions struct {
	Settings config.Settings
	Logger   *slog.Logger // writes to the client, by its trace level; never nil
	// Tell shows the user one line about the index. It may be called at any time, also
	// when the workspace is open; never nil.
	Tell func(line string)
}

// Workspace is one open folder. Its methods are safe for concurrent use, see each
// part. Positions are byte offsets, lines 1-based and inclusive, paths relative to
// the root with "/".
type Workspace interface {
	Answers
	Buffers
	Index
	// Close gives everything back. It is called once, when Run has returned and no
	// other call is under way.
	Close() error
}

// Answers are the questions that a workspace answers, from an immutable view, while
// anything else goes on. A document that is open is seen as its buffer stands. Each
// call returns soon after ctx is done. Errors are one line and name the next step;
// the client is shown them.
type Answers interface {
	Context(ctx context.Context, q Question) (*assemble.Bundle, error)
	// Search returns the best matches first.
	Search(ctx context.Context, q Search) (Found, error)
	// Related returns what belongs with a place, the most relevant first.
	Related(ctx context.Context, at Place, limit int) (Found, error)
	// Explain returns how a source came by its place in the answer to q, and nil when
	// the question does not find it.
	Explain(ctx context.Context, q Question, t Target) (*Explanation, error)
	// Chunks returns how a file is cut, in order.
	Chunks(ctx context.Context, path string) ([]Chunk, error)
	// Card describes the symbol at a place in milliseconds, and returns nil when there
	// is nothing useful to say: in a comment or literal, on a keyword.
	Card(ctx context.Context, at Place) (*Card, error)
	// Text returns a file as the workspace sees it, for positions in documents that are
	// not open. The caller does not change it.
	Text(ctx context.Context, path string) ([]byte, error)
	// Report describes the index.
	Report(ctx context.Context) (*Report, error)
}

// Buffers takes what the client has open. The calls come one at a time in the order
// of the client's, and return at once: work is done later, or by who asks.
type Buffers interface {
	// SetBuffer puts b in the place of the file of its path. Every answer from then on
	// sees it.
	SetBuffer(b *Buffer)
	// CloseBuffer brings the file on disk back.
	CloseBuffer(path string)
	// Changed says that files may have changed on disk.
	Changed(paths []string)
}

// Index is the index of a workspace.
type Index interface {
	// Run keeps the index up to date: it brings it up to the tree, then follows
	// changes. It calls observe, from one goroutine, whenever the status changes, at
	// first at once, and blocks until ctx is done or nothing more can be done.
	Run(ctx context.Context, observe func(Status)) error
	// Reindex reads a file, the files below a directory or, with "", all files anew,
	// and returns how many. It calls progress, from one goroutine at a time.
	Reindex(ctx context.Context, path string, progress func(Status)) (files int, err error)
	// Pause and Resume stop indexing within the file in progress, and go on with it.
	// They return at once and may come twice.
	Pause()
	Resume()
}

// Buffer is an open document. It and its text are never changed, so that what is
// made of it can be kept under its address.
type Buffer struct {
	Path     string // of an untitled document its URI, "untitled:Untitled-1"
	Language string // the client's languageId, "typescriptreact"
	Version  int32
	Text     []byte // valid UTF-8
}

// Place is a position in a file.
type Place struct {
	Path   string
	Offset int     // bytes, from 0 to the length of the text
	Buffer *Buffer // the text that Offset counts in; nil for the file on disk
}

// Question is what [Answers.Context] answers: a place, or words.
type Question struct {
	At    *Place // nil for words
	Query string // "" for a place

	Budget          int // tokens
	DocumentsBudget int // in its stead for a question about documents only
	Encoding        string
	Context         assemble.ContextMode // what stands beside the code; "" means assemble.ContextFull
	Scope           string               // "focused", "exploratory" or "comprehensive"; "" finds out
	Include         []string             // patterns of files to answer from; empty means all
	Exclude         []string             // patterns of files not to answer from
	Pin             []string             // ids of sources that are always shown, by [assemble.Source]
	Drop            []string             // ids of sources that are never shown; they count more than Pin
	Cost            assemble.Cost
}

// Search is a question in words for places.
type Search struct {
	Query    string
	Limit    int    // at least 1
	Path     string // only below this directory, this file or in files of this pattern; "" means all
	Language string // "" means all, as the others
	Kind     string
	Layer    string   // of documents
	Tags     []string // of documents, all of them
}

// Found is what was found and how new that is.
type Found struct {
	Matches   []Match
	Freshness assemble.Freshness
}

// Match is a unit, or a part of one, that a search found.
type Match struct {
	ID         string
	Path       string
	Identifier string
	Kind       string
	Language   string
	StartLine  int
	EndLine    int
	Start, End assemble.Position // half-open
	Role       string            // how it belongs with the place, "callee"; "" in a search
	Score      float64
	Why        []format.Signal // the terms of Score
}

// Target names a source of an answer: by ID, or by path and line, or by identifier.
type Target struct {
	ID         string
	Path       string
	Line       int // 1-based; 0 means anywhere
	Identifier string
}

// Explanation says how a source came by its place in an answer.
type Explanation struct {
	Match          // Why has the terms of every channel
	Rank    int    // from 1
	Section string // "" when it is not shown
	Omitted string // why it is not shown, "" when it is
}

// Chunk is a piece of a file as the index has it.
type Chunk struct {
	ID         string
	Identifier string
	Kind       string
	Section    string // of a unit that was split, else ""
	Signature  string
	Summary    bool // of the whole, beside the others
	StartLine  int
	EndLine    int
	Start, End assemble.Position // half-open
	Tokens     int
	Prefix     string // what is embedded before the content
}

// Card is what a hover says of a symbol.
type Card struct {
	Start, End int // bytes of the symbol in the text of the place, half-open
	Unit       Link
	Frequency  string // "hot", "active", "stable", "dormant"; "" when unknown
	Dependents int    // units that use it
	Related    []Link // the most relevant first
	Tests      []Link
	Documents  []Link
}

// Link is a unit to go to.
type Link struct {
	Identifier string
	Kind       string
	Path       string
	Line       int    // 1-based
	Role       string // how it belongs with the symbol, "callee"; "" for the symbol itself
}

// The states of an index.
const (
	Starting = "starting"
	Indexing = "indexing"
	Ready    = "ready"
	Paused   = "paused"
	Failed   = "error"
)

// Status is how far an index is.
type Status struct {
	State      string
	Generation uint64 // of the index; it moves with each batch
	Files      int    // indexed
	Pending    int    // files that wait
	Done       int    // files of the work in progress that are done
	Total      int    // files of the work in progress, 0 when not known
	Message    string // one line for the user, "" for none
}

// Report describes an index.
type Report struct {
	Status     Status
	Generation uint64
	About
}

// About is what an index holds, as ambit.status and ambit status --json tell it.
type About struct {
	Root       string         `json:"root"`
	Index      string         `json:"index"` // path of the index file
	IndexBytes int64          `json:"index_bytes"`
	OwnerPID   int            `json:"owner_pid,omitempty"` // the process that has the index open, 0 when not known
	Clients    int            `json:"clients"`             // processes that are attached to it
	Model      string         `json:"model"`
	Chunks     int            `json:"chunks"`
	Bytes      int64          `json:"bytes"`     // of the indexed files
	Masked     int            `json:"masked"`    // secrets
	Languages  map[string]int `json:"languages"` // indexed files of each; never nil, as the next
	LeftOut    []LeftOut      `json:"left_out"`  // by path
	Memory     Memory         `json:"memory"`
}

// Memory is what an index remembers of what files held before, and what that was good
// for since the index was made.
type Memory struct {
	Embedded   int    `json:"embedded"`       // chunks whose vectors were computed
	Kept       int    `json:"kept"`           // chunks whose vectors were remembered
	Recalled   int    `json:"recalled"`       // files that came back whole, neither parsed nor embedded
	Shelved    int    `json:"shelved"`        // earlier states of files that could come back
	ShelfBytes int64  `json:"shelf_bytes"`    // what they take of the index
	Seed       string `json:"seed,omitempty"` // the index that this one began as a copy of
}

// LeftOut is a file that is listed, not indexed.
type LeftOut struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}
