package cli

import (
	"errors"
	"fmt"
	"io"

	"ambit/server/attach"
	"ambit/server/session"
)

// chunksCommand shows how a file is cut.
type chunksCommand struct {
	workspace `embed:""`
	JSON      bool   `name:"json" help:"Print JSON."`
	File      string `arg:"" help:"A file of the workspace."`
}

// Run prints the chunks of the file.
func (c *chunksCommand) Run(a *app) error {
	t, err := c.target(a, near(c.File))
	if err != nil {
		return err
	}
	s, err := c.current(a, t, session.Options{}, c.JSON)
	if err != nil {
		return err
	}
	answer, err := c.answer(a, s)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(a.out, answer)
	}
	return printChunks(a.out, answer)
}

// chunksJSON is the answer of chunks. Spans are half-open byte ranges of the file,
// lines are 1-based and inclusive.
type chunksJSON struct {
	Path     string      `json:"path"`
	Language string      `json:"language"`
	Chunks   []chunkJSON `json:"chunks"`
}

type chunkJSON struct {
	ID         string   `json:"id"`
	Identifier string   `json:"identifier"`
	Kind       string   `json:"kind"`
	Section    string   `json:"section,omitempty"`
	Scope      string   `json:"scope,omitempty"`
	Signature  string   `json:"signature,omitempty"`
	Summary    bool     `json:"summary,omitempty"` // of the whole file, beside the others
	StartLine  int      `json:"start_line"`
	EndLine    int      `json:"end_line"`
	Start      int      `json:"start"`
	End        int      `json:"end"`
	Tokens     int      `json:"tokens"`
	Hash       string   `json:"hash"`
	Defines    []string `json:"defines"`
	Imports    []string `json:"imports"`
	Siblings   []string `json:"siblings"`
	Headings   []string `json:"headings,omitempty"`
	Prefix     string   `json:"prefix"`
	Suffix     string   `json:"suffix,omitempty"`
	Content    string   `json:"content"`
}

func (c *chunksCommand) answer(a *app, s *attach.Client) (chunksJSON, error) {
	path, err := locate(s, c.File)
	if err != nil {
		return chunksJSON{}, err
	}
	chunks, content, err := s.Chunks(a.ctx, path)
	if err != nil {
		return chunksJSON{}, err
	}
	answer := chunksJSON{Path: path, Chunks: make([]chunkJSON, 0, len(chunks))}
	for i := range chunks {
		k := &chunks[i]
		answer.Language = k.Language
		j := chunkJSON{
			ID: k.ID.String(), Identifier: k.Unit, Kind: string(k.Kind), Section: k.Section, Scope: k.Scope,
			Signature: k.Signature, Summary: k.IsSummary, StartLine: k.Lines.First, EndLine: k.Lines.Last,
			Start: k.Span.Start, End: k.Span.End, Tokens: k.Tokens, Hash: k.Hash.String(),
			Defines: list(k.Defines), Imports: list(k.Imports), Siblings: list(k.Siblings),
			Prefix: k.Prefix, Suffix: k.Suffix, Content: string(content[k.Span.Start:k.Span.End]),
		}
		if k.Doc != nil {
			j.Headings = k.Doc.Headings
		}
		answer.Chunks = append(answer.Chunks, j)
	}
	return answer, nil
}

// list keeps JSON free of null.
func list(of []string) []string {
	if of == nil {
		return []string{}
	}
	return of
}

// printChunks prints one line a chunk.
func printChunks(w io.Writer, answer chunksJSON) error {
	for _, k := range answer.Chunks {
		name := k.Identifier
		if k.Section != "" {
			name += "#" + k.Section
		}
		if k.Summary {
			name += " (summary of the whole)"
		}
		if _, err := fmt.Fprintf(w, "%s:%d-%d  %s %s  %d tokens\n",
			oneLine(answer.Path), k.StartLine, k.EndLine, k.Kind, oneLine(name), k.Tokens); err != nil {
			return err
		}
	}
	return nil
}
