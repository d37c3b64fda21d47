// Package lsp is ambit's language server: the Language Server Protocol 3.18 over a
// pair of streams.
//
// It owns the wire: messages, capabilities, positions, open documents, cancellation
// and progress. What is asked is answered by a [Workspace], one for each folder of
// the client.
//
// Notifications take effect in the order in which they arrive, requests run beside
// them on the documents and folders as they were when the request arrived. A request
// that is slow, cancelled or panics concerns nobody else. Every request is answered
// exactly once. A message that makes no sense is refused or logged and changes
// nothing.
//
// What a client sends is read leniently and with care, by small types of this
// package: the generated ones take a range that they cannot read for the whole
// document. What is sent to the client is made of the generated types.
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

	"ambit/server/config"
	"ambit/server/rpc"
)

// Bounds of a session.
const (
	maxRunning  = 8    // questions answered at once; they are bound by the processor
	maxRequests = 1024 // requests that run or wait; further ones are refused

	// patience is how long the end of a session waits for what is still going on. It
	// is longer than an index takes to save its views, on a machine that is busy too.
	patience = 10 * time.Second

	// configurationTimeout is how long a client may take to tell its settings before
	// the folders are opened without.
	configurationTimeout = 10 * time.Second
)

// Options tunes [Serve]. The zero value is ready for use.
type Options struct {
	Version    string        // of the server, for the client to show
	UserFile   string        // the user's settings, see config.UserFile; "" reads none
	Flags      []config.Flag // settings from the command line
	ScratchDir string        // where an answer is written for clients that can show only files; "" never
	Logger     *slog.Logger  // beside the client's log; nil discards
	// Await waits until a process has ended or ctx is done; nil asks the system.
	Await func(ctx context.Context, pid int)
}

// Serve talks to a client until it says exit, goes away, or ctx is done. It returns
// nil after an orderly end, for which the process exits with 0, [ErrAbrupt] when the
// client went without one, the cause of a cancelled ctx, or the error that broke the
// streams.
//
// When it returns, everything it started has ended, but for answers whose workspace
// does not heed its ctx for longer than the server waits, and one goroutine that may
// still read from in, if in blocks and the client did not close it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opener Opener, o Options) error {
	if o.Await == nil {
		o.Await = awaitProcess
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := newServer(ctx, rpc.NewConn(in, rpc.Options{Marshal: protocol.Marshal, Error: wireError}), opener, o)

	written := make(chan error, 1)
	go func() { written <- s.conn.Write(out) }()
	bodies := make(chan body)
	go func() {
		for {
			b, err := s.conn.Read()
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
	s.conn.Close()
	cancel(err)
	select {
	case <-s.wrote(written):
	case <-time.After(patience):
		if c, ok := out.(io.Closer); ok {
			c.Close()
		}
	}
	return err
}

// body is what the reader read.
type body struct {
	data []byte
	err  error
}

// errExit ends the session in order.
var errExit = errors.New("exit")

// handleAll handles messages in order until the session ends, and says how it ended.
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
		case err := <-written:
			written <- err
			if err != nil {
				return ErrAbrupt // the client no longer listens
			}
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wrote is done when the writer has ended.
func (s *server) wrote(written chan error) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		<-written
		close(done)
	}()
	return done
}

// ended says how a session ended that the client left.
func (s *server) ended() error {
	if s.phase == shutdown {
		return nil
	}
	return ErrAbrupt
}

// handle handles one message: notifications and answers here and now, requests
// beside. It returns errExit when the client said exit.
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

// guard calls f; a panic is logged with its stack and goes no further.
func (s *server) guard(what string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			s.log.Error("panic", "in", what, "value", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	f()
}

// group is the goroutines of a session.
type group struct{ sync.WaitGroup }

// wait waits for all, at most for patience, and reports whether they have ended.
func (g *group) wait() bool {
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-time.After(patience):
		return false
	}
}
