package cli

import (
	"fmt"
	"io"

	"ambit/server/api"
	"ambit/server/session"
)

// chunksCommand shows the chunks of a file.
type chunksCommand struct {
	workspaceFlags `embed:""`
	JSON           bool   `name:"json" help:"Print JSON."`
	File           string `arg:"" help:"A file of the workspace."`
}

// Run prints the chunks of the file.
func (c *chunksCommand) Run(a *app) error {
	t, err := c.target(a, near(c.File))
	if err != nil {
		return err
	}
	return c.current(a, t, session.Options{}, c.JSON, func(w api.Workspace) error {
		path, err := locate(w.Root(), c.File)
		if err != nil {
			return err
		}
		answer, err := w.Chunks(a.ctx, api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}, PositionEncoding: api.UTF8})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(a.out, answer)
		}
		return printChunks(a.out, answer)
	})
}

// printChunks prints one line for each chunk.
func printChunks(w io.Writer, answer *api.Chunks) error {
	for _, c := range answer.Chunks {
		name := c.Identifier
		if c.Section != "" {
			name += "#" + c.Section
		}
		if c.Summary {
			name += " (summary of the whole)"
		}
		if _, err := fmt.Fprintf(w, "%s:%d-%d  %s %s  %d tokens\n",
			oneLine(string(answer.Path)), c.StartLine, c.EndLine, c.Kind, oneLine(name), c.Tokens); err != nil {
			return err
		}
	}
	return nil
}
