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

// opener opens the indexes of the workspaces of one process.
type opener struct {
	options session.Options
	index   attach.Options
}

// newOpener returns an opener. Its options lack the settings, which a workspace has.
func newOpener(o session.Options) opener {
	v := buildVersion()
	build := v.Version + " " + v.Commit
	if v.Modified {
		build += " modified"
	}
	o.Build = workspace.Build()
	return opener{o, attach.Options{Build: strings.TrimSpace(build), Logger: o.Logger}}
}

// open returns a client of the index of the workspace at root, which this process owns
// or another one.
func (p opener) open(ctx context.Context, root string) (api.Workspace, error) {
	root, err := workspace.ResolveRoot(root)
	if err != nil {
		return nil, err
	}
	set := p.options.Settings
	o := p.index
	o.CacheDir, o.Budget, o.DocumentsBudget, o.Settings = set.CacheDir, set.Budget, set.DocumentsBudget, set.OfIndex()
	c, err := attach.Open(ctx, root, &indexOpener{root, p.options}, o)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// indexOpener opens the index of one workspace in this process.
type indexOpener struct {
	root    string
	options session.Options
}

// IndexPath implements [attach.Opener].
func (p *indexOpener) IndexPath(cacheDir string) (string, error) {
	return workspace.IndexPath(p.root, cacheDir, p.options.Build)
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
	p := newOpener(session.Options{
		Settings: &o.Settings, Encoding: o.Settings.Encoding, Logger: o.Logger, LongLived: true, Limiter: l.limiter,
	})
	if root == "" {
		w, err = openDefault(ctx, p.options)
	} else {
		p.index.Notify = func(line string) { o.Tell(oneLine(line)) }
		w, err = p.open(ctx, root)
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

// soleClient is the only client of a session, which it closes.
type soleClient struct {
	api.Workspace
	session *session.Session
}

// openDefault opens the workspace of the documents that belong to no folder.
func openDefault(ctx context.Context, o session.Options) (api.Workspace, error) {
	s, err := session.OpenDefault(ctx, o)
	if err != nil {
		return nil, err
	}
	return soleClient{s.NewClient(), s}, nil
}

// Close closes the client and the session.
func (c soleClient) Close() error { return errors.Join(c.Workspace.Close(), c.session.Close()) }
