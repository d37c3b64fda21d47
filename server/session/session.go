// Package session is the life of one open workspace: it opens the index, loads the
// views, brings them up to date and answers.
//
// It is the only package that knows both the interfaces of ambit and what
// implements them. A session is safe for concurrent use; writing is done by one
// call at a time, and an answer never waits for it.
//
// What an editor has open stands in the place of the files on disk, in every answer
// and in none of what is stored.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/chunk"
	"ambit/indexer/enrich"
	"ambit/indexer/graph"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/config"
	"ambit/server/tokens"
	"ambit/vectors/clone"
	"ambit/vectors/embed"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// Who satisfies what.
var (
	_ pipeline.Sink     = sinks(nil)
	_ pipeline.Sink     = stored{}
	_ pipeline.Sink     = (*flat.Index)(nil)
	_ pipeline.Sink     = (*lexical.Index)(nil)
	_ pipeline.Sink     = (*graph.Index)(nil)
	_ pipeline.Sink     = (*catalog)(nil)
	_ pipeline.Sink     = (*applied)(nil)
	_ pipeline.Known    = (*store.DB)(nil)
	_ pipeline.Embedder = (*embed.Builtin)(nil)
	_ pipeline.Filter   = (*watch.Filter)(nil)
	_ pipeline.History  = (*history)(nil)
	_ flat.FloatReader  = (*store.DB)(nil)
)

// DefaultLockTimeout is how long a command waits for another one on the same
// workspace: longer than an answer takes, shorter than patience.
const DefaultLockTimeout = store.DefaultLockTimeout

// Options tunes [Open]. The zero value is ready for use.
type Options struct {
	Settings    *config.Settings // nil means config.Defaults
	Rebuild     bool             // forget the index and start a new one
	Encoding    string           // loaded beside the rest for a Question that will name it; "" loads none
	LockTimeout time.Duration    // 0 means DefaultLockTimeout
	Logger      *slog.Logger     // nil discards
	// LongLived says that answers are wanted again and again, also while files are
	// indexed: indexing leaves a processor to them, and the garbage collector as the
	// process has set it up, and what answers need often is kept.
	LongLived bool
	Gate      *Gate  // shared by the sessions of a process; nil for one of its own
	Build     string // names the build of the program; "" asks [Build]
}

// Session is one client of an open workspace. What it has open in its editor is its
// own; all else it shares with those that [Session.Beside] made of it.
type Session struct {
	*shared
	buffers openBuffers
	beside  bool // the index is another session's to close
}

// shared is what all sessions on one index have in common.
type shared struct {
	root    string
	dir     *directory
	set     config.Settings
	filter  *watch.Filter
	log     *slog.Logger
	notice  string
	db      *store.DB
	embed   *embed.Builtin
	files   *catalog
	vectors *flat.Index
	words   *lexical.Index
	names   *graph.Index
	history *history
	enrich  *enrich.Index
	pipe    *pipeline.Pipeline
	scratch string // a directory that goes with the session, "" for none

	longLived bool          // Options.LongLived
	patience  time.Duration // of questions, to hear what happened before
	ids       ids           // of the sources of answers
	gate      *Gate

	opened   uint64        // the generation that the views were loaded at
	applied  atomic.Uint64 // counts the batches that all views have
	state    atomic.Pointer[State]
	work     work
	watcher  atomic.Pointer[watch.Watcher] // nil until Run
	begun    chan struct{}                 // closed when Index has brought the index up to the tree, or Run is about to
	begin    sync.Once                     // closes begun
	backlogs backlogs

	writing lock          // held by Index and Close; guards all fields below
	tree    []watch.Entry // what Open's scan saw, until Index has used it
	unsaved int           // files written since the views were saved
	// refusedViews is what unsaved was when they could not be, 0 when they could.
	refusedViews int
}

// stored is the store as a sink.
type stored struct{ db *store.DB }

// Apply stores a batch.
func (s stored) Apply(ctx context.Context, b *record.Batch) error { return s.db.Apply(ctx, b, nil) }

// lock is a mutex that one can stop waiting for: it holds a value while it is taken.
type lock chan struct{}

func (l lock) take(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l lock) free() { <-l }

// Open opens the workspace at root: it finds or makes its index, loads the views
// and scans the tree meanwhile, but for a long-lived session that has an index: there
// [Session.Run] scans. It does not bring the index up to date, see [Session.Index].
// Errors are one line and name the next step.
func Open(ctx context.Context, root string, o Options) (*Session, error) {
	if o.LockTimeout <= 0 {
		o.LockTimeout = DefaultLockTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Gate == nil {
		o.Gate = new(Gate)
	}
	if o.Build == "" {
		o.Build = Build()
	}
	set := config.Defaults()
	if o.Settings != nil {
		set = *o.Settings
	}
	root, err := ResolveRoot(root)
	if err != nil {
		return nil, err
	}
	path, err := IndexPath(root, set.CacheDir, o.Build)
	if err != nil {
		return nil, err
	}
	dir, err := openDirectory(root)
	if err != nil {
		return nil, fmt.Errorf("open workspace %s: %w; give a directory you may read", root, bare(err))
	}
	s := &Session{shared: &shared{root: root, dir: dir, set: set, log: o.Logger.With("system", "session"), embed: embed.NewBuiltin(),
		files: &catalog{}, history: &history{root: root}, longLived: o.LongLived, gate: o.Gate,
		patience: patience, begun: make(chan struct{}),
		work: work{wake: make(chan struct{}, 1), hastens: make(chan struct{}, 1)}, writing: make(lock, 1)}}
	if err := s.open(ctx, path, o); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// OpenLoose opens a workspace without a directory, for documents that belong to none:
// it holds what [Session.SetBuffer] brings and nothing else, and is gone when it is
// closed.
func OpenLoose(ctx context.Context, o Options) (*Session, error) {
	scratch, err := os.MkdirTemp("", "ambit-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for an empty index: %w; set TMPDIR to a directory you can write", bare(err))
	}
	root := filepath.Join(scratch, "documents")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	set := config.Defaults()
	if o.Settings != nil {
		set = *o.Settings
	}
	set.CacheDir = filepath.Join(scratch, "cache")
	o.Settings = &set
	s, err := Open(ctx, root, o)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	s.scratch = scratch
	return s, nil
}

// open scans the tree and opens the index side by side.
func (s *Session) open(ctx context.Context, path string, o Options) (err error) {
	s.filter, err = watch.NewFilter(s.root, watch.Options{
		MaxBytes: int64(s.set.MaxFileBytes),
		Include:  s.set.Include,
		Exclude:  slices.Concat(s.set.Exclude, exclusion(s.root, filepath.Dir(path))),
		Logger:   o.Logger,
	})
	if err != nil {
		return fmt.Errorf("read the ignore rules of %s: %w", s.root, err)
	}
	group, ctx := errgroup.WithContext(ctx)
	scanned := make(chan []watch.Entry, 1)
	if s.longLived && !absent(path) {
		close(scanned) // Run scans, for what it follows
	} else {
		group.Go(func() (err error) {
			s.tree, err = watch.Scan(ctx, s.filter)
			scanned <- s.tree
			close(scanned)
			return err
		})
	}
	if o.Encoding != "" {
		group.Go(func() error {
			counter, err := tokens.New(o.Encoding)
			if err == nil {
				counter.Load()
			}
			return err
		})
	}
	group.Go(func() error {
		return s.load(ctx, path, o, scanned)
	})
	if err := group.Wait(); err != nil {
		return err
	}
	s.opened = s.db.Generation()
	s.pipe = pipeline.New(s.dir, s.filter, s.embed, s.db, sinks{stored{s.db}, s.vectors, s.words, s.names, s.files, s.history, (*applied)(s.shared)}, pipeline.Options{
		Chunk:        chunkOptions(s.set),
		History:      s.history,
		Enrich:       s.enrich,
		Workers:      s.workers(),
		Yield:        s.gate.yield,
		MaxFileBytes: int64(s.set.MaxFileBytes),
		Logger:       o.Logger,
	})
	return nil
}

// workers returns how many files are parsed at once; 0 is as many as there are
// processors.
func (s *Session) workers() int {
	if s.set.Workers == 0 && s.longLived {
		return max(1, runtime.GOMAXPROCS(0)-1)
	}
	return s.set.Workers
}

// load opens the index and fills the views from it. An index that turns out to be
// damaged is closed, and a new one begun.
func (s *Session) load(ctx context.Context, path string, o Options, scanned <-chan []watch.Entry) error {
	if err := s.openIndex(ctx, path, o, scanned); err != nil {
		return err
	}
	err := s.loadViews(ctx)
	select {
	case <-s.db.Damaged():
	default:
		return err
	}
	_ = s.db.Close() // nothing of it is wanted
	s.files, s.history = &catalog{}, &history{root: s.root}
	if err := s.openIndex(ctx, path, o, scanned); err != nil {
		return err
	}
	s.notice = "the index file was damaged; kept beside, building a new index"
	return s.loadViews(ctx)
}

// Damaged is closed when the index file turns out to be damaged. It is kept beside;
// this session goes on with what can be read, and one that is opened after it has been
// closed builds a new index.
func (s *Session) Damaged() <-chan struct{} { return s.db.Damaged() }

// openIndex opens the index file, or starts a new one: as a copy, when the tree that
// scanned brings is like that of another index.
func (s *Session) openIndex(ctx context.Context, path string, o Options, scanned <-chan []watch.Entry) (err error) {
	so := store.Options{
		LockTimeout: o.LockTimeout,
		Logger:      o.Logger,
		Model:       s.embed.Name(),
		Dim:         s.embed.Dim(),
		Recipe:      recipe(o.Build, chunkOptions(s.set)),
	}
	if o.Rebuild {
		if err := discard(path, so); err != nil {
			return err
		}
	}
	var seeded string
	clone.RemoveStale(path)
	if !o.Rebuild && absent(path) {
		seeded = s.seed(ctx, path, <-scanned, so)
	}
	if s.db, s.notice, err = store.OpenOrRebuild(path, so); errors.Is(err, store.ErrInUse) {
		err = fmt.Errorf("%w; wait until it is done, or end it", err)
	}
	if seeded != "" && s.longLived { // an editor shows what happens, and that is no news
		s.log.Info(seeded)
		seeded = ""
	}
	s.notice = cmp.Or(s.notice, seeded)
	return err
}

// chunkOptions are the settings that say how files are cut.
func chunkOptions(set config.Settings) chunk.Options {
	overlap := set.OverlapTokens
	if overlap == 0 {
		overlap = -1 // where the settings say none
	}
	return chunk.Options{
		ContextMode:   chunk.ContextMode(set.ContextMode),
		MaxTokens:     set.MaxTokens,
		OverlapTokens: overlap,
		TextOnly:      !set.ASTChunking,
	}
}

// recipe spells everything that a file's records depend on besides its bytes. The
// build of the program stands for what parses, masks and resolves: records of another
// one are neither kept nor copied, or an old index would differ from a new one.
func recipe(build string, o chunk.Options) string {
	return fmt.Sprintf("%s %s %s %d %d %t", build, chunk.Recipe, o.ContextMode, o.MaxTokens, o.OverlapTokens, o.TextOnly)
}

// exclusion keeps the index out of itself when a workspace holds the cache, as a
// home directory does.
func exclusion(root, cache string) []string {
	rel, err := filepath.Rel(root, cache)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil
	}
	return []string{"/" + filepath.ToSlash(rel) + "/"}
}

// Beside returns another client of the same index, with open buffers of its own: none
// at first. Closing it lets them go and leaves the index open; s is closed last.
func (s *Session) Beside() *Session { return &Session{shared: s.shared, beside: true} }

// Root returns the absolute path of the workspace, without links.
func (s *Session) Root() string { return s.root }

// Notice returns one line for the user about what happened to the index when it was
// opened, "" when nothing did.
func (s *Session) Notice() string { return s.notice }

// Close saves what makes the next Open fast, and lets the index go.
func (s *Session) Close() error {
	if s.beside {
		return nil
	}
	if err := s.writing.take(context.Background()); err != nil {
		return err
	}
	defer s.writing.free()
	if s.scratch != "" {
		defer os.RemoveAll(s.scratch)
	}
	var err error
	if s.db != nil {
		if s.unsaved > maxUnsaved {
			s.saveViews(context.Background())
		}
		err = s.db.Close()
	}
	if closeErr := s.dir.Close(); err == nil {
		err = closeErr
	}
	return err
}
