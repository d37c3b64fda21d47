package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"ambit/server/lsp"
	"ambit/server/lsp/lsptest"
)

// frame returns a message as it goes over the wire.
func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestAClientThatDoesNotReadDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		unread, out := io.Pipe()
		opener := &Opener{}
		ended := make(chan error, 1)
		go func() { ended <- lsp.Serve(context.Background(), in, out, opener, lsp.Options{}) }()
		send := func(body string) {
			if _, err := io.WriteString(client, frame(body)); err != nil {
				t.Errorf("write: %v", err)
			}
		}
		send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":"file:///w","capabilities":{}}}`)
		send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
		send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///w/a.go","languageId":"go","version":1,"text":""}}}`)
		w := opener.Opened(1)
		for i := range 3000 { // more than the outbox holds
			send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"ambit.search","arguments":[{"query":"x"}]}}`, i+1))
			send(`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"verbose"}}`)
			send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///w/a.go","version":%d},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"y"}]}}`, i))
		}
		synctest.Wait()
		if got, _ := w.Document("a.go"); got != strings.Repeat("y", 3000) {
			t.Errorf("%d of 3000 edits were made", len(got))
		}
		client.Close()
		if err := <-ended; !errors.Is(err, lsp.ErrAbrupt) {
			t.Errorf("Serve = %v", err)
		}
		unread.Close()
	})
}

// While the answers of a client wait to be read, no further ones are made: what waits is
// bounded, whatever the client asks.
func TestUnreadAnswersStopTheMakingOfFurtherOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		unread, out := io.Pipe()
		var made atomic.Int32
		opener := &Opener{Hold: func(context.Context, string) error { made.Add(1); return nil }}
		ended := make(chan error, 1)
		go func() { ended <- lsp.Serve(context.Background(), in, out, opener, lsp.Options{}) }()
		asking := make(chan struct{})
		go func() {
			defer close(asking)
			send := func(body string) { _, _ = io.WriteString(client, frame(body)) } // until the session ends
			send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"processId":null,"rootUri":"file:///w","capabilities":{}}}`)
			send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
			send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///w/a.go","languageId":"go","version":1,"text":"x` + strings.Repeat(" ", 1<<20) + `"}}}`)
			for i := range 1500 {
				send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"ambit.context","arguments":[{"textDocument":{"uri":"file:///w/a.go"},"position":{"line":0,"character":0}}]}}`, i+1))
			}
		}()
		if err := <-ended; !errors.Is(err, lsp.ErrAbrupt) { // after a minute
			t.Errorf("Serve = %v", err)
		}
		in.Close()
		unread.Close()
		<-asking
		if n := made.Load(); n < 64 || n > 64+1+8 { // what fits, what exceeds it, and a place each
			t.Errorf("%d answers of 1 MB were made that nobody reads", n)
		}
	})
}

func TestAClientThatStopsReadingEndsTheSession(t *testing.T) {
	in, client := io.Pipe()
	deaf, out := io.Pipe()
	deaf.Close()
	ended := make(chan error, 1)
	go func() { ended <- lsp.Serve(context.Background(), in, out, &Opener{}, lsp.Options{}) }()
	if _, err := io.WriteString(client, frame(`{"jsonrpc":"2.0","id":0,"method":"shutdown"}`)); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, lsp.ErrAbrupt) {
		t.Errorf("Serve = %v", err)
	}
	in.Close()
}

// BenchmarkEditAndSearch measures the protocol's part of an edit and a search that sees
// it, in a document of 1,000 lines. The workspace is a fake.
func BenchmarkEditAndSearch(b *testing.B) {
	e, _ := begin(b, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", strings.Repeat("func aFunctionOfSomeLength(argument int) int\n", 1000))
	version := 1
	b.ReportAllocs()
	for b.Loop() {
		version++
		e.Change(uriA, version, lsptest.Edit(900, 3, 900, 4, "x"))
		if err := e.Command("ambit.search", lsptest.Object{"query": "nowhere"}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHover measures the protocol's part of a hover.
func BenchmarkHover(b *testing.B) {
	e, _ := begin(b, &Opener{}, lsptest.Client{})
	e.Open(uriA, "go", strings.Repeat("func aFunctionOfSomeLength(argument int) int\n", 1000))
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Call("textDocument/hover", lsptest.At(uriA, 900, 8), nil); err != nil {
			b.Fatal(err)
		}
	}
}
