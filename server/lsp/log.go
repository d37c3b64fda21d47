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

// traceLevel is how much the server logs to the client.
type traceLevel int32

const (
	traceOff      traceLevel = iota // warnings and errors
	traceMessages                   // also the steps of ambit, and each request with its time
	traceVerbose                    // also the details
)

// setTrace changes the trace level.
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
	case protocol.TraceValueMessages, "compact": // the name in vscode-languageclient
		level = traceMessages
	case protocol.TraceValueVerbose:
		level = traceVerbose
	}
	s.trace.Store(int32(level))
}

// traceRequest logs how long a request took.
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

// logHandler sends records to the client, by its trace level.
type logHandler struct {
	s     *server
	attrs string // of With, each after a blank
	group string // the prefix of names
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(_ context.Context, level slog.Level) bool {
	least := [...]slog.Level{traceOff: slog.LevelWarn, traceMessages: slog.LevelInfo, traceVerbose: slog.LevelDebug}
	return level >= least[h.s.trace.Load()]
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message + h.attrs
	r.Attrs(func(a slog.Attr) bool {
		text += h.format(a)
		return true
	})
	h.s.conn.TryNotify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: messageType(r.Level), Message: text})
	return nil
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var text strings.Builder
	for _, a := range attrs {
		text.WriteString(h.format(a))
	}
	return &logHandler{h.s, h.attrs + text.String(), h.group}
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return &logHandler{h.s, h.attrs, h.group + name + "."}
}

// format returns " name=value".
func (h *logHandler) format(a slog.Attr) string {
	return fmt.Sprintf(" %s%s=%v", h.group, a.Key, a.Value.Resolve())
}

// messageType returns the protocol's name of a level.
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
