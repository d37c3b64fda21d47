package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/goleak"

	"ambit/server/rpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frame returns a message as it goes over the wire.
func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestReadTakesOneMessageAtATime(t *testing.T) {
	const max = 100
	for _, tt := range []struct {
		name, in string
		want     []string
		err      string
	}{
		{"nothing", "", nil, "EOF"},
		{"two messages", frame(`{"a":1}`) + frame(`{}`), []string{`{"a":1}`, `{}`}, "EOF"},
		{"other headers, in any case", "Content-Type: x\r\ncontent-length:2\n\n{}", []string{`{}`}, "EOF"},
		{"an empty message", frame(""), []string{""}, "EOF"},
		{"the end within a header", "Content-Le", nil, "unexpected EOF"},
		{"the end after a header", "Content-Length: 2\r\n", nil, "unexpected EOF"},
		{"the end within a message", "Content-Length: 9\r\n\r\n{}", nil, "unexpected EOF"},
		{"the end before a message", "Content-Length: 9\r\n\r\n", nil, "unexpected EOF"},
		{"no length", "\r\n{}", nil, "without Content-Length"},
		{"no colon", "GET / HTTP/1.1\r\n", nil, `a header without colon: "GET / HTTP/1.1"`},
		{"no number", "Content-Length: many\r\n", nil, `"many" is not from 0 to 100`},
		{"a length below 0", "Content-Length: -1\r\n", nil, `"-1" is not from 0 to 100`},
		{"too long a message", "Content-Length: 101\r\n", nil, `"101" is not from 0 to 100`},
		{"too long a header", strings.Repeat("x", 5000), nil, "a header of more than 4096 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := rpc.NewConn(strings.NewReader(tt.in), rpc.Options{MaxMessageBytes: max})
			for _, want := range tt.want {
				if got, err := c.Read(); err != nil || string(got) != want {
					t.Fatalf("Read = %q, %v; want %q", got, err, want)
				}
			}
			if got, err := c.Read(); err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Read = %q, %v; want an error with %q", got, err, tt.err)
			}
		})
	}
}

// A length costs nothing until the bytes arrive.
func TestReadBelievesNoLength(t *testing.T) {
	allocated := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			c := rpc.NewConn(strings.NewReader("Content-Length: 200000000\r\n\r\n{}"), rpc.Options{})
			if _, err := c.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
				b.Fatal(err)
			}
		}
	}).AllocedBytesPerOp()
	if allocated > 4<<20 {
		t.Errorf("a message that never comes takes %d bytes", allocated)
	}
}

// pair is two connected ends; there answers "echo" with its parameters, and never
// answers "wait".
type pair struct {
	here, there *rpc.Conn
	heard       chan string // the messages that there got, one line each
	end         func()
}

func newPair(t *testing.T, o rpc.Options) *pair {
	t.Helper()
	fromHere, toThere := io.Pipe()
	fromThere, toHere := io.Pipe()
	p := &pair{rpc.NewConn(fromThere, o), rpc.NewConn(fromHere, o), make(chan string, 100), func() {
		toThere.Close()
		toHere.Close()
	}}
	go p.here.Write(toThere) // ends with the pipe
	go p.there.Write(toHere)
	go p.run(p.here)
	go p.run(p.there)
	t.Cleanup(func() {
		p.end()
		p.here.Close()
		p.there.Close()
	})
	return p
}

func (p *pair) run(c *rpc.Conn) {
	for {
		body, err := c.Read()
		if err != nil {
			c.Close()
			return
		}
		m, err := jsonrpc2.DecodeMessage(body)
		switch m := m.(type) {
		case *jsonrpc2.Response:
			c.Deliver(m)
		case *jsonrpc2.Call:
			switch m.Method() {
			case "echo":
				c.Reply(m.ID(), json.RawMessage(bytes.Clone(m.Params())), nil)
			case "fail":
				c.Reply(m.ID(), nil, jsonrpc2.NewError(4711, "no"))
			case "break":
				c.Reply(m.ID(), nil, errors.New("broken"))
			case "huge":
				c.Reply(m.ID(), strings.Repeat("x", 2000), nil)
			case "odd":
				c.Reply(m.ID(), func() {}, nil)
			default:
				p.heard <- m.Method()
			}
		case *jsonrpc2.Notification:
			p.heard <- m.Method() + " " + string(m.Params())
		default:
			p.heard <- fmt.Sprint(err)
		}
	}
}

func TestACallIsAnswered(t *testing.T) {
	p := newPair(t, rpc.Options{MaxMessageBytes: 1000})
	var got []int
	if err := p.here.Call(t.Context(), "echo", []int{1, 2}, &got); err != nil || len(got) != 2 {
		t.Errorf("echo = %v, %v", got, err)
	}
	if err := p.there.Call(t.Context(), "echo", nil, nil); err != nil {
		t.Errorf("in the other direction: %v", err)
	}
	for method, want := range map[string]struct {
		code jsonrpc2.Code
		text string
	}{
		"fail":  {4711, "no"},
		"break": {jsonrpc2.InternalError, "broken"},
		"huge":  {jsonrpc2.InternalError, "message too large"},
		"odd":   {jsonrpc2.InternalError, "unsupported type"},
	} {
		err := p.here.Call(t.Context(), method, nil, nil)
		if wire, ok := errors.AsType[*jsonrpc2.Error](err); !ok || wire.Code != want.code || !strings.Contains(wire.Message, want.text) {
			t.Errorf("%s: %v, want code %d and %q", method, err, want.code, want.text)
		}
	}
	if err := p.here.Call(t.Context(), "echo", strings.Repeat("x", 2000), nil); !errors.Is(err, rpc.ErrTooLarge) {
		t.Errorf("a large question: %v, want %v", err, rpc.ErrTooLarge)
	}
	if err := p.here.Notify("note", []int{3}); err != nil {
		t.Error(err)
	}
	if got := <-p.heard; got != "note [3]" {
		t.Errorf("the other end heard %q", got)
	}
}

func TestThePeerIsToldOfACancelledCall(t *testing.T) {
	p := newPair(t, rpc.Options{})
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("over")
	done := make(chan error)
	go func() { done <- p.here.Call(ctx, "wait", nil, nil) }()
	if got := <-p.heard; got != "wait" {
		t.Errorf("heard %q", got)
	}
	cancel(over)
	if err := <-done; !errors.Is(err, over) {
		t.Errorf("Call = %v, want %v", err, over)
	}
	if got, want := <-p.heard, `$/cancelRequest {"id":1}`; got != want {
		t.Errorf("heard %q, want %q", got, want)
	}
}

func TestCallsEndWithTheConnection(t *testing.T) {
	p := newPair(t, rpc.Options{})
	done := make(chan error)
	go func() { done <- p.here.Call(t.Context(), "wait", nil, nil) }()
	<-p.heard
	p.end()
	if err := <-done; !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("Call = %v, want %v", err, rpc.ErrClosed)
	}
	if err := p.here.Call(t.Context(), "echo", nil, nil); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("Call on a closed connection = %v, want %v", err, rpc.ErrClosed)
	}
	if err := p.here.Notify("note", nil); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("Notify on a closed connection = %v, want %v", err, rpc.ErrClosed)
	}
}

// written returns what c has queued.
func written(t *testing.T, c *rpc.Conn) string {
	t.Helper()
	c.Close()
	var out bytes.Buffer
	if err := c.Write(&out); err != nil {
		t.Errorf("Write: %v", err)
	}
	return out.String()
}

func TestOnlyTheLatestUpdateWaits(t *testing.T) {
	c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
	for i := range 100 {
		if err := errors.Join(c.Update("a", "a", i), c.Update("b", "b", -i)); err != nil {
			t.Fatal(err)
		}
	}
	want := frame(`{"jsonrpc":"2.0","method":"a","params":99}`) + frame(`{"jsonrpc":"2.0","method":"b","params":-99}`)
	if got := written(t, c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAPeerThatDoesNotReadIsBounded(t *testing.T) {
	big := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	t.Run("chatter is dropped", func(t *testing.T) {
		c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
		for range 1000 {
			c.TryNotify("note", big)
		}
		if got := len(written(t, c)); got > 3<<20 {
			t.Errorf("%d bytes waited", got)
		}
	})
	t.Run("answers wait for room", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
			done := make(chan bool, 100)
			for i := range 100 {
				go func() {
					c.Reply(jsonrpc2.NewNumberID(int64(i)), big, nil)
					done <- true
				}()
			}
			synctest.Wait()
			if n := len(done); n < 60 || n > 70 {
				t.Errorf("%d answers of 1 MB are queued, want 64", n)
			}
			if err := c.Notify("note", nil); err != nil { // a notification does not wait for room
				t.Error(err)
			}
			in, out := io.Pipe()
			ended := make(chan error)
			go func() { ended <- c.Write(out) }()
			go io.Copy(io.Discard, in) // ends with the pipe
			synctest.Wait()
			if len(done) != 100 {
				t.Errorf("%d of 100 answers were written", len(done))
			}
			c.Close()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			out.Close()
		})
	})
	t.Run("reading nothing ends the connection", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			in, out := io.Pipe()
			c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
			ended := make(chan error)
			go func() { ended <- c.Write(out) }()
			var answers sync.WaitGroup
			for i := range 100 {
				answers.Go(func() { c.Reply(jsonrpc2.NewNumberID(int64(i)), big, nil) })
			}
			for range 10 { // slowly, but it reads
				time.Sleep(50 * time.Second)
				if _, err := io.CopyN(io.Discard, in, 1<<21); err != nil {
					t.Fatal(err)
				}
			}
			select {
			case <-c.Done():
				t.Error("a slow reader lost the connection")
			default:
			}
			<-c.Done()
			answers.Wait()
			if err := c.AwaitRoom(t.Context()); !errors.Is(err, rpc.ErrClosed) {
				t.Errorf("AwaitRoom = %v, want %v", err, rpc.ErrClosed)
			}
			in.Close()
			if err := <-ended; err == nil {
				t.Error("Write reports nothing")
			}
		})
	})
	t.Run("a caller waits for room", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
			if err := c.AwaitRoom(t.Context()); err != nil {
				t.Errorf("with nothing queued: %v", err)
			}
			for range 65 {
				if err := c.Notify("note", big); err != nil {
					t.Fatal(err)
				}
			}
			over := errors.New("over")
			ctx, cancel := context.WithCancelCause(t.Context())
			waited := make(chan error)
			go func() { waited <- c.AwaitRoom(ctx) }()
			synctest.Wait()
			cancel(over)
			if err := <-waited; !errors.Is(err, over) {
				t.Errorf("AwaitRoom = %v, want %v", err, over)
			}
			c.Close()
		})
	})
	t.Run("too much ends the connection", func(t *testing.T) {
		c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
		var err error
		n := 0
		for ; err == nil && n < 1000; n++ {
			err = c.Notify("note", big)
		}
		if !errors.Is(err, rpc.ErrClosed) || n < 120 || n > 140 {
			t.Errorf("after %d MB: %v", n, err)
		}
		if err := c.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "128 MB unread") {
			t.Errorf("Write = %v, want the reason", err)
		}
	})
}

func TestWriteEndsWithTheStream(t *testing.T) {
	in, out := io.Pipe()
	in.Close()
	c := rpc.NewConn(strings.NewReader(""), rpc.Options{})
	go c.Notify("note", nil) // Write tells
	if err := c.Write(out); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write = %v", err)
	}
	if err := c.Notify("note", nil); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("Notify = %v", err)
	}
}

func TestConcurrentCallsGetTheirOwnAnswers(t *testing.T) {
	p := newPair(t, rpc.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan error)
	for i := range 50 {
		go func() {
			for j := range 20 {
				var got []int
				if err := p.here.Call(ctx, "echo", []int{i, j}, &got); err != nil || len(got) != 2 || got[0] != i || got[1] != j {
					done <- fmt.Errorf("echo of %d, %d = %v, %w", i, j, got, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range 50 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
