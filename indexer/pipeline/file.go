package pipeline

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"ambit/indexer/charset"
	"ambit/indexer/chunk"
	"ambit/indexer/enrich"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/indexer/redact"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// LeftOutInternal is the reason for a file that broke a parser. The other reasons
// are those of package watch.
const LeftOutInternal = "internal error"

// racyAge is how old a change must be when the pipeline reads the file, so that the time
// identifies the content: a file written twice within one tick of the file system's clock
// (4 to 10 ms) has one time and two contents. A younger file is stored without a time, so
// that the next plan contains it again. Git calls this "racily clean".
const racyAge = 20 * time.Millisecond

// outcome is the result of one task, with the record to store.
type outcome struct {
	kind   kind
	record record.FileRecord
	nKept  int // chunks that kept their vectors
}

// kind is the kind of an outcome.
type kind uint8

const (
	unchanged kind = iota
	touched        // it has another time and the same bytes
	removed
	forgotten // ignored now, but still on disk
	written
	enriched // written because the exports of other files have changed
	deferred // it has references, and waits for the exports of the other files
)

// process does the work on one change. It returns only errors of the embedder and of
// the index; a file that cannot be read is left out.
func (p *Pipeline) process(ctx context.Context, r *run, c Change) (outcome, error) {
	if c.Gone {
		return p.gone(c), nil
	}
	if c.Entry.LeftOut != "" {
		return leaveOut(c, record.File{Path: c.Path, Size: c.Entry.Size, ModTime: c.Entry.ModTime, LeftOut: c.Entry.LeftOut}), nil
	}
	f, content, err := p.read(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return p.gone(c), nil
	case err != nil:
		p.log.Debug("file not read", "path", c.Path, "error", err)
		return leaveOut(c, record.File{Path: c.Path, Size: c.Entry.Size, ModTime: c.Entry.ModTime, LeftOut: watch.Unreadable}), nil
	case f.LeftOut != "":
		return leaveOut(c, f), nil
	case f.Hash == c.Old.Hash && c.Old.LeftOut != LeftOutInternal:
		return touch(c, f), nil
	}
	if f.LeftOut = p.leftOut(f.Path, content); f.LeftOut != "" {
		return leaveOut(c, f), nil
	}
	file, ok, err := p.known.Lookup(ctx, f.Path, f.Hash)
	if err != nil {
		return outcome{}, fmt.Errorf("recall %s: %w", c.Path, err)
	}
	if ok {
		file.File.Size, file.File.ModTime = f.Size, f.ModTime
	} else {
		var outline languages.Outline
		file, outline = p.parse(f, "", content)
		outline.Release()
		if file.File.LeftOut != "" {
			return leaveOut(c, file.File), nil
		}
	}
	if x := file.File.CrossFile; x != nil && len(x.References) > 0 && r.deferredBytes.Add(int64(len(content))) <= maxDeferredBytes {
		return outcome{kind: deferred, record: file}, nil
	}
	return p.finish(ctx, outcome{kind: written, record: file})
}

// enrichAgain is the work on a file of the index that is stale.
func (p *Pipeline) enrichAgain(ctx context.Context, path record.Path) (outcome, error) {
	r, ok, err := p.known.Record(ctx, path)
	if err != nil {
		return outcome{}, fmt.Errorf("enrich %s: %w", path, err)
	}
	if !ok {
		return outcome{kind: unchanged}, nil
	}
	return p.finish(ctx, outcome{kind: enriched, record: r})
}

// finish enriches and embeds the record of an outcome. A panic leaves the file out.
func (p *Pipeline) finish(ctx context.Context, out outcome) (done outcome, err error) {
	r := &out.record
	leftOut := ""
	defer func() {
		if f := r.File; leftOut != "" {
			done = leaveOut(Change{}, record.File{Path: f.Path, Size: f.Size, ModTime: f.ModTime, Hash: f.Hash, LeftOut: leftOut})
		}
	}()
	defer p.recovered(r.File.Path, &leftOut)
	if changed := p.o.Enrich.Enrich(r); r.Recalled && !changed {
		out.nKept = len(r.Chunks)
		return out, nil
	}
	r.Recalled = false // parts of the record are new
	if out.nKept, err = p.keepCodes(ctx, r); err == nil {
		err = p.Embed(ctx, r)
	}
	if err != nil {
		return outcome{}, fmt.Errorf("embed %s: %w", r.File.Path, err)
	}
	return out, nil
}

// gone is the outcome for a path that is not in the tree. A path that is still on disk is
// ignored now, and the index must forget its earlier records.
func (p *Pipeline) gone(c Change) outcome {
	if c.Old.Path == "" {
		return outcome{kind: unchanged}
	}
	out := outcome{kind: removed, record: record.FileRecord{File: c.Old}}
	if info, err := p.root.Lstat(string(c.Path)); err == nil && !info.IsDir() {
		out.kind = forgotten
	}
	return out
}

// leaveOut is the outcome for a file without chunks. The pipeline does not write a file
// again that the index leaves out already, but it reads an unreadable file every time.
func leaveOut(c Change, f record.File) outcome {
	if c.Old.LeftOut == f.LeftOut && c.Old.Hash == f.Hash {
		return touch(c, f)
	}
	return outcome{kind: written, record: record.FileRecord{File: f, Graph: record.FileGraph{Path: f.Path}}}
}

// touch is the outcome for a file of which only the time in the index is wrong.
func touch(c Change, f record.File) outcome {
	if c.Old.Size == f.Size && c.Old.ModTime == f.ModTime {
		return outcome{kind: unchanged}
	}
	kept := c.Old
	kept.Size, kept.ModTime = f.Size, f.ModTime
	return outcome{kind: touched, record: record.FileRecord{File: kept}}
}

// Fresh reads one file, whose state in the index is old. If the file has changed, ok is
// true and r is its record as Apply would store it, without vectors and keys.
// For a file that the index would leave out, r has File.LeftOut and no text. The error
// is that of the file system; [fs.ErrNotExist] for a path that is gone.
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
	return r, true, nil
}

// Analyze returns the record of a text in place of the file at path, as Apply would
// store it, without vectors and keys, and its outline. When the filter leaves the text
// out, File.LeftOut says why and the outline is zero. language is the language in the
// editor, which counts when the path has no extension. Analyze reads no file. It keeps the
// text, which the caller must not change.
func (p *Pipeline) Analyze(path record.Path, language string, text []byte) (record.FileRecord, languages.Outline) {
	return p.analyze(record.File{Path: path, Size: int64(len(text)), Hash: sha256.Sum256(text)}, language, text)
}

func (p *Pipeline) analyze(f record.File, language string, content []byte) (r record.FileRecord, o languages.Outline) {
	if f.LeftOut = p.leftOut(f.Path, content); f.LeftOut != "" {
		return record.FileRecord{File: f}, o
	}
	r, o = p.parse(f, language, content)
	p.o.Enrich.Enrich(&r)
	return r, o
}

// read returns the text of a file, decoded by [charset.Decode], and its state as the index
// keeps it: size and hash are those of the bytes on disk. It never
// follows a link out of the root and never waits for a pipe. A file that is not regular
// is an error.
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
	content = content[:n] // the file may shrink during the read
	f.Hash = sha256.Sum256(content)
	return f, charset.Decode(content), nil
}

// leftOut returns why the filter leaves out a file, "" when it does not.
func (p *Pipeline) leftOut(path record.Path, content []byte) (reason string) {
	defer p.recovered(path, &reason)
	return p.filter.LeftOut(string(path), content)
}

// parse returns the record of a file, neither enriched nor embedded, and its outline.
func (p *Pipeline) parse(f record.File, language string, content []byte) (r record.FileRecord, o languages.Outline) {
	r.File = f
	defer p.recovered(f.Path, &r.File.LeftOut)
	content, f.Masked = p.mask(f.Path, content)
	outline := languages.ParseDocument(f.Path, language, content)
	f.Language, f.Partial = outline.Language, outline.Partial
	chunks := chunk.Split(&outline, p.o.Chunk)
	f.CrossFile = enrich.Collect(&outline, chunks, p.o.Chunk)
	parsed := record.FileRecord{File: f, Content: content, Chunks: chunks, Graph: graph.Extract(&outline)}
	parsed.File.Traits = traitsOf(&parsed)
	return parsed, outline
}

// mask masks the secrets of a file, unless the user wants to see those of this file.
func (p *Pipeline) mask(path record.Path, content []byte) (masked []byte, n int) {
	if p.o.ShowSecrets != nil && p.o.ShowSecrets(string(path)) {
		return content, 0
	}
	masked, found := redact.Mask(string(path), content)
	return masked, len(found)
}

// A Secret is a secret of a file that is masked in the index.
type Secret struct {
	Line int    // from 1
	Rule string // the name of the rule that found it
}

// Secrets reads a file and returns the secrets in it that are masked, by line. The error
// is that of the file system.
func (p *Pipeline) Secrets(path record.Path) ([]Secret, error) {
	f, content, err := p.read(path)
	if err != nil || f.LeftOut != "" || p.o.ShowSecrets != nil && p.o.ShowSecrets(string(path)) {
		return nil, err
	}
	_, found := redact.Mask(string(path), content)
	secrets := make([]Secret, len(found))
	for i, line, from := 0, 1, 0; i < len(found); i++ {
		line += bytes.Count(content[from:found[i].Start], []byte("\n"))
		from = found[i].Start
		secrets[i] = Secret{line, found[i].Rule}
	}
	return secrets, nil
}

// recovered, when deferred, recovers a panic over a file and leaves the file out: a bug
// costs this file only.
func (p *Pipeline) recovered(path record.Path, leftOut *string) {
	if cause := recover(); cause != nil {
		p.log.Error("file not analyzed", "path", path, "panic", cause, "stack", string(debug.Stack()))
		*leftOut = LeftOutInternal
	}
}
