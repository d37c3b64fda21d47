// Package api is the vocabulary of ambit: every question, every answer and the
// interface [Workspace] that answers them.
//
// The ambit.* commands of the language server, the --json output of the command line
// and the wire between processes use these types and no others. The TypeScript and
// Lua types of the editor plugins and docs/protocol.md are generated from them; see
// directory apigen.
//
// The types are plain values. The tags of a question's fields define the valid
// values and the defaults; [Check] enforces them. The package reads no file, keeps no
// state and makes no answers.
//
// Lines are 1-based and inclusive. A [Position] and a [Range] are those of the
// Language Server Protocol: zero-based, half-open, with characters counted in the
// position encoding of the question. Paths are relative to the root of the workspace,
// with "/".
package api

//go:generate go run ./apigen

import (
	"context"

	"ambit/vectors/record"
)

// Workspace is one client of the index of one workspace. Its methods are safe for
// concurrent use.
//
// Every method that takes a context returns soon after the context is done, with its
// cause. An error is one line and names the next step. An error of the question wraps
// [ErrQuestion] or is a *[FieldError].
type Workspace interface {
	Answers
	Documents
	Indexing

	// Root returns the absolute path of the workspace, without symbolic links.
	Root() string
	// Notice returns one line for the user about how the index was opened, or "".
	Notice() string
	// Close releases everything. No other call may be under way or follow.
	Close() error
}

// Answers are the questions that a workspace answers. Each is answered from one
// immutable state of the index, with the open documents of this client in place of
// the files on disk.
type Answers interface {
	// Context assembles the context of a place or of a question in words.
	Context(ctx context.Context, q Question) (*Answer, error)
	// Search returns the best matches first.
	Search(ctx context.Context, q SearchQuestion) (*Matches, error)
	// Related returns the units that belong with a place, the most relevant first, without
	// the unit that the place is in.
	Related(ctx context.Context, q RelatedQuestion) (*Matches, error)
	// Explain explains the rank of a source in the answer to a question. It returns nil
	// when the question does not find the source.
	Explain(ctx context.Context, q ExplainQuestion) (*Explanation, error)
	// Read returns the whole text of a unit.
	Read(ctx context.Context, q ReadQuestion) (*UnitText, error)
	// SourceText returns the text of a source of a dependency.
	SourceText(ctx context.Context, q SourceTextQuestion) (*SourceText, error)
	// Impact returns what a change of a declaration touches.
	Impact(ctx context.Context, q ImpactQuestion) (*Impact, error)
	// Hover describes the symbol at a place. It returns nil away from a name, and on a name
	// that the workspace does not define.
	Hover(ctx context.Context, q HoverQuestion) (*Hover, error)
	// Chunks returns the chunks of a file, in the order of the file.
	Chunks(ctx context.Context, q ChunksQuestion) (*Chunks, error)
	// ChunkStats counts the chunks of the files in a directory.
	ChunkStats(ctx context.Context, q ChunkStatsQuestion) (*ChunkStats, error)
	// Status describes the index.
	Status(ctx context.Context, q StatusQuestion) (*Status, error)
}

// Documents takes the documents that the client has open. The client calls one method at
// a time, in the order of its edits; all return at once.
type Documents interface {
	// SetDocument replaces the file with the path of d, or its earlier version, by d in
	// every later answer to this client.
	SetDocument(d *Document)
	// CloseDocument ends SetDocument: answers use the file on disk again.
	CloseDocument(path record.Path)
	// Changed reports that files or directories may have changed on disk.
	Changed(paths []record.Path)
}

// Indexing controls how the index follows the files on disk.
type Indexing interface {
	// Run brings the index up to date and follows changes until ctx is done. All clients
	// of an index share one run. Run calls observe, one call at a time, at the
	// beginning and whenever the state has changed; observe must not block.
	Run(ctx context.Context, observe func(State)) error
	// Index brings the index up to date once. It calls progress, unless nil, one call at a
	// time; progress must not block while Index waits for the work of another client,
	// which it shows. After a cancellation, the files that are already
	// indexed stay indexed.
	Index(ctx context.Context, progress func(Progress)) (Report, error)
	// CatchUp is Index for a question. A process that follows the tree does not look at all
	// of it: it takes the word of its watcher, as it does for the questions of an editor.
	CatchUp(ctx context.Context, progress func(Progress)) (Report, error)
	// Reindex reads files again although they look unchanged.
	Reindex(ctx context.Context, q ReindexQuestion, progress func(Progress)) (Reindexed, error)
	// Pause stops Run within the file that is being indexed, until a client calls Resume or
	// this one closes. Both return at once and may be called twice.
	Pause()
	Resume()
}
