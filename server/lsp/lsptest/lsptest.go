// Package lsptest is a fake editor for tests of the language server: it speaks the
// client's side of the protocol, keeps every message of the session and, when the
// test ends, checks them all against the official meta model.
package lsptest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"testing"

	"ambit/server/lsp"
)

// Error is the error with which the server answered.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// Object is a JSON object.
type Object = map[string]any

// Editor is the client of one session. Its methods are safe for concurrent use. They
// end the test when the session breaks.
type Editor struct {
	t      testing.TB
	model  *Model
	in     io.WriteCloser
	cancel context.CancelFunc
	served chan struct{} // closed when Serve has returned err
	read   chan struct{} // closed when the server's stream has ended
	err    error

	mu       sync.Mutex // guards all fields below
	arrived  *sync.Cond // with mu: the session or answers have changed
	session  []Message
	acted    Mark // after the last message that the test sent
	answers  map[string]chan answer
	handlers map[string]func(json.RawMessage) (any, error)
	nextID   int
	over     bool
	killed   bool // the test killed the server

	writing sync.Mutex // held while a message is written
}

type answer struct {
	result json.RawMessage
	err    error
}

// Start starts a server and an editor for it. At the end of the test it ends the session,
// unless the test did, and checks it.
func Start(t testing.TB, model *Model, opener lsp.Opener, o lsp.Options) *Editor {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	serverIn, in := io.Pipe()
	out, serverOut := io.Pipe()
	return begin(t, model, in, out, cancel, func(<-chan struct{}) error {
		defer serverOut.Close()
		defer serverIn.Close()
		return lsp.Serve(ctx, serverIn, serverOut, opener, o)
	})
}

// begin returns the editor of a server that serve runs. Serve gets a channel that is
// closed when the stream from the server has ended.
func begin(t testing.TB, model *Model, in io.WriteCloser, out io.Reader, cancel func(), serve func(read <-chan struct{}) error) *Editor {
	e := &Editor{
		t: t, model: model, in: in, cancel: cancel, served: make(chan struct{}), read: make(chan struct{}),
		answers: map[string]chan answer{},
		handlers: map[string]func(json.RawMessage) (any, error){
			"workspace/configuration": noSettings,
			"window/showDocument":     func(json.RawMessage) (any, error) { return Object{"success": true}, nil },
		},
	}
	e.arrived = sync.NewCond(&e.mu)
	go func() {
		defer close(e.served)
		e.err = serve(e.read)
	}()
	go func() {
		defer close(e.read)
		e.receive(out)
	}()
	t.Cleanup(e.Close)
	return e
}

// noSettings answers a request for settings with none.
func noSettings(params json.RawMessage) (any, error) {
	var p struct{ Items []any }
	err := json.Unmarshal(params, &p)
	return make([]any, len(p.Items)), err
}

// Close ends the session, if the test did not, and checks it.
func (e *Editor) Close() {
	e.mu.Lock()
	over, killed := e.over, e.killed
	e.over = true
	e.mu.Unlock()
	if over {
		return
	}
	e.in.Close()
	<-e.served
	e.cancel()
	<-e.read
	if killed {
		return
	}
	for _, problem := range e.model.Check(e.Session()) {
		e.t.Errorf("protocol: %s", problem)
	}
}

// Wait waits until the server has ended, and returns its error.
func (e *Editor) Wait() error {
	<-e.served
	<-e.read
	return e.err
}

// Cancel ends the context of the server.
func (e *Editor) Cancel() { e.cancel() }

// Hangup closes the stream to the server.
func (e *Editor) Hangup() { e.in.Close() }

// Session returns the messages so far.
func (e *Editor) Session() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]Message(nil), e.session...)
}

// Handle sets the handler of the server's requests of a method. By default the editor
// has no settings, shows documents, and answers everything else with null.
func (e *Editor) Handle(method string, f func(params json.RawMessage) (any, error)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.handlers[method] = f
}

// receive reads the output of the server. Output outside of the protocol fails the test.
func (e *Editor) receive(out io.Reader) {
	r := bufio.NewReader(out)
	for {
		header, body, err := readFrame(r)
		if errors.Is(err, io.EOF) && len(header) == 0 {
			break
		}
		if err != nil || len(header) != 1 {
			e.broken("the server wrote a broken message: %v %v", header, err)
			break
		}
		e.take(body)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.answers {
		c <- answer{err: errors.New("the session ended")}
	}
	e.answers = nil
	e.arrived.Broadcast()
}

// broken fails the test, unless the server was killed.
func (e *Editor) broken(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.killed {
		e.t.Errorf(format, args...)
	}
}

// take keeps a message, and answers it or passes it to the call that waits.
func (e *Editor) take(body []byte) {
	var m envelope
	if err := json.Unmarshal(body, &m); err != nil {
		e.t.Errorf("not a message: %s", body)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.session = append(e.session, Message{FromServer: true, Data: body})
	e.arrived.Broadcast()
	switch {
	case m.Method != nil && len(m.ID) > 0:
		go e.answer(m.ID, m.Params, e.handlers[*m.Method])
	case m.Method == nil && len(m.ID) > 0:
		if c, ok := e.answers[string(m.ID)]; ok {
			delete(e.answers, string(m.ID))
			a := answer{result: m.Result}
			if m.Error != nil {
				a.err = &Error{int(*m.Error.Code), *m.Error.Message}
			}
			c <- a
		}
	}
}

// answer answers a request of the server's.
func (e *Editor) answer(id, params json.RawMessage, handler func(json.RawMessage) (any, error)) {
	reply := Object{"jsonrpc": "2.0", "id": id}
	var result any
	var err error
	if handler != nil {
		result, err = handler(params)
	}
	if err != nil {
		reply["error"] = &Error{-32803, err.Error()}
	} else {
		reply["result"] = result
	}
	data, err := json.Marshal(reply)
	if err != nil {
		e.t.Errorf("marshal: %v", err)
		return
	}
	e.write(Message{Data: data}, false)
}

// send writes a message of the test. After the end of the session the message is lost.
func (e *Editor) send(message Object) {
	data, err := json.Marshal(message)
	if err != nil {
		e.t.Errorf("marshal: %v", err)
		return
	}
	e.write(Message{Data: data}, true)
}

// write writes a message. Act means that the test sent it; an answer to the server is no
// act.
func (e *Editor) write(m Message, act bool) {
	e.writing.Lock()
	defer e.writing.Unlock()
	e.mu.Lock()
	e.session = append(e.session, m)
	if act {
		e.acted = Mark(len(e.session))
	}
	e.mu.Unlock()
	_ = writeFrame(e.in, m.Data) // after the end of a session the calls that wait get an error
}

// SendRaw sends data as the body of a message that is not checked.
func (e *Editor) SendRaw(data []byte) { e.write(Message{Raw: true, Data: data}, true) }

// SendBytes sends data as it is, without a header.
func (e *Editor) SendBytes(data []byte) {
	e.writing.Lock()
	defer e.writing.Unlock()
	_, _ = e.in.Write(data)
}

// Notify sends a notification.
func (e *Editor) Notify(method string, params any) {
	message := Object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		message["params"] = params
	}
	e.send(message)
}

// Pending is a request whose answer may still be missing.
type Pending struct {
	e      *Editor
	ID     int
	answer chan answer
}

// Go sends a request.
func (e *Editor) Go(method string, params any) *Pending {
	e.mu.Lock()
	e.nextID++
	p := &Pending{e, e.nextID, make(chan answer, 1)}
	if e.answers == nil {
		p.answer <- answer{err: errors.New("the session ended")}
	} else {
		e.answers[strconv.Itoa(p.ID)] = p.answer
	}
	e.mu.Unlock()
	message := Object{"jsonrpc": "2.0", "id": p.ID, "method": method}
	if params != nil {
		message["params"] = params
	}
	e.send(message)
	return p
}

// Await waits for the answer and decodes it into result, unless that is nil.
func (p *Pending) Await(result any) error {
	a := <-p.answer
	if a.err != nil || result == nil {
		return a.err
	}
	return json.Unmarshal(a.result, result)
}

// Cancel cancels the request.
func (p *Pending) Cancel() { p.e.Notify("$/cancelRequest", Object{"id": p.ID}) }

// Call sends a request and waits for its answer.
func (e *Editor) Call(method string, params, result any) error {
	return e.Go(method, params).Await(result)
}

// Mark is a moment of a session.
type Mark int

// Mark returns the moment.
func (e *Editor) Mark() Mark {
	e.mu.Lock()
	defer e.mu.Unlock()
	return Mark(len(e.session))
}

// Await waits for a message from the server with a method, for which ok holds, and
// returns its parameters. Only messages since the last act of the test count: earlier
// ones cannot be its consequence.
func (e *Editor) Await(method string, ok func(params json.RawMessage) bool) json.RawMessage {
	e.mu.Lock()
	acted := e.acted
	e.mu.Unlock()
	return e.AwaitSince(acted, method, ok)
}

// AwaitSince is Await among the messages since a mark.
func (e *Editor) AwaitSince(mark Mark, method string, ok func(params json.RawMessage) bool) json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	for seen := int(mark); ; {
		for ; seen < len(e.session); seen++ {
			var m envelope
			if !e.session[seen].FromServer || json.Unmarshal(e.session[seen].Data, &m) != nil {
				continue
			}
			if m.Method != nil && *m.Method == method && (ok == nil || ok(m.Params)) {
				return m.Params
			}
		}
		if e.answers == nil {
			e.t.Errorf("the session ended without %s", method)
			return nil
		}
		e.arrived.Wait()
	}
}
