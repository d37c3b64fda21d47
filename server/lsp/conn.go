package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// Bounds of the wire.
const (
	maxMessageBytes = 256 << 20 // of one message; the largest document an editor opens, escaped
	maxHeaderBytes  = 4 << 10   // of one header line
	maxOutboxBytes  = 64 << 20  // of what waits to be written; whoever adds more waits too
	maxChatterBytes = 1 << 20   // of what waits when logs and progress are dropped
)

// conn is the connection to the client. Writing never blocks the caller until
// maxOutboxBytes wait: a client that does not read delays nobody.
type conn struct {
	in *bufio.Reader

	mu      sync.Mutex // guards all fields below
	changed *sync.Cond // with mu: queue, bytes or closed have changed
	queue   [][]byte   // framed messages, oldest first
	bytes   int        // of queue
	closed  bool       // nothing is added any more
	calls   map[int64]chan *jsonrpc2.Response
	lastID  int64
}

func newConn(in io.Reader) *conn {
	c := &conn{in: bufio.NewReader(in), calls: map[int64]chan *jsonrpc2.Response{}}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// read returns the body of the next message. The error is io.EOF when the client
// closed the stream between two messages.
func (c *conn) read() ([]byte, error) {
	length := -1
	for first := true; ; first = false {
		line, err := c.readHeader()
		switch {
		case errors.Is(err, io.EOF) && (!first || line != ""):
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		case line == "" && length >= 0:
			body := make([]byte, length)
			_, err := io.ReadFull(c.in, body)
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return body, err
		case line == "":
			return nil, errors.New("a message without Content-Length")
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("a header without colon: %q", line)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || length < 0 || length > maxMessageBytes {
				return nil, fmt.Errorf("Content-Length %q is not from 0 to %d", strings.TrimSpace(value), maxMessageBytes)
			}
		}
	}
}

// readHeader returns the next line without its end.
func (c *conn) readHeader() (string, error) {
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

// write writes what is sent, in order, until close and the queue is empty, or w
// fails.
func (c *conn) write(w io.Writer) error {
	for {
		c.mu.Lock()
		for len(c.queue) == 0 && !c.closed {
			c.changed.Wait()
		}
		batch := c.queue
		c.queue = nil
		c.mu.Unlock()
		if len(batch) == 0 {
			return nil
		}
		for _, message := range batch {
			if _, err := w.Write(message); err != nil {
				c.close()
				return err
			}
			c.mu.Lock()
			c.bytes -= len(message)
			c.changed.Broadcast()
			c.mu.Unlock()
		}
	}
}

// close lets nothing more be sent, and ends the calls that wait for an answer.
func (c *conn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for id, answer := range c.calls {
		close(answer)
		delete(c.calls, id)
	}
	c.changed.Broadcast()
}

// send queues a message. With chatter it is dropped rather than queued behind much.
func (c *conn) send(m jsonrpc2.Message, chatter bool) error {
	body, err := jsonrpc2.EncodeMessage(m)
	if err != nil {
		return err
	}
	framed := append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	c.mu.Lock()
	defer c.mu.Unlock()
	for !chatter && c.bytes > maxOutboxBytes && !c.closed {
		c.changed.Wait()
	}
	switch {
	case c.closed:
		return errClosed
	case chatter && c.bytes > maxChatterBytes:
		return nil
	}
	c.queue = append(c.queue, framed)
	c.bytes += len(framed)
	c.changed.Broadcast()
	return nil
}

// reply answers a request.
func (c *conn) reply(id jsonrpc2.ID, result any, err error) {
	if err != nil {
		_ = c.send(jsonrpc2.NewResponse(id, nil, wireError(err)), false) // a client that is gone needs no answer
		return
	}
	raw, err := marshal(result)
	if err != nil {
		c.reply(id, nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "write the answer: %v", err))
		return
	}
	_ = c.send(jsonrpc2.NewResponse(id, raw, nil), false)
}

// notify tells the client something. With chatter it may be dropped.
func (c *conn) notify(method string, params any, chatter bool) {
	if raw, err := marshal(params); err == nil {
		_ = c.send(jsonrpc2.NewNotification(method, raw), chatter)
	}
}

// call asks the client and waits for its answer, which it decodes into result unless
// that is nil. It must not be called where messages are handled in order. When ctx
// is done first, the client is told so.
func (c *conn) call(ctx context.Context, method string, params, result any) error {
	raw, err := marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan *jsonrpc2.Response, 1)
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return errClosed
	}
	c.lastID++
	id := c.lastID
	c.calls[id] = answer
	c.mu.Unlock()
	if err := c.send(jsonrpc2.NewCall(jsonrpc2.NewNumberID(id), method, raw), false); err != nil {
		return err
	}
	select {
	case r := <-answer:
		switch {
		case r == nil:
			return errClosed
		case r.Err() != nil:
			return r.Err()
		case result != nil:
			return json.Unmarshal(r.Result(), result)
		}
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.calls, id)
		c.mu.Unlock()
		c.notify(protocol.MethodCancelRequest, json.RawMessage(fmt.Sprintf(`{"id":%d}`, id)), false)
		return context.Cause(ctx)
	}
}

// deliver hands the client's answer to the call that waits for it.
func (c *conn) deliver(r *jsonrpc2.Response) {
	id, _ := r.ID().Number()
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := c.calls[id]; ok {
		answer <- r
		delete(c.calls, id)
	}
}

// marshal spells a value of the protocol, or one that is JSON already. Nil is null.
func marshal(v any) (jsonrpc2.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return jsonrpc2.RawMessage("null"), nil
	case json.RawMessage:
		return jsonrpc2.RawMessage(v), nil
	}
	raw, err := protocol.Marshal(v)
	return jsonrpc2.RawMessage(raw), err
}
