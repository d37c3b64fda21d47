// Package mcp serves agents: the questions of package api as tools of the Model Context
// Protocol, over a pair of streams or HTTP.
//
// Every tool answers in plain text that a model reads, sets [api.Question].Agent, and keeps
// nothing between calls but the open workspaces and what "since" names. The definitions of
// all tools together take less than 1,500 tokens, because a client sends them with every
// request to its model.
//
// Source: Model Context Protocol, revision 2026-07-28, and the older ones that the SDK knows.
package mcp

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ambit/server/api"
)

// MaxTokens bounds an answer unless the call asks for more: clients cut or refuse results
// above 25,000 tokens.
const MaxTokens = 20_000

// Opener opens workspaces.
type Opener interface {
	// Root returns the root of the workspace around the working directory, or an error that
	// names the next step.
	Root() (string, error)
	// Resolve returns the absolute path, without symbolic links, of a directory that
	// exists.
	Resolve(dir string) (string, error)
	// Open opens the workspace at a root. The server closes it.
	Open(ctx context.Context, root string) (api.Workspace, error)
}

// Options tunes a server. Opener is required.
type Options struct {
	Version string
	Opener  Opener
	// Roots are the workspaces that calls may name, as Resolve returns them; the first is
	// asked when a call names none. Empty means that of Opener.Root.
	Roots  []string
	Logger *slog.Logger // nil discards
}

// instructions are the part of a client's system prompt that is about the server.
const instructions = `ambit knows this workspace: call context before you edit or explain code, in place of many greps and reads; it returns the code that ` +
	`belongs with a symbol, a place, a question or a pasted issue, current to the last save. search finds places by words. read has the whole text of a unit that ` +
	`context reduced. impact lists what a change touches.`

// Server answers the calls of agents. All methods are safe for concurrent use.
type Server struct {
	o          Options
	mcp        *mcp.Server
	workspaces *workspaces
	answers    answers
}

// New returns a server. The caller closes it.
func New(o Options) *Server {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{o: o, workspaces: newWorkspaces(o)}
	s.mcp = mcp.NewServer(&mcp.Implementation{Name: "ambit", Title: "ambit", Version: o.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	s.addTools()
	return s
}

// Close closes the open workspaces.
func (s *Server) Close() error { return s.workspaces.close() }

// Serve answers the messages of one client until it closes its stream or ctx is done.
func (s *Server) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	err := s.mcp.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
	if ctx.Err() != nil || errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) {
		return nil
	}
	return err
}

// httpPatience bounds how long the end waits for the requests under way.
const httpPatience = 2 * time.Second

// ServeHTTP answers the requests that come to l and have the token in their header
// "Authorization: Bearer TOKEN", until ctx is done. Pages of a browser are refused.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, token string) error {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.mcp }, &mcp.StreamableHTTPOptions{Stateless: true, Logger: s.o.Logger})
	server := &http.Server{
		Handler:           http.NewCrossOriginProtection().Handler(authorized(token, handler)),
		ReadHeaderTimeout: 10 * time.Second,
	}
	stopped := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), httpPatience)
		defer cancel()
		if server.Shutdown(end) != nil {
			_ = server.Close() // what still runs is cut off
		}
	})
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", l.Addr(), err)
	}
	return nil
}

// authorized passes on the requests that have the token.
func authorized(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the token that ambit mcp printed: Authorization: Bearer TOKEN", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}
