package session

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/retrieve"
	"ambit/vectors/flat"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// Buffer is a document that is open in an editor, at one version. It never changes,
// and what is made of it is made once, by who needs it first.
type Buffer struct {
	path     record.Path
	language string
	text     []byte

	hashed   sync.Once // guards hash
	hash     record.Hash
	analyzed sync.Once         // guards outline and record
	outline  languages.Outline // zero when left out
	record   record.FileRecord // File.LeftOut says why it is not for answers
	embedded sync.Once         // guards vectors and err
	vectors  [][]float32
	err      error
}

// NewBuffer returns the document at a path of the workspace, or of an untitled one
// under its URI. The language is the editor's name for it and serves where the path
// has no extension. The text is kept and must not change; it is valid UTF-8.
func NewBuffer(path, language string, text []byte) *Buffer {
	return &Buffer{path: record.Path(path), language: language, text: text}
}

// Path returns the path of the document, see [NewBuffer].
func (b *Buffer) Path() string { return string(b.path) }

// Language returns the editor's name for the language.
func (b *Buffer) Language() string { return b.language }

// Text returns the text. The caller does not change it.
func (b *Buffer) Text() []byte { return b.text }

// sum returns the hash of the text, as the index has it of a file.
func (b *Buffer) sum() record.Hash {
	b.hashed.Do(func() { b.hash = sha256.Sum256(b.text) })
	return b.hash
}

// analyze returns what the index would store of the buffer, without vectors and keys.
func (b *Buffer) analyze(s *Session) *record.FileRecord {
	b.analyzed.Do(func() {
		if out := s.filter.NamedOut(string(b.path)); out != "" {
			b.record.File = record.File{Path: b.path, LeftOut: out}
			return
		}
		b.record, b.outline = s.pipe.Analyze(b.path, b.language, b.text)
	})
	return &b.record
}

// embed returns what analyze does, with vectors.
func (b *Buffer) embed(s *Session) (record.FileRecord, error) {
	r := *b.analyze(s)
	b.embedded.Do(func() {
		if r.File.LeftOut == "" {
			embedded := r
			b.err = s.pipe.Embed(context.Background(), &embedded)
			b.vectors = embedded.Vectors
		}
	})
	r.Vectors = b.vectors
	return r, b.err
}

// openBuffers is the set of open buffers and what they make of the views.
type openBuffers struct {
	set     atomic.Pointer[map[record.Path]*Buffer] // replaced, never changed; nil is empty
	overlay atomic.Pointer[overlay]                 // the latest
	making  sync.Mutex                              // held while the next overlay is made
	change  sync.Mutex                              // held while the next set is made
}

// SetBuffer puts a buffer in the place of the file of its path, or of the buffer
// before it. It returns at once; every answer from then on sees it.
func (s *Session) SetBuffer(b *Buffer) {
	s.buffers.edit(func(set map[record.Path]*Buffer) { set[b.path] = b })
}

// CloseBuffer brings the file on disk back.
func (s *Session) CloseBuffer(path string) {
	s.buffers.edit(func(set map[record.Path]*Buffer) { delete(set, record.Path(path)) })
}

func (o *openBuffers) edit(f func(map[record.Path]*Buffer)) {
	o.change.Lock()
	defer o.change.Unlock()
	next := map[record.Path]*Buffer{}
	if old := o.set.Load(); old != nil {
		maps.Copy(next, *old)
	}
	f(next)
	o.set.Store(&next)
}

// overlay is the views with the open buffers, and what the index lacks, in the place
// of their files. It is immutable; what only searches need is made by the first of
// them.
type overlay struct {
	s       *Session
	applied uint64 // the batch that it stands on
	set     *map[record.Path]*Buffer
	backlog *backlog // nil for none
	open    map[record.Path]*Buffer
	edited  []*Buffer // those that hold something else than the index, by path
	fresh   map[record.Path]record.FileRecord
	names   *graph.View

	once    sync.Once // guards all fields below
	words   wordOverlay
	vectors vectorOverlay
	chunks  []record.Chunk // of the edited buffers, in their order; the first has firstOpenKey
	err     error
}

// firstOpenKey is where the keys of open buffers start, far above those of the index.
const firstOpenKey record.Key = 1 << 31

// overlaid returns the views as the open buffers and a backlog, unless nil, make them,
// with b, unless nil, in the place of the buffer of its path.
func (s *Session) overlaid(b *Buffer, backlog *backlog) *overlay {
	set := s.buffers.set.Load()
	var open map[record.Path]*Buffer
	if set != nil {
		open = *set
	}
	if b != nil && open[b.path] != b {
		open = maps.Clone(open)
		if open == nil {
			open = map[record.Path]*Buffer{}
		}
		open[b.path] = b
		return s.newOverlay(nil, open, backlog)
	}
	fits := func(o *overlay) bool {
		return o != nil && o.set == set && o.backlog == backlog && o.applied == s.applied.Load()
	}
	if o := s.buffers.overlay.Load(); fits(o) {
		return o
	}
	s.buffers.making.Lock()
	defer s.buffers.making.Unlock()
	if o := s.buffers.overlay.Load(); fits(o) {
		return o
	}
	o := s.newOverlay(set, open, backlog)
	s.buffers.overlay.Store(o)
	return o
}

func (s *Session) newOverlay(set *map[record.Path]*Buffer, open map[record.Path]*Buffer, backlog *backlog) *overlay {
	o := &overlay{s: s, applied: s.applied.Load(), set: set, open: open, backlog: backlog, names: s.names.View()}
	shown := open
	if backlog != nil {
		shown = maps.Clone(backlog.files)
		maps.Copy(shown, open)
	}
	var records []record.FileRecord
	for path, b := range shown {
		if f, ok := s.files.find(path); ok && f.Hash == b.sum() {
			continue // as the index has it
		}
		r := b.analyze(s)
		if o.fresh == nil {
			o.fresh = map[record.Path]record.FileRecord{}
		}
		o.edited = append(o.edited, b)
		o.fresh[path] = *r
		records = append(records, *r)
	}
	slices.SortFunc(o.edited, func(a, b *Buffer) int { return cmp.Compare(a.path, b.path) })
	o.names = o.names.With(records...)
	return o
}

// search makes what searches need.
func (o *overlay) search() error {
	o.once.Do(func() { o.err = o.prepare() })
	return o.err
}

// prepare hides the rows of the edited files from the indexes and puts those of the
// buffers beside: words are counted together, since what a word is worth depends on
// all rows, while a cosine does not.
func (o *overlay) prepare() error {
	s := o.s
	o.words, o.vectors.base, o.vectors.tie = wordOverlay{s.words.View(), o.compare}, s.vectors, o.compare
	if len(o.edited) == 0 {
		return nil
	}
	var b record.Batch
	rows := &openVectors{}
	for _, buffer := range o.edited {
		if f, ok := s.files.find(buffer.path); ok && f.Chunks.N > 0 {
			b.Dropped = append(b.Dropped, f.Chunks)
		}
		r, err := buffer.embed(s)
		if err != nil {
			return err
		}
		if r.File.LeftOut != "" {
			continue
		}
		keyed := r
		keyed.Chunks = make([]record.Chunk, len(r.Chunks))
		for i, c := range r.Chunks {
			c.Key = firstOpenKey + record.Key(len(o.chunks))
			keyed.Chunks[i] = c
			o.chunks = append(o.chunks, c)
		}
		*rows = append(*rows, r.Vectors...)
		b.Files = append(b.Files, keyed)
	}
	ctx := context.Background()
	o.vectors.hide(b.Dropped)
	o.vectors.over = flat.NewIndex(s.embed.Dim(), rows, nil)
	added := b
	added.Dropped = nil
	if err := o.vectors.over.Apply(ctx, &added); err != nil {
		return err
	}
	words, err := o.words.view.With(ctx, &b)
	if err == nil {
		o.words.view = words
	}
	return err
}

// compare orders chunks as catalog.compare does, those of buffers too: what is not saved
// comes where it will when it is.
func (o *overlay) compare(a, b record.Key) int {
	switch x, y := a >= firstOpenKey, b >= firstOpenKey; {
	case x && y:
		return cmp.Compare(a, b)
	case !x && !y:
		return o.s.files.compare(a, b)
	case x:
		return -o.compare(b, a)
	}
	path, ok := o.s.files.path(a)
	if !ok {
		return 1
	}
	return cmp.Compare(path, o.chunk(b).Path)
}

// kept returns which of the chunks that prepare gave keys are to be kept.
func (o *overlay) kept(keep *retrieve.Keep) []bool {
	kept := make([]bool, len(o.chunks))
	n := 0
	for _, b := range o.edited {
		r := o.fresh[b.path]
		file := keep.File(r.File.Path, r.File.Language, r.File.Traits)
		for i := range r.Chunks {
			kept[n] = file && (keep.Kind == "" || r.File.Traits.Kinds[i]&record.KindSetOf(keep.Kind) != 0)
			n++
		}
	}
	return kept
}

// chunk returns the chunk of a key that prepare gave.
func (o *overlay) chunk(key record.Key) record.Chunk {
	if i := int(key - firstOpenKey); i < len(o.chunks) {
		return o.chunks[i]
	}
	return record.Chunk{}
}

// openVectors are the vectors of the chunks of open buffers, by key.
type openVectors [][]float32

// Vectors returns the vectors of keys, to the precision of those that are stored: a
// document ranks as it will when it is saved.
func (v *openVectors) Vectors(_ context.Context, keys []record.Key) ([][]float32, error) {
	out := make([][]float32, len(keys))
	var row quantize.Row
	for i, key := range keys {
		vector := (*v)[key-firstOpenKey]
		quantize.Quantize(vector, &row)
		out[i] = make([]float32, len(vector))
		row.Float(out[i])
	}
	return out, nil
}

// applied is the last of the sinks: what it is given, all views have.
type applied shared

// Apply counts a batch.
func (a *applied) Apply(_ context.Context, b *record.Batch) error {
	a.applied.Add(1)
	a.work.indexed(b)
	return nil
}
