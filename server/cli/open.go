package cli

import (
	"context"
	"errors"
	"strings"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/server/lsp"
	"ambit/server/scheduler"
	"ambit/server/session"
	"ambit/server/workspace"
)

// openIndex returns a client of the index of the workspace at root, which this process or
// another one owns. Variant, unless "", names an index beside the usual one. Notify, unless
// nil, gets lines for the user about the owner.
func openIndex(ctx context.Context, root, variant string, o session.Options, notify func(line string)) (api.Workspace, error) {
	root, err := workspace.ResolveRoot(root)
	if err != nil {
		return nil, err
	}
	v := buildVersion()
	build := v.Version + " " + v.Commit
	if v.Modified {
		build += " modified"
	}
	o.Build = workspace.Build()
	set := o.Settings
	c, err := attach.Open(ctx, root, &indexOpener{root, variant, o}, attach.Options{
		Build: strings.TrimSpace(build), Logger: o.Logger, Notify: notify,
		CacheDir: set.CacheDir, Budget: set.Budget, DocumentsBudget: set.DocumentsBudget, Settings: set.OfIndex(),
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// indexOpener opens the index of one workspace in this process.
type indexOpener struct {
	root    string
	variant string
	options session.Options
}

// IndexPath implements [attach.Opener].
func (p *indexOpener) IndexPath(cacheDir string) (string, error) {
	path, err := workspace.IndexPath(p.root, cacheDir, p.options.Build)
	if err != nil || p.variant == "" {
		return path, err
	}
	return workspace.VariantPath(path, p.variant)
}

// OpenIndex implements [attach.Opener]. Only the first call rebuilds the index.
func (p *indexOpener) OpenIndex(ctx context.Context, path string) (attach.Index, error) {
	o := p.options
	o.Index, p.options.Rebuild = path, false
	s, err := session.Open(ctx, p.root, o)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// lspOpener opens the workspaces of the language server.
type lspOpener struct{ limiter *scheduler.Limiter }

// Open implements [lsp.Opener].
func (l lspOpener) Open(ctx context.Context, root string, o lsp.OpenOptions) (w api.Workspace, err error) {
	options := session.Options{
		Settings: &o.Settings, Encoding: o.Settings.Encoding, Logger: o.Logger, LongLived: true, Limiter: l.limiter,
	}
	if root == "" {
		w, err = openDefault(ctx, options)
	} else {
		w, err = openIndex(ctx, root, "", options, func(line string) { o.Tell(oneLine(line)) })
	}
	if err != nil {
		return nil, err
	}
	if notice := w.Notice(); notice != "" {
		o.Logger.Warn(oneLine(notice), "folder", root)
		o.Tell(oneLine(notice))
	}
	return w, nil
}

// soleClient is the only client of a session. It closes the session too.
type soleClient struct {
	api.Workspace
	session *session.Session
}

// openDefault opens the workspace for documents that belong to no folder.
func openDefault(ctx context.Context, o session.Options) (api.Workspace, error) {
	s, err := session.OpenDefault(ctx, o)
	if err != nil {
		return nil, err
	}
	return soleClient{s.NewClient(), s}, nil
}

// Close closes the client and the session.
func (c soleClient) Close() error { return errors.Join(c.Workspace.Close(), c.session.Close()) }
