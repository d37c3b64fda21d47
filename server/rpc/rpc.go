// Package rpc is JSON-RPC 2.0 over a stream, with the framing of the Language Server
// Protocol: both ends send requests, notifications and answers.
//
// A [Conn] frames, queues and matches answers with calls. It starts no goroutine: the
// owner of a Conn runs a loop around [Conn.Read] and another one in [Conn.Write], and
// hands answers to [Conn.Deliver]. The owner decides what a method means and in which
// order it handles messages.
//
// A peer that does not read delays no other: the messages that wait to be written are
// bounded, and a peer that leaves more than that unread loses the connection.
//
// The messages are those of go.lsp.dev/jsonrpc2. The connections of that library are
// not used: they run messages out of order, and an error in a notification ends them.
package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Bounds of a connection.
const (
	// DefaultMaxMessageBytes has room for the largest document an editor opens, escaped.
	DefaultMaxMessageBytes = 256 << 20

	maxHeaderBytes = 4 << 10   // of one header line
	maxOutboxBytes = 64 << 20  // of waiting messages; further answers wait for room
	maxExcessBytes = 128 << 20 // of waiting messages; one more ends the connection
	maxChatBytes   = 1 << 20   // of waiting messages; beyond them TryNotify drops

	// maxStall is how long a peer may read nothing while answers wait for room; then the
	// connection ends. An editor that hangs for longer is not coming back.
	maxStall = time.Minute
)

var (
	// ErrClosed is returned by calls on a connection that has ended.
	ErrClosed = errors.New("connection closed")

	// ErrTooLarge is wrapped by the error of a message that is larger than
	// [Options].MaxMessageBytes; it is not sent.
	ErrTooLarge = errors.New("message too large")

	// errUnread is returned by Write when the peer has left too much unread.
	errUnread = fmt.Errorf("the peer leaves %d MB unread", maxExcessBytes>>20)

	// errStalled is returned by Write when the peer has read nothing for maxStall.
	errStalled = fmt.Errorf("the peer leaves %d MB unread for %v", maxOutboxBytes>>20, maxStall)
)

// Options tunes [NewConn]. The zero value is ready for use.
type Options struct {
	MaxMessageBytes int                         // in either direction; 0 means DefaultMaxMessageBytes
	Marshal         func(v any) ([]byte, error) // of params and results; nil means json.Marshal
	Unmarshal       func([]byte, any) error     // of results; nil means json.Unmarshal
	Error           func(error) *jsonrpc2.Error // of an answer; nil keeps a *jsonrpc2.Error, and others become internal errors
}

// Conn is one end of a connection. All methods but Read and Write, which are for one
// goroutine each, are safe for concurrent use.
type Conn struct {
	in   *bufio.Reader
	opts Options

	mu      sync.Mutex // guards all fields below
	changed *sync.Cond // with mu: queue, bytes or closed have changed
	queue   []*message // the oldest first
	latest  map[any]*message
	bytes   int           // of queue, and of the message that is being written
	written int           // messages so far
	stall   *time.Timer   // of checkStall, nil while nothing waits for room
	mark    int           // written when stall was set
	closed  bool          // nothing is queued any more
	done    chan struct{} // closed with closed
	err     error         // why, nil after Close
	calls   map[int64]*Call
	lastID  int64
}

// message is a framed message that waits to be written.
type message struct {
	framed []byte
	key    any // of Update, nil for other messages
}

// NewConn returns a connection that reads from in.
func NewConn(in io.Reader, o Options) *Conn {
	if o.MaxMessageBytes == 0 {
		o.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if o.Marshal == nil {
		o.Marshal = json.Marshal
	}
	if o.Unmarshal == nil {
		o.Unmarshal = json.Unmarshal
	}
	if o.Error == nil {
		o.Error = defaultError
	}
	c := &Conn{in: bufio.NewReader(in), opts: o, latest: map[any]*message{}, calls: map[int64]*Call{}, done: make(chan struct{})}
	c.changed = sync.NewCond(&c.mu)
	return c
}

func defaultError(err error) *jsonrpc2.Error {
	if wire, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return wire
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, err.Error())
}

// Read returns the body of the next message, for jsonrpc2.DecodeMessage. It takes no
// more memory than has arrived. The error is io.EOF when the peer closed the stream
// between two messages.
func (c *Conn) Read() ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := c.readHeader()
		switch {
		case errors.Is(err, io.EOF) && (!first || line != ""):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case line == "" && length >= 0:
			return c.readBody(length)
		case line == "":
			return nil, errors.New("a message without Content-Length")
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("a header without colon: %q", line)
		}
		if value = strings.TrimSpace(value); strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err = strconv.Atoi(value)
			if err != nil || length < 0 || length > c.opts.MaxMessageBytes {
				return nil, fmt.Errorf("Content-Length %q is not from 0 to %d", value, c.opts.MaxMessageBytes)
			}
		}
	}
}

// readHeader returns the next line without its end.
func (c *Conn) readHeader() (string, error) {
	var line []byte
	for {
		part, err := c.in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxHeaderBytes {
			return "", fmt.Errorf("a header of more than %d bytes", maxHeaderBytes)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(string(line), "\r\n"), err
		}
	}
}

func (c *Conn) readBody(length int) ([]byte, error) {
	var body bytes.Buffer
	body.Grow(min(length, 1<<20))
	_, err := io.CopyN(&body, c.in, int64(length))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return body.Bytes(), err
}

// Write writes the queued messages, in order, until Close and the queue is empty, or
// until w fails.
func (c *Conn) Write(w io.Writer) error {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closed {
			c.changed.Wait()
		}
		if len(c.queue) == 0 {
			defer c.mu.Unlock()
			return c.err
		}
		m := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		delete(c.latest, m.key)
		c.mu.Unlock()
		if _, err := w.Write(m.framed); err != nil {
			c.Close()
			return err
		}
		c.mu.Lock()
		c.bytes -= len(m.framed)
		c.written++
		c.changed.Broadcast()
		c.mu.Unlock()
	}
}

// Close ends the calls that wait for an answer with [ErrClosed], and lets nothing more
// be queued.
func (c *Conn) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.close(nil)
}

// close is Close. The caller holds c.mu.
func (c *Conn) close(err error) {
	if !c.closed {
		c.closed, c.err = true, err
		close(c.done)
	}
	if c.stall != nil {
		c.stall.Stop()
	}
	for id, call := range c.calls {
		close(call.answer)
		delete(c.calls, id)
	}
	c.changed.Broadcast()
}

// Done is closed when nothing more can be queued: after Close, when Write has failed, and
// when the peer leaves too much unread or reads nothing for too long.
func (c *Conn) Done() <-chan struct{} { return c.done }

// AwaitRoom waits while much waits to be written. Its callers begin no answer that would
// wait. It returns [ErrClosed] and the cause of ctx.
func (c *Conn) AwaitRoom(ctx context.Context) error {
	defer context.AfterFunc(ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.awaitRoom(ctx)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case c.closed:
		return ErrClosed
	}
	return nil
}

// awaitRoom waits for room, the end of the connection or, when c.changed tells, that of
// ctx. The caller holds c.mu.
func (c *Conn) awaitRoom(ctx context.Context) {
	for c.bytes > maxOutboxBytes && !c.closed && ctx.Err() == nil {
		if c.stall == nil {
			c.mark, c.stall = c.written, time.AfterFunc(maxStall, c.checkStall)
		}
		c.changed.Wait()
	}
}

// checkStall ends the connection when nothing was written for maxStall.
func (c *Conn) checkStall() {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || c.bytes <= maxOutboxBytes:
		c.stall = nil
	case c.written == c.mark:
		c.close(errStalled)
	default:
		c.mark = c.written
		c.stall.Reset(maxStall)
	}
}

// send queues m, in place of one with the same key that still waits. With wait it
// first waits for room.
func (c *Conn) send(m jsonrpc2.Message, key any, wait bool) error {
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return err
	}
	if len(body) > c.opts.MaxMessageBytes {
		return fmt.Errorf("%w: %d MB; ask for less", ErrTooLarge, len(body)>>20)
	}
	framed := append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	c.mu.Lock()
	defer c.mu.Unlock()
	if wait {
		c.awaitRoom(context.Background())
	}
	if c.bytes > maxExcessBytes {
		c.close(errUnread)
	}
	if c.closed {
		return ErrClosed
	}
	c.bytes += len(framed)
	if earlier := c.latest[key]; earlier != nil {
		c.bytes -= len(earlier.framed)
		earlier.framed = framed
		return nil
	}
	next := &message{framed, key}
	c.queue = append(c.queue, next)
	if key != nil {
		c.latest[key] = next
	}
	c.changed.Broadcast()
	return nil
}

// Reply answers a request with a result or, unless err is nil, with an error. While
// much waits to be written, it waits too.
func (c *Conn) Reply(id jsonrpc2.ID, result any, err error) {
	var raw jsonrpc2.RawMessage
	if err == nil {
		if raw, err = c.marshal(result); err == nil {
			err = c.send(jsonrpc2.NewResponse(id, raw, nil), nil, true)
		}
		if err == nil || errors.Is(err, ErrClosed) { // a peer that is gone needs no answer
			return
		}
	}
	_ = c.send(jsonrpc2.NewResponse(id, nil, c.opts.Error(err)), nil, true)
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	raw, err := c.marshal(params)
	if err != nil {
		return err
	}
	return c.send(jsonrpc2.NewNotification(method, raw), nil, false)
}

// TryNotify sends a notification unless much waits to be written.
func (c *Conn) TryNotify(method string, params any) {
	c.mu.Lock()
	full := c.bytes > maxChatBytes
	c.mu.Unlock()
	if !full {
		_ = c.Notify(method, params) // nothing depends on it
	}
}

// Update sends a notification in place of the one with the same key, not nil, that
// still waits to be written: the peer gets the latest.
func (c *Conn) Update(key any, method string, params any) error {
	raw, err := c.marshal(params)
	if err != nil {
		return err
	}
	return c.send(jsonrpc2.NewNotification(method, raw), key, false)
}

// marshal returns v as JSON, which it may be already. Nil is null.
func (c *Conn) marshal(v any) (jsonrpc2.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return jsonrpc2.RawMessage("null"), nil
	case json.RawMessage:
		return jsonrpc2.RawMessage(v), nil
	}
	raw, err := c.opts.Marshal(v)
	return jsonrpc2.RawMessage(raw), err
}
