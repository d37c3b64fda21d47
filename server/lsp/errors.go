package lsp

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/api"
)

var (
	// ErrAbrupt is returned by [Serve] when the session ended without shutdown and
	// exit: the process exits with 1, as the protocol asks, and prints nothing.
	ErrAbrupt = errors.New("the session ended without shutdown")

	// errPanic is the error of a call that panicked.
	errPanic = errors.New("ambit panicked; the server's log has the stack")
)

// The codes of errors that the library declares as another type.
const (
	codeRequestFailed   = jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed)
	codeServerCancelled = jsonrpc2.Code(protocol.LSPErrorCodesServerCancelled)
)

// readParams reads the parameters of a request. The error names the field that has a
// value of a wrong type.
func readParams(raw json.RawMessage, into any) error {
	err := json.Unmarshal(raw, into)
	var field *api.FieldError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &field):
		return field
	case errors.As(err, &wrong) && wrong.Field != "":
		return &api.FieldError{Field: wrong.Field, Reason: "do not use a " + wrong.Value}
	case err != nil:
		return &api.FieldError{Field: "params", Reason: "use an object"}
	}
	return nil
}

// failed returns the RequestFailed error of a valid request that cannot be answered.
// The client shows the text, which names the next step.
func failed(format string, args ...any) error {
	return jsonrpc2.Errorf(codeRequestFailed, format, args...)
}

// wireError returns err with the code that the client gets.
func wireError(err error) *jsonrpc2.Error {
	var wire *jsonrpc2.Error
	var field *api.FieldError
	switch {
	case errors.As(err, &wire):
		return wire
	case errors.As(err, &field):
		return jsonrpc2.NewError(jsonrpc2.InvalidParams, field.Error())
	case errors.Is(err, context.Canceled):
		return protocol.ErrRequestCancelled
	}
	return jsonrpc2.NewError(codeRequestFailed, err.Error())
}
