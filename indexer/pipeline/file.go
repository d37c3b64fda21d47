package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"ambit/indexer/chunk"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/indexer/redact"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// LeftOutInternal is the reason for a file that broke a parser. The other reasons
// are those of package watch.
const LeftOutInternal = "internal error"

// racyAge is how old a change must be when a file is read for its time to be worth
// remembering: a file written twice within one tick of the file system's clock
// (4 to 10 ms) has one time and two contents. A younger file is stored without a
// time, which has it looked at, and hashed, once more. Git calls this "racily clean".
const racyAge = 20 * time.Millisecond

// what became of one change.
type what uint8

const (
	same what = iota // the index has it so already
	touched
	removed
	ignored // by rules that did not hold before
	changed
	woven // what is quoted has changed, not the file
	held  // quotes what is not known yet
)

// outcome is what became of one change and what is to be stored of it.
type outcome struct {
	what   what
	record record.FileRecord
	nKept  int // chunks that kept their vectors
}

// process does for one change all that can be done without its neighbours. The
// error is the embedder's or the index's, never the file's.
func (p *Pipeline) process(ctx context.Context, in *round, t *task) (outcome, error) {
	c := t.Change
	switch {
	case t.held != nil:
		return p.finished(ctx, outcome{what: changed, record: *t.held})
	case t.weave:
		return p.reweave(ctx, t.Path)
	}
	if c.Gone {
		return p.gone(c), nil
	}
	if c.Entry.LeftOut != "" {
		f := record.File{Path: c.Path, Size: c.Entry.Size, ModTime: c.Entry.ModTime, LeftOut: c.Entry.LeftOut}
		return leaveOut(c, f), nil
	}
	f, content, err := p.read(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.gone(c), nil
	case err != nil:
		p.log.Debug("file not read", "path", c.Path, "error", err)
		f.Path, f.LeftOut = c.Path, watch.Unreadable
		f.Size, f.ModTime = c.Entry.Size, c.Entry.ModTime
		return leaveOut(c, f), nil
	case f.LeftOut != "":
		return leaveOut(c, f), nil
	case f.Hash == c.Old.Hash && c.Old.LeftOut != LeftOutInternal:
		return touch(c, f), nil
	}
	r, ok, err := p.recall(ctx, f, content)
	if err != nil {
		return outcome{}, fmt.Errorf("recall %s: %w", c.Path, err)
	}
	if !ok {
		r, _ = p.analyze(f, "", content)
	}
	if r.File.LeftOut != "" {
		return leaveOut(c, r.File), nil
	}
	if in.holds && quotes(&r.File) && in.heldBytes.Add(int64(len(content))) <= DefaultBatchBytes {
		return outcome{what: held, record: r}, nil
	}
	return p.finished(ctx, outcome{what: changed, record: r})
}

// finished weaves and embeds what is to be stored of a file.
func (p *Pipeline) finished(ctx context.Context, out outcome) (outcome, error) {
	r := &out.record
	if changed := p.weave(r); r.Recalled && !changed {
		out.nKept = len(r.Chunks)
		return out, nil
	}
	r.Recalled = false // or not all of it
	var err error
	if out.nKept, err = p.embedChunks(ctx, p.o.Known, r); err != nil {
		return outcome{}, fmt.Errorf("embed %s: %w", r.File.Path, err)
	}
	return out, nil
}

// quotes reports whether embedding texts of a file tell of others.
func quotes(f *record.File) bool { return f.Ties != nil && len(f.Ties.Quotes) > 0 }

// reweave is the outcome for a file of the index that quotes what has changed.
func (p *Pipeline) reweave(ctx context.Context, path record.Path) (outcome, error) {
	r, ok, err := p.o.Known.Record(ctx, path)
	if err != nil {
		return outcome{}, fmt.Errorf("weave %s: %w", path, err)
	}
	if !ok {
		return outcome{what: same}, nil
	}
	return p.finished(ctx, outcome{what: woven, record: r})
}

// weave has r quote what other files offer now, and reports whether it did not.
func (p *Pipeline) weave(r *record.FileRecord) bool {
	return p.o.Ties != nil && chunk.Weave(r, p.o.Ties.Offers)
}

// gone is the outcome for a path that the tree does not have. One that the disk has is
// ignored by now, and what it held is not to be remembered.
func (p *Pipeline) gone(c Change) outcome {
	if c.Old.Path == "" {
		return outcome{what: same}
	}
	if info, err := p.root.Lstat(string(c.Path)); err == nil && !info.IsDir() {
		return outcome{what: ignored, record: record.FileRecord{File: c.Old}}
	}
	return outcome{what: removed, record: record.FileRecord{File: c.Old}}
}

// leaveOut is the outcome for a file without chunks. What the index says already is
// not written again, though a file that stays unreadable is looked at every time.
func leaveOut(c Change, f record.File) outcome {
	if old := c.Old; old.LeftOut == f.LeftOut && old.Hash == f.Hash {
		return touch(c, f)
	}
	return outcome{what: changed, record: record.FileRecord{File: f, Graph: record.FileGraph{Path: f.Path}}}
}

// touch is the outcome for a file of which the index says the right thing already.
func touch(c Change, f record.File) outcome {
	if c.Old.Size == f.Size && c.Old.ModTime == f.ModTime {
		return outcome{what: same}
	}
	kept := c.Old
	kept.Size, kept.ModTime = f.Size, f.ModTime
	return outcome{what: touched, record: record.FileRecord{File: kept}}
}

// Fresh reads one file that the index has as old, and returns its record as Apply
// would store it, without vectors and keys, when it holds something else by now:
// ok is false when it does not. A file that the index would leave out has
// File.LeftOut set and no text. The error is that of the file system;
// [fs.ErrNotExist] for a path that is gone.
func (p *Pipeline) Fresh(old record.File) (r record.FileRecord, ok bool, err error) {
	f, content, err := p.read(old.Path)
	switch {
	case err != nil:
		return record.FileRecord{}, false, fmt.Errorf("read %s: %w", old.Path, err)
	case f.LeftOut != "":
		return record.FileRecord{File: f}, f.LeftOut != old.LeftOut, nil
	case f.Hash == old.Hash:
		return record.FileRecord{}, false, nil
	}
	r, _ = p.analyze(f, "", content)
	p.weave(&r)
	return r, true, nil
}

// Analyze returns the record of a text that stands in the place of the file at path,
// as Apply would store it, without vectors and keys, and its outline, which is zero
// when File.LeftOut says that the text is not for the index. The language is what an
// editor calls it, and serves where the path has no extension. It reads no disk. The
// text is kept and must not change.
func (p *Pipeline) Analyze(path record.Path, language string, text []byte) (record.FileRecord, languages.Outline) {
	f := record.File{Path: path, Size: int64(len(text)), Hash: sha256.Sum256(text)}
	r, o := p.analyze(f, language, text)
	p.weave(&r)
	return r, o
}

// Embed gives each chunk of r its vector.
func (p *Pipeline) Embed(ctx context.Context, r *record.FileRecord) error {
	_, err := p.embedChunks(ctx, nil, r)
	return err
}

// read returns the bytes of a file and what the index keeps of their state. It
// never follows a link out of the root and never waits for a pipe. A file that is
// no regular file is an error.
func (p *Pipeline) read(path record.Path) (record.File, []byte, error) {
	file, err := p.root.OpenFile(string(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return record.File{}, nil, err
	}
	defer file.Close()
	now := time.Now()
	info, err := file.Stat()
	if err != nil {
		return record.File{}, nil, err
	}
	if !info.Mode().IsRegular() {
		return record.File{}, nil, &fs.PathError{Op: "read", Path: string(path), Err: fs.ErrInvalid}
	}
	f := record.File{Path: path, Size: info.Size(), ModTime: info.ModTime().UnixNano()}
	if now.Sub(info.ModTime()).Abs() < racyAge {
		f.ModTime = 0
	}
	if f.Size > p.o.MaxFileBytes {
		f.LeftOut = watch.TooLarge
		return f, nil, nil
	}
	content := make([]byte, f.Size)
	n, err := io.ReadFull(file, content)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return record.File{}, nil, err
	}
	content = content[:n] // a file that shrinks while it is read
	f.Hash = sha256.Sum256(content)
	return f, content, nil
}

// analyze filters, masks, parses, splits and extracts. A panic on the way is a bug
// that costs this file only.
func (p *Pipeline) analyze(f record.File, language string, content []byte) (r record.FileRecord, o languages.Outline) {
	defer func() {
		if cause := recover(); cause != nil {
			p.log.Error("file not analyzed", "path", f.Path, "panic", cause, "stack", string(debug.Stack()))
			f.Language, f.LeftOut = "", LeftOutInternal
			r, o = record.FileRecord{File: f}, languages.Outline{}
		}
	}()
	if f.LeftOut = p.filter.LeftOut(string(f.Path), content); f.LeftOut != "" {
		return record.FileRecord{File: f}, o
	}
	content, f.Masked = redact.Mask(content)
	o = parse(f.Path, language, content)
	f.Language = o.Language
	r = record.FileRecord{
		File:    f,
		Content: content,
		Chunks:  chunk.Split(&o, p.o.Chunk),
		Graph:   graph.Extract(&o),
	}
	r.File.Ties = chunk.Ties(&o, p.o.Chunk, r.Chunks)
	r.File.Traits = traitsOf(&r)
	return r, o
}

// parse reads a text. One whose path has no extension is read as what its language's
// files are called.
func parse(path record.Path, language string, content []byte) languages.Outline {
	ext, known := extensions[language]
	if !known || filepath.Ext(string(path)) != "" {
		return languages.Parse(path, content)
	}
	o := languages.Parse(path+record.Path(ext), content)
	o.Path = path
	return o
}

// extensions are the extensions of languages as the Language Server Protocol names
// them, for documents that were never saved.
var extensions = map[string]string{
	"go": ".go", "python": ".py", "typescript": ".ts", "typescriptreact": ".tsx", "javascript": ".js", "javascriptreact": ".jsx",
	"rust": ".rs", "java": ".java", "ruby": ".rb", "c": ".c", "cpp": ".cpp", "markdown": ".md", "csharp": ".cs", "php": ".php",
	"shellscript": ".sh", "kotlin": ".kt", "swift": ".swift", "scala": ".scala", "lua": ".lua", "haskell": ".hs",
}

// recall returns the record of a file as the index had it when the file held the same
// bytes before, unless it would be left out by now.
func (p *Pipeline) recall(ctx context.Context, f record.File, content []byte) (r record.FileRecord, ok bool, err error) {
	if p.o.Known == nil {
		return r, false, nil
	}
	if r, ok, err = p.o.Known.Recall(ctx, f.Path, f.Hash); !ok || err != nil {
		return r, false, err
	}
	r.File.Size, r.File.ModTime = f.Size, f.ModTime
	return r, p.leftOut(f.Path, content) == "", nil
}

// leftOut is what the filter says of a file; where it panics, so will analyze.
func (p *Pipeline) leftOut(path record.Path, content []byte) (reason string) {
	defer func() {
		if recover() != nil {
			reason = LeftOutInternal
		}
	}()
	return p.filter.LeftOut(string(path), content)
}

// embedChunks gives each chunk of r its vector and returns how many have kept the
// codes that known has for the same text; nil has none.
func (p *Pipeline) embedChunks(ctx context.Context, known Known, r *record.FileRecord) (nKept int, err error) {
	r.Vectors = make([][]float32, len(r.Chunks))
	if nKept, err = keepCodes(ctx, known, r); err != nil {
		return 0, err
	}
	var rows []int
	var texts []string
	for i := range r.Chunks {
		if r.Codes == nil || r.Codes[i].Code == nil {
			rows = append(rows, i)
			texts = append(texts, embeddingText(&r.Chunks[i], r.Content))
		}
	}
	if len(texts) == 0 {
		return nKept, nil
	}
	vectors, err := p.embed.Embed(ctx, texts)
	if err != nil {
		return 0, err
	}
	if len(vectors) != len(texts) {
		return 0, fmt.Errorf("%d texts gave %d vectors", len(texts), len(vectors))
	}
	for i, row := range rows {
		r.Vectors[row] = vectors[i]
	}
	return nKept, nil
}

// keepCodes fills the rows of r that have no codes and whose text the path has or had
// before. It returns how many rows have codes then.
func keepCodes(ctx context.Context, known Known, r *record.FileRecord) (n int, err error) {
	if known == nil || len(r.Chunks) == 0 {
		return 0, nil
	}
	var rows []int
	var hashes []record.Hash
	for i := range r.Chunks {
		if r.Codes == nil || r.Codes[i].Code == nil {
			rows, hashes = append(rows, i), append(hashes, r.Chunks[i].EmbedHash)
		}
	}
	codes, err := known.Codes(ctx, r.File.Path, hashes)
	if err != nil {
		return 0, err
	}
	if len(codes) != len(hashes) {
		return 0, fmt.Errorf("%d codes for %d chunks", len(codes), len(hashes))
	}
	if r.Codes == nil {
		r.Codes = make([]record.Codes, len(r.Chunks))
	}
	for i, row := range rows {
		r.Codes[row] = codes[i]
	}
	for i := range r.Codes {
		if r.Codes[i].Code != nil {
			n++
		}
	}
	if n == 0 {
		r.Codes = nil
	}
	return n, nil
}

// embeddingText is what is embedded of a chunk, the text that EmbedHash is of.
func embeddingText(c *record.Chunk, content []byte) string {
	raw := content[c.Span.Start:c.Span.End]
	text := make([]byte, 0, len(c.Prefix)+len(raw)+len(c.Suffix))
	text = append(text, c.Prefix...)
	text = append(text, raw...)
	return string(append(text, c.Suffix...))
}
