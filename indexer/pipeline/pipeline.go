// Package pipeline turns changed paths into batches and hands them to a sink.
//
// It owns the order of work: read, hash, skip unchanged files, leave out files that the
// filter rejects, mask, parse, split, extract, enrich, embed new texts, and hand one
// [record.Batch] after the other to the [Sink]. It knows no concrete store, view or
// embedder.
//
// Batches hold the files in the order of the changes, except that the files with
// references to others come last. The order does not depend on the number of workers,
// so that the same tree gives the same index. Memory is bounded by a few batches. A
// file that cannot be read or that breaks a parser costs that file, and the index says
// why it is left out.
package pipeline

import (
	"context"
	"log/slog"
	"os"
	"runtime"
	"sync"

	"ambit/indexer/chunk"
	"ambit/indexer/enrich"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// Bounds of one batch. A transaction costs one sync of the disk and the next views, so small
// batches are slow; a batch and the one being filled are in memory with their vectors and
// graphs, about five times their text, and each collection of garbage looks at them. The bytes
// bound that memory; the bound in files is for files with next to no text. The texts of a checkout,
// of which there is one batch and none being filled, may have checkoutFactor times the bytes: 8,000
// files of 4 kB are one batch.
const (
	DefaultBatchFiles = 10_000
	DefaultBatchBytes = 4 << 20
	checkoutFactor    = 8
)

// maxDeferredBytes bounds the texts of the files that wait for the exports of all files. Those
// beyond it are enriched twice.
const maxDeferredBytes = 8 << 20

// A Sink stores batches and publishes them to readers.
type Sink interface {
	// Apply takes one batch, wholly or not at all.
	Apply(ctx context.Context, b *record.Batch) error
}

// An Embedder turns texts into vectors. Several goroutines call it. *embed.Builtin
// satisfies it.
type Embedder interface {
	// Dim returns the number of components of every vector.
	Dim() int
	// Embed writes the vectors of texts to rows, of len(texts)*Dim elements: of unit length,
	// or zero for a text without words. It keeps neither texts nor rows.
	Embed(ctx context.Context, texts [][]byte, rows []float32) error
}

// Known reads the records that the index has and had. *store.DB satisfies it.
type Known interface {
	// Lookup returns the record that path had when its bytes had a hash; ok is false
	// when the index does not keep the record.
	Lookup(ctx context.Context, path record.Path, hash record.Hash) (r record.FileRecord, ok bool, err error)
	// Codes returns the codes of chunks of path with embedding texts of these hashes, in
	// their order; Code is nil where none are kept.
	Codes(ctx context.Context, path record.Path, embedHashes []record.TextHash) ([]record.Codes, error)
	// Record returns the record that the index has of path; ok is false when it has none.
	Record(ctx context.Context, path record.Path) (r record.FileRecord, ok bool, err error)
}

// History reads the history of the workspace from git, beside the work of the pipeline.
type History interface {
	// Refresh returns a history that the index does not have, nil for none. It begins to
	// read the history if that has moved, and does not wait.
	Refresh() *record.History
}

// Root opens the files of the workspace, and none outside of it. *os.Root satisfies it.
type Root interface {
	OpenFile(name string, flag int, perm os.FileMode) (*os.File, error)
	Lstat(name string) (os.FileInfo, error)
}

// Filter leaves out files by their contents. *watch.Filter satisfies it.
type Filter interface {
	LeftOut(path string, content []byte) string
}

// Options tunes a [Pipeline]. The zero value is ready for use.
type Options struct {
	Chunk        chunk.Options
	Enrich       *enrich.Index // of the files that the index has; nil for a new index
	History      History       // nil reads none
	Workers      int           // 0 means GOMAXPROCS
	BatchFiles   int           // 0 means DefaultBatchFiles
	BatchBytes   int           // 0 means DefaultBatchBytes
	MaxFileBytes int64         // 0 means watch.DefaultMaxBytes
	// ShowSecrets reports whether the secrets of the file at a path are not masked; nil
	// masks those of every file.
	ShowSecrets func(path string) bool
	// The workers call Yield before each file. It may wait until no more urgent work
	// needs the processors; nil waits for nothing.
	Yield  func(ctx context.Context)
	Logger *slog.Logger // nil discards
}

// Pipeline brings an index up to date. Calls of Apply must not overlap; the other
// methods are safe for concurrent use.
type Pipeline struct {
	root   Root
	filter Filter
	embed  Embedder
	known  Known
	sink   Sink
	o      Options
	log    *slog.Logger

	embeddings sync.Pool // *embedding
}

// New returns a Pipeline that reads below root, which the caller keeps open, and
// writes to the sink, from which known reads.
func New(root Root, filter Filter, embed Embedder, known Known, sink Sink, o Options) *Pipeline {
	if o.Enrich == nil {
		o.Enrich = enrich.NewIndex(nil)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.BatchFiles <= 0 {
		o.BatchFiles = DefaultBatchFiles
	}
	if o.BatchBytes <= 0 {
		o.BatchBytes = DefaultBatchBytes
	}
	if o.MaxFileBytes <= 0 {
		o.MaxFileBytes = watch.DefaultMaxBytes
	}
	if o.Yield == nil {
		o.Yield = func(context.Context) {}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Pipeline{root: root, filter: filter, embed: embed, known: known, sink: sink, o: o, log: o.Logger.With("system", "pipeline")}
}
