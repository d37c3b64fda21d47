// Package session opens the index of one workspace, wires the packages that work on it,
// and closes them. Each method of its clients, see [Session.NewClient], is a few lines:
// it takes a snapshot, asks package answer and releases the snapshot.
//
// It is the only package that names both the interfaces of ambit and the types that
// satisfy them. Its only state is what it opened.
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
	"time"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/chunk"
	"ambit/indexer/deps"
	"ambit/indexer/enrich"
	"ambit/indexer/gitignore"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/answer"
	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/retrieve"
	"ambit/server/scheduler"
	"ambit/server/snapshot"
	"ambit/server/tokens"
	"ambit/server/workspace"
	"ambit/vectors/embed"
	"ambit/vectors/record"
	"ambit/vectors/shelf"
	"ambit/vectors/store"
)

var (
	_ pipeline.Known    = (*store.DB)(nil)
	_ pipeline.Embedder = (*embed.Builtin)(nil)
	_ pipeline.Filter   = (*watch.Filter)(nil)
	_ pipeline.Root     = (*workspace.Directory)(nil)
	_ pipeline.History  = (*history)(nil)
	_ pipeline.Sink     = sink{}
	_ scheduler.Index   = indexed{}
	_ retrieve.Embedder = (*embed.Builtin)(nil)
	_ retrieve.History  = (*snapshot.History)(nil)

	_ retrieve.Dependencies = (*deps.Finder)(nil)
)

// Options tunes [Open]. The zero value is ready for use.
type Options struct {
	Settings *config.Settings // nil means config.Defaults
	// Index is the path of the index file. "" means its place in the cache directory of
	// the settings, see [workspace.IndexPath].
	Index       string
	Rebuild     bool          // remove the index and start a new one
	Encoding    string        // of tokens, loaded together with the index; "" loads none
	LockTimeout time.Duration // wait for the lock of the index file; 0 means store.DefaultLockTimeout
	Patience    time.Duration // of questions, see [scheduler.DefaultPatience]; 0 means that
	Logger      *slog.Logger  // nil discards
	// LongLived is for a process that answers many questions, also during indexing:
	// indexing leaves one processor free, and the session caches what answers often need.
	LongLived bool
	// OneQuestion is for a process that asks one: the vectors stay in the file, and the
	// question reads them there.
	OneQuestion bool
	// Expect, unless nil, is that question. It is answered from the saved index while the tree is
	// scanned, and the answer is kept if the scan finds no change.
	Expect  *api.SearchQuestion
	Limiter *scheduler.Limiter // shared by the sessions of a process; nil for one of its own
	Build   string             // names the build of the program; "" means workspace.Build()
	Without []string           // of the embedding texts, see [chunk.Options]
}

// Session is the open index of one workspace. Its methods are safe for concurrent use.
type Session struct {
	root      string
	set       config.Settings
	log       *slog.Logger
	notice    string
	dir       *workspace.Directory
	filter    *watch.Filter
	db        *store.DB
	embed     *embed.Builtin
	index     *snapshot.Index
	enrich    *enrich.Index
	history   *history
	scheduler *scheduler.Scheduler
	pipe      *pipeline.Pipeline
	source    *snapshot.Source
	shared    shared
	answers   *answer.Answerer
	deps      *deps.Finder // nil when the settings leave dependencies out, and in a default workspace
	shelf     *shelf.Shelf // what is parsed of dependencies; nil for none
	limiter   *scheduler.Limiter
	expected  *expected // the answer to Options.Expect; nil for none
	temporary string    // a directory that is removed with the session, or ""
}

// Open opens the workspace at root: it finds or makes its index and loads the views.
// It does not bring the index up to date; see [api.Indexing]. Errors are one line and
// name the next step.
func Open(ctx context.Context, root string, o Options) (*Session, error) {
	s, err := open(ctx, root, o, "")
	return s, explain(ctx, err)
}

// OpenDefault opens the default workspace, for documents that belong to no folder. It
// has no directory and holds only the documents of its clients. Close removes it.
func OpenDefault(ctx context.Context, o Options) (*Session, error) {
	temporary, err := os.MkdirTemp("", "ambit-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for an empty index: %w; set TMPDIR to a directory you can write", err)
	}
	set := o.settings()
	set.CacheDir = filepath.Join(temporary, "cache")
	o.Settings = &set
	root := filepath.Join(temporary, "documents")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, errors.Join(err, os.RemoveAll(temporary))
	}
	s, err := open(ctx, root, o, temporary)
	if err != nil {
		return nil, errors.Join(explain(ctx, err), os.RemoveAll(temporary))
	}
	return s, nil
}

func (o *Options) settings() config.Settings {
	if o.Settings != nil {
		return *o.Settings
	}
	return config.Defaults()
}

// heapOfQuestion is how much memory the heap of a process that asks one question takes in a large
// workspace.
const heapOfQuestion = 96 << 20

// open opens a workspace; temporary is the directory of a default workspace, or "".
func open(ctx context.Context, root string, o Options, temporary string) (*Session, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Limiter == nil {
		o.Limiter = new(scheduler.Limiter)
	}
	if o.Build == "" {
		o.Build = workspace.Build()
	}
	root, err := workspace.ResolveRoot(root)
	if err != nil {
		return nil, err
	}
	s := &Session{root: root, set: o.settings(), log: o.Logger.With("system", "session"), embed: embed.NewBuiltin(), limiter: o.Limiter, temporary: temporary}
	if o.Index == "" {
		if o.Index, err = workspace.IndexPath(root, s.set.CacheDir, o.Build); err != nil {
			return nil, err
		}
	}
	if s.dir, err = workspace.OpenDirectory(root); err != nil {
		return nil, fmt.Errorf("open workspace %s: %w; give a directory you may read", root, err)
	}
	if o.OneQuestion {
		scheduler.UseHugePages(heapOfQuestion)
	}
	if err := s.load(ctx, &o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// load opens the index and scans the tree side by side, and wires the packages.
func (s *Session) load(ctx context.Context, o *Options) (err error) {
	files := WatchOptions(s.set)
	files.Exclude = slices.Concat(files.Exclude, exclusion(s.root, filepath.Dir(o.Index)))
	files.Memory, files.Logger = filepath.Join(filepath.Dir(o.Index), "directories"), o.Logger
	s.filter, err = watch.NewFilter(s.root, files)
	if err != nil {
		return fmt.Errorf("read the ignore rules of %s: %w", s.root, err)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	scanned := make(chan *watch.Tree, 1)
	tree := sync.OnceValue(func() *watch.Tree { return <-scanned })
	if o.LongLived && !absent(o.Index) {
		scanned <- nil // Run scans and watches at once
	} else {
		group.Go(func() error {
			tree, err := watch.Look(groupCtx, s.filter)
			scanned <- tree
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
		unsaved, err := s.loadIndex(groupCtx, o, tree)
		if err != nil {
			return err
		}
		s.wire(o, tree, unsaved)
		if o.Expect != nil {
			s.expected = s.expect(*o.Expect)
		}
		return nil
	})
	return group.Wait()
}

// wire connects the packages. Tree waits for the scan of the tree.
func (s *Session) wire(o *Options, tree func() *watch.Tree, unsaved int) {
	workers := s.set.Workers
	if workers == 0 && o.LongLived {
		workers = max(1, runtime.GOMAXPROCS(0)-1)
	}
	syncDir, uriRoot := filepath.Join(filepath.Dir(s.db.Path()), "sync"), s.root
	if s.temporary != "" { // there are no files to follow, and the paths of documents are absolute
		syncDir, uriRoot = "", "/"
	}
	s.enrich, s.history = enrich.NewIndex(s.index.Files()), newHistory(s)
	s.pipe = pipeline.New(s.dir, s.filter, s.embed, s.db, sink{s}, pipeline.Options{
		Chunk:        o.chunk(s.set),
		Enrich:       s.enrich,
		History:      s.history,
		Workers:      workers,
		Yield:        s.limiter.Yield,
		MaxFileBytes: int64(s.set.MaxFileBytes),
		ShowSecrets:  gitignore.ParsePatterns(s.set.ShowSecrets).Match,
		Logger:       o.Logger,
	})
	s.source = snapshot.NewSource(s.index, s.pipe, s.filter, s.dir, s.root)
	s.shared.documents = s.source.Documents()
	about := answer.Options{Root: uriRoot, Embed: s.embed, Budget: s.set.Budget, DocumentsBudget: s.set.DocumentsBudget}
	if s.set.Dependencies && s.temporary == "" {
		var parsed deps.Shelf
		if own, ok := s.openShelf(o.Build); ok {
			s.shelf, parsed = own.Shelf, own
		}
		s.deps = deps.New(s.root, deps.Options{Cache: deps.NewCache(0, parsed)})
		about.Dependencies = s.deps
	}
	s.answers = answer.New(about)
	s.scheduler = scheduler.New(scheduler.Options{
		Root: s.root, Dir: s.dir, Filter: s.filter, Pipeline: s.pipe, Index: indexed{s.index, s.history, s}, Limiter: s.limiter, Logger: s.log,
		SyncDir: syncDir, LongLived: o.LongLived, Patience: o.Patience, Tree: tree, Unsaved: unsaved,
	})
}

// sink receives the batches of the pipeline.
type sink struct{ s *Session }

// Apply implements [pipeline.Sink].
func (k sink) Apply(ctx context.Context, b *record.Batch) error {
	err := k.s.index.Apply(ctx, b)
	if err == nil {
		k.s.scheduler.Stored(b)
	}
	return err
}

// indexed implements [scheduler.Index].
type indexed struct {
	*snapshot.Index
	*history
	s *Session
}

// Outdated implements [scheduler.Index].
func (i indexed) Outdated() bool { return i.s.headMoved() || len(i.s.enrich.Stale()) > 0 }

// chunk returns how files are cut and embedded.
func (o *Options) chunk(set config.Settings) chunk.Options {
	c := ChunkOptions(set)
	c.Without = o.Without
	return c
}

// WatchOptions returns the settings that say which files are indexed.
func WatchOptions(set config.Settings) watch.Options {
	return watch.Options{MaxBytes: int64(set.MaxFileBytes), Include: set.Include, Exclude: set.Exclude}
}

// ChunkOptions returns the settings of the chunker.
func ChunkOptions(set config.Settings) chunk.Options {
	return chunk.Options{
		ContextMode:   chunk.ContextMode(set.ContextMode),
		MaxTokens:     set.MaxTokens,
		OverlapTokens: cmp.Or(set.OverlapTokens, -1), // 0 would mean the default
		TextOnly:      !set.ASTChunking,
	}
}

// exclusion returns the pattern that excludes the cache directory from a workspace that
// contains it, such as a home directory.
func exclusion(root, cache string) []string {
	rel, err := filepath.Rel(root, cache)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return nil
	}
	return []string{"/" + filepath.ToSlash(rel) + "/"}
}

// Root returns the absolute path of the workspace, without symbolic links.
func (s *Session) Root() string { return s.root }

// Notice returns one line for the user about how the index was opened, or "".
func (s *Session) Notice() string { return s.notice }

// Damaged returns a channel that is closed when the session finds the index file damaged.
// The session moves the file aside and answers from what it can still read. The next
// session builds a new index.
func (s *Session) Damaged() <-chan struct{} { return s.db.Damaged() }

// Close saves the views for the next Open and closes the index. The caller makes sure
// that the calls of all clients have returned.
func (s *Session) Close() error {
	if s.shelf != nil {
		s.shelf.Sweep()
	}
	var err error
	if s.expected != nil {
		s.expected.end()
	}
	if s.scheduler != nil {
		s.history.close()
		err = s.scheduler.Close()
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	err = errors.Join(err, s.dir.Close())
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}
