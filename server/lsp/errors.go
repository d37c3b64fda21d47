package lsp

import (
	"context"
	"errors"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/assemble"
)

var (
	// ErrAbrupt is returned by [Serve] when the session ended without shutdown and
	// exit: the process exits with 1, as the protocol asks, and has nothing to say.
	ErrAbrupt = errors.New("the client went without shutdown")

	// errClosed is the error of a call to the client after the connection has ended.
	errClosed = errors.New("connection closed")

	// errPanic is the error of what came to a panic.
	errPanic = errors.New("ambit came to a panic; the server's log has the stack")
)

// The codes of errors that the library knows as a type of another kind.
const (
	codeRequestFailed   = jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)
	codeServerCancelled = jsonrpc2.Code(protocol.LSPErrorCodesServerCancelled)
)

// invalid returns the InvalidParams error of a field.
func invalid(field, format string, args ...any) error {
	return jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%s: %s", field, fmt.Sprintf(format, args...))
}

// failed returns the RequestFailed error of a request that was right but cannot be
// answered. The text is shown to the user and names the next step.
func failed(format string, args ...any) error {
	return jsonrpc2.Errorf(codeRequestFailed, format, args...)
}

// wireError returns err as the client gets it: with a code.
func wireError(err error) *jsonrpc2.Error {
	var wire *jsonrpc2.Error
	switch {
	case errors.As(err, &wire):
		return wire
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	case errors.Is(err, assemble.ErrBudget):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, "budget: "+err.Error())
	}
	return jsonrpc2.NewError(codeRequestFailed, err.Error())
}
