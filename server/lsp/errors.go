package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/assemble"
)

var (
	// ErrAbrupt is returned by [Serve] when the session ended without shutdown and
	// exit: the process exits with 1, as the protocol asks, and has nothing to say.
	ErrAbrupt = errors.New("the client went without shutdown")

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

// readParams reads the parameters of a request. What is not of its type is the
// InvalidParams error of a field.
func readParams(raw json.RawMessage, into any) error {
	err := json.Unmarshal(raw, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return invalid(wireName(wrong.Field), "it must not be a %s", wrong.Value)
	case err != nil:
		return invalid("params", "use an object")
	}
	return nil
}

// wireName returns the path of a field as the protocol spells it, "textDocument.uri".
func wireName(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		if p == strings.ToUpper(p) {
			parts[i] = strings.ToLower(p)
		} else if p != "" {
			parts[i] = strings.ToLower(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, ".")
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
