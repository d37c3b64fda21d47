package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"go.lsp.dev/protocol"
)

// traceLevel is how much the client wants to be told.
type traceLevel int32

const (
	traceOff      traceLevel = iota // warnings and errors
	traceMessages                   // also what ambit does, and each request with its time
	traceVerbose                    // also the details
)

// setTrace changes what the client is told.
func (s *server) setTrace(params json.RawMessage) error {
	var p struct{ Value string }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.setTraceLevel(p.Value)
	return nil
}

// setTraceLevel takes the name of a level; an unknown one is off.
func (s *server) setTraceLevel(name string) {
	level := traceOff
	switch protocol.TraceValue(name) {
	case protocol.TraceValueMessages, "compact": // what vscode-languageclient calls it
		level = traceMessages
	case protocol.TraceValueVerbose:
		level = traceVerbose
	}
	s.trace.Store(int32(level))
}

// traceRequest tells how long a request took.
func (s *server) traceRequest(r *request, took time.Duration, err error) {
	level := traceLevel(s.trace.Load())
	if level == traceOff {
		return
	}
	outcome := "answered"
	if err != nil {
		outcome = "refused"
	}
	p := &protocol.LogTraceParams{Message: fmt.Sprintf("%s %s in %.1f ms", r.method, outcome, float64(took.Microseconds())/1000)}
	if level == traceVerbose {
		detail := fmt.Sprintf("id %v, %d bytes of parameters", r.id, len(r.params))
		if err != nil {
			detail += ": " + err.Error()
		}
		p.Verbose = &detail
	}
	s.conn.TryNotify(protocol.MethodLogTrace, p)
}

// logHandler sends records to the client, by the level of trace, and to next.
type logHandler struct {
	s     *server
	next  slog.Handler
	attrs string // of With, each with a blank before it
	group string // the prefix of names
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.told(level) || h.next.Enabled(ctx, level)
}

// told reports whether the client wants to be told a record of a level.
func (h *logHandler) told(level slog.Level) bool {
	switch traceLevel(h.s.trace.Load()) {
	case traceVerbose:
		return level >= slog.LevelDebug
	case traceMessages:
		return level >= slog.LevelInfo
	}
	return level >= slog.LevelWarn
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(ctx context.Context, r slog.Record) error {
	if h.told(r.Level) {
		text := &strings.Builder{}
		text.WriteString(r.Message + h.attrs)
		r.Attrs(func(a slog.Attr) bool {
			spell(text, h.group, a)
			return true
		})
		h.s.conn.TryNotify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: messageType(r.Level), Message: text.String()})
	}
	if h.next.Enabled(ctx, r.Level) {
		return h.next.Handle(ctx, r)
	}
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	text := &strings.Builder{}
	text.WriteString(h.attrs)
	for _, a := range attrs {
		spell(text, h.group, a)
	}
	return &logHandler{h.s, h.next.WithAttrs(attrs), text.String(), h.group}
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.s, h.next.WithGroup(name), h.attrs, h.group + name + "."}
}

// spell writes " name=value".
func spell(text *strings.Builder, group string, a slog.Attr) {
	fmt.Fprintf(text, " %s%s=%v", group, a.Key, a.Value.Resolve())
}

// messageType returns what the protocol calls a level.
func messageType(level slog.Level) protocol.MessageType {
	switch {
	case level >= slog.LevelError:
		return protocol.MessageTypeError
	case level >= slog.LevelWarn:
		return protocol.MessageTypeWarning
	case level >= slog.LevelInfo:
		return protocol.MessageTypeInfo
	}
	return protocol.MessageTypeLog
}
