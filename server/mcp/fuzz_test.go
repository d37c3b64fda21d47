package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"ambit/server/api"
	"ambit/server/mcp"
)

// nowhere is an opener without workspaces: a call gets as far as its arguments.
type nowhere struct{}

var errNowhere = errors.New("no workspace here")

func (nowhere) Root() (string, error)                               { return "/nowhere", nil }
func (nowhere) Resolve(string) (string, error)                      { return "", errNowhere }
func (nowhere) Open(context.Context, string) (api.Workspace, error) { return nil, errNowhere }

// output collects what a server writes. A call may still be answered when Serve returns.
type output struct {
	mu   sync.Mutex // guards text
	text []byte
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	return len(b), nil
}

func (o *output) written() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	return bytes.Clone(o.text)
}

func (*output) Close() error { return nil }

// FuzzServe sends a server any bytes. It ends with its input, and whatever it writes is
// lines of JSON.
func FuzzServe(f *testing.F) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}}`
	calling := func(arguments string) string {
		return initialize + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"context","arguments":` + arguments + "}}\n"
	}
	for _, seed := range []string{
		"", "\n", "{", "null\n", "[]\n", "[" + initialize + "]\n", `{"jsonrpc":"1.0"}` + "\n", initialize, "\xff\xfe\x00\n",
		`{"jsonrpc":"2.0","id":{},"method":7}` + "\n",
		initialize + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n",
		initialize + "\n" + `{"jsonrpc":"2.0","id":2,"method":"nosuch"}` + "\n",
		calling(`{}`), calling(`[]`), calling(`"text"`), calling(`null`),
		calling(`{"symbol":7,"line":"x"}`), calling(`{"symbol":"a","line":-9223372036854775808,"budget":1e300}`),
		calling(`{"query":"` + strings.Repeat("x", 1<<16) + `"}`),
		calling(strings.Repeat(`{"query":`, 2000) + "1" + strings.Repeat("}", 2000)),
		calling(`{"query":"\ud800\u0000","workspace":"../../etc"}`),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		s := mcp.New(mcp.Options{Version: "1", Opener: nowhere{}})
		defer s.Close()
		var out output
		_ = s.Serve(t.Context(), io.NopCloser(bytes.NewReader(input)), &out) // input that is no message ends it
		for line := range bytes.Lines(out.written()) {
			if !json.Valid(line) {
				t.Fatalf("wrote %q", line)
			}
		}
	})
}
