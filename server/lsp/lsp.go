// Package lsp is ambit's language server: the Language Server Protocol 3.18 over a
// pair of streams.
//
// It owns messages, capabilities, open documents, cancellation and progress. It asks an
// [api.Workspace], one for each folder of the client, and encodes the answer.
//
// Notifications take effect in the order in which they arrive, requests run beside
// them on the documents and folders as they were when the request arrived. A request
// that is slow, cancelled or panics delays no other. Every request is answered exactly
// once. An invalid message is refused or logged and changes nothing.
//
// Small types of this package read the messages of the client: the generated types take
// an unreadable range for the whole document. Messages to the client are made of the
// generated types and those of api.
//
// The package writes nothing to the output stream but the protocol, never a file of
// the workspace, and starts no process.
package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/process"
	"ambit/server/rpc"
)

// Bounds of a session.
const (
	maxRunning  = 8    // requests whose answers are made or encoded at once; the processor limits them
	maxRequests = 1024 // requests that run or wait; further ones are refused

	maxRequestBytes  = 32 << 20 // of the requests that run or wait; beyond it further ones are refused
	maxDocuments     = 4000     // that are open; further ones are those on disk
	maxDocumentBytes = 64 << 20 // of the documents that are open; what would exceed it is as on disk
	maxFolders       = 100      // that are open; further ones are not opened

	// patience bounds how long the end of a session waits for work under way. An index
	// saves its views in less, even on a busy machine.
	patience = 10 * time.Second

	// clientTimeout bounds the wait for the client's answer to a request of the server.
	// Without the client's settings the folders open with the defaults.
	clientTimeout = 10 * time.Second
)

// Opener opens workspaces.
type Opener interface {
	// Open opens the workspace at root, an absolute path as the client spells it. It
	// may take long; cancelling ctx ends it. Root "" means a workspace without a
	// directory, for documents that belong to no folder: it holds only the documents
	// of [api.Documents.SetDocument]. An error is one line and names the next step;
	// the client shows it.
	Open(ctx context.Context, root string, o OpenOptions) (api.Workspace, error)
}

// OpenOptions are the options of [Opener].Open.
type OpenOptions struct {
	Settings config.Settings
	Logger   *slog.Logger // writes to the client, by its trace level; never nil
	// Tell shows the user one line about the index, at any time, also after Open has
	// returned; never nil.
	Tell func(line string)
}

// Options tunes [Serve]. The zero value is ready for use.
type Options struct {
	Version    string       // of the server, for the client to show
	UserFile   string       // the user's settings, see config.UserFile; "" reads none
	ScratchDir string       // of the answers for clients that can show only files; "" writes none
	Logger     *slog.Logger // beside the client's log; nil discards
	// Await waits until a process has ended or ctx is done; nil asks the system.
	Await func(ctx context.Context, pid int)
}

// Serve serves a client until the client sends exit or closes the streams, or ctx is
// done. It returns nil after shutdown and exit, for which the process exits with 0,
// [ErrAbrupt] after an end without them, the cause of a cancelled ctx, or the error of
// the streams.
//
// When it returns, all its goroutines have ended, with two exceptions: an answer whose
// workspace ignores its ctx for longer than the server waits, and one goroutine that may
// still read from in, if in blocks and the client did not close it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opener Opener, o Options) error {
	if o.Await == nil {
		o.Await = process.Await
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	conn := rpc.NewConn(in, rpc.Options{Marshal: func(v any) ([]byte, error) { return protocol.Marshal(v) }, Error: wireError})
	s := newServer(ctx, conn, opener, o)

	written := make(chan error, 1)
	go func() { written <- conn.Write(out) }()
	bodies := make(chan body)
	go func() {
		for {
			b, err := conn.Read()
			select {
			case bodies <- body{b, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	err := s.handleAll(ctx, bodies, written)
	s.end()
	conn.Close()
	cancel(err)
	select {
	case <-written:
	case <-time.After(patience):
		if c, ok := out.(io.Closer); ok {
			c.Close()
		}
	}
	return err
}

// body is a message as it was read.
type body struct {
	data []byte
	err  error
}

// errExit is the error of the notification exit.
var errExit = errors.New("exit")

// handleAll handles messages in order until the session ends. It returns the error of
// [Serve].
func (s *server) handleAll(ctx context.Context, bodies <-chan body, written chan error) error {
	for {
		select {
		case b := <-bodies:
			switch {
			case errors.Is(b.err, io.EOF) || errors.Is(b.err, io.ErrUnexpectedEOF) || errors.Is(b.err, io.ErrClosedPipe):
				return s.ended()
			case b.err != nil:
				return fmt.Errorf("read from the client: %w", b.err)
			}
			if err := s.handle(b.data); errors.Is(err, errExit) {
				return s.ended()
			}
		case task := <-s.tasks:
			s.guard("task", task)
		case <-s.orphaned:
			return ErrAbrupt
		case <-written: // the client no longer reads
			written <- nil
			return ErrAbrupt
		case <-s.conn.Done(): // the client reads too little
			return ErrAbrupt
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended returns the error of [Serve] for a session that the client ended.
func (s *server) ended() error {
	if s.phase == shutdown {
		return nil
	}
	return ErrAbrupt
}

// handle handles one message: notifications and answers at once and in order, requests
// in the background. It returns errExit for the notification exit.
func (s *server) handle(data []byte) error {
	m, err := jsonrpc2.DecodeMessage(data)
	if err != nil {
		s.conn.Reply(jsonrpc2.ID{}, nil, err)
		return nil
	}
	switch m := m.(type) {
	case *jsonrpc2.Response:
		s.conn.Deliver(m)
	case *jsonrpc2.Call:
		s.guard(m.Method(), func() { s.request(m.ID(), m.Method(), m.Params()) })
	case *jsonrpc2.Notification:
		if m.Method() == protocol.MethodExit {
			return errExit
		}
		s.guard(m.Method(), func() { s.notification(m.Method(), m.Params()) })
	}
	return nil
}

// guard calls f. It recovers a panic and logs it with its stack.
func (s *server) guard(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("panic", "in", name, "value", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	f()
}

// wait waits for all goroutines of the group, at most for patience, and reports whether
// they have ended.
func wait(group *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() {
		group.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}
