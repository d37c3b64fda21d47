package cli

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime/debug"

	"ambit/server/attach"
	"ambit/server/config"
	"ambit/server/lsp"
	"ambit/server/session"
)

// lspCommand is the language server.
type lspCommand struct {
	Stdio bool `name:"stdio" help:"Talk on standard input and output, which it does anyway; for editors that say so to every server."`
}

// Help tells how to connect an editor.
func (*lspCommand) Help() string {
	return `Editors start it: the command is "ambit lsp", for all languages, beside the language's own server.

It answers hover, the code actions "Copy context for a language model" and "Show related context",
and the commands ambit.context, ambit.search, ambit.related, ambit.explain, ambit.chunks,
ambit.status, ambit.reindex, ambit.pause and ambit.resume. Unsaved text counts.

The folders come from the editor; the settings from it too (initializationOptions, the section
"ambit"), beside those of ambit help settings. What goes wrong is told the editor and on standard
error.`
}

// Run serves until the editor says exit.
func (*lspCommand) Run(a *app) error {
	debug.SetGCPercent(lspGCPercent)
	scratch, err := session.CacheDir()
	if err != nil {
		if scratch, err = attach.SpareCache(); err != nil {
			return err
		}
	}
	return lsp.Serve(a.ctx, a.in, a.out, opener{new(session.Gate), session.Build()}, lsp.Options{
		Version:    buildVersion().Version,
		UserFile:   config.UserFile(),
		ScratchDir: filepath.Join(scratch, "answers"),
		Logger:     slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

// opener opens workspaces for the language server.
type opener struct {
	gate  *session.Gate
	build string
}

// Open opens the workspace at root, or one without a directory for root "".
func (p opener) Open(ctx context.Context, root string, o lsp.OpenOptions) (lsp.Workspace, error) {
	so := session.Options{
		Settings: &o.Settings, Encoding: o.Settings.Encoding, Logger: o.Logger, LongLived: true, Gate: p.gate, Build: p.build,
	}
	var s attach.Workspace
	var err error
	if root == "" {
		s, err = session.OpenLoose(ctx, so)
	} else {
		ao := attachOptions(so)
		ao.Notify = func(line string) { o.Tell(oneLine(line)) }
		s, err = attach.Open(ctx, root, ao)
	}
	if err != nil {
		return nil, err
	}
	if notice := s.Notice(); notice != "" {
		o.Logger.Warn(oneLine(notice), "folder", root)
		o.Tell(oneLine(notice))
	}
	return &editorWorkspace{s: s, buffers: map[string]openBuffer{}}, nil
}
