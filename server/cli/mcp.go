package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/mcp"
	"ambit/server/scheduler"
	"ambit/server/session"
	"ambit/server/workspace"
)

// mcpCommand serves agents.
type mcpCommand struct {
	Root []string `placeholder:"DIR" help:"A workspace that calls may name; may be repeated. The first is asked when a call names none. By default the project around the working directory."`
	HTTP string   `name:"http" placeholder:"HOST:PORT" help:"Serve HTTP on a loopback address, for example 127.0.0.1:7777, instead of standard input and output."`
}

// Help explains how to connect an agent.
func (*mcpCommand) Help() string {
	return `Agents start it: the command is "ambit mcp", in the directory of the project. It speaks the Model
Context Protocol on standard input and output.

The tools are context, search, read, impact and overview. They only read, and only files of the
workspace that are indexed: what git ignores, what holds secrets and what lies elsewhere is refused.

With --http it prints a token; requests send it in the header "Authorization: Bearer TOKEN".`
}

// Run serves until the client closes its stream or the user interrupts.
func (c *mcpCommand) Run(a *app) error {
	defer scheduler.OfServer.Keep()()
	limiter := new(scheduler.Limiter)
	logger := slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	opener := &mcpOpener{app: a, limiter: limiter, logger: logger}
	roots := make([]string, 0, len(c.Root))
	for _, dir := range c.Root {
		root, err := opener.Resolve(dir)
		if err != nil {
			return err
		}
		roots = append(roots, root)
	}
	s := mcp.New(mcp.Options{Version: buildVersion().Version, Opener: opener, Roots: roots, Logger: logger})
	if c.HTTP != "" {
		return errors.Join(c.serveHTTP(a, s), s.Close())
	}
	in, stop := a.clientInput()
	defer stop()
	return errors.Join(s.Serve(a.ctx, io.NopCloser(in), nopCloser{a.out}), s.Close())
}

// serveHTTP serves on a loopback address until the user interrupts.
func (c *mcpCommand) serveHTTP(a *app, s *mcp.Server) error {
	host, _, err := net.SplitHostPort(c.HTTP)
	if err != nil {
		return usagef("--http %s: write HOST:PORT, for example 127.0.0.1:7777", c.HTTP)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--http %s: use a loopback address, 127.0.0.1, [::1] or localhost; ambit serves this machine only", c.HTTP)
	}
	var listen net.ListenConfig
	l, err := listen.Listen(a.ctx, "tcp", c.HTTP)
	if err != nil {
		return fmt.Errorf("listen: %w; choose another port", err)
	}
	token := rand.Text()
	fmt.Fprintf(a.err, "ambit: serving http://%s; header: Authorization: Bearer %s\n", l.Addr(), token)
	return s.ServeHTTP(a.ctx, l, token)
}

// nopCloser is a writer that stays open.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }

// mcpOpener opens the workspaces that agents ask about.
type mcpOpener struct {
	app     *app
	limiter *scheduler.Limiter
	logger  *slog.Logger
}

// Root implements [mcp.Opener].
func (*mcpOpener) Root() (string, error) {
	root, err := workspace.FindRoot(".")
	if err != nil {
		return "", err
	}
	return workspace.ResolveRoot(root)
}

// Resolve implements [mcp.Opener].
func (*mcpOpener) Resolve(dir string) (string, error) { return workspace.ResolveRoot(dir) }

// Open implements [mcp.Opener].
func (m *mcpOpener) Open(ctx context.Context, root string) (api.Workspace, error) {
	settings, warnings, err := config.Load(config.Sources{UserFile: config.UserFile(), Workspace: root})
	for i := range warnings {
		m.app.complain(&warnings[i])
	}
	if err != nil {
		return nil, err
	}
	o := session.Options{Settings: &settings, Encoding: settings.Encoding, Logger: m.logger, LongLived: true, Limiter: m.limiter}
	return openIndex(ctx, root, "", o, func(line string) { m.app.complain(errors.New(line)) })
}
