package cli

import (
	"log/slog"
	"path/filepath"

	"ambit/server/config"
	"ambit/server/lsp"
	"ambit/server/scheduler"
	"ambit/server/workspace"
)

// lspCommand is the language server.
type lspCommand struct {
	Stdio bool `name:"stdio" help:"Has no effect; for editors that pass it to every server."`
}

// Help explains how to connect an editor.
func (*lspCommand) Help() string {
	return `Editors start it: the command is "ambit lsp", for all languages, beside the language's own server.

It answers hover, the code actions "Copy context for a language model" and "Show related context",
and the commands ambit.context, ambit.search, ambit.related, ambit.explain, ambit.chunks,
ambit.status, ambit.reindex, ambit.pause and ambit.resume. Unsaved text counts.

The editor sends the folders, and settings (initializationOptions, the section "ambit") that count
more than those of ambit help settings. Errors go to the editor and to standard error.`
}

// Run serves until the editor says exit.
func (*lspCommand) Run(a *app) error {
	defer scheduler.OfServer.Keep()()
	limiter := new(scheduler.Limiter)
	scratch, err := workspace.CacheDir()
	if err != nil {
		if scratch, err = workspace.FallbackDir(); err != nil {
			return err
		}
	}
	in, stop := a.clientInput()
	defer stop()
	return lsp.Serve(a.ctx, in, a.out, lspOpener{limiter}, lsp.Options{
		Version:    buildVersion().Version,
		UserFile:   config.UserFile(),
		ScratchDir: filepath.Join(scratch, "answers"),
		Logger:     slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Await:      a.awaitClient,
	})
}
