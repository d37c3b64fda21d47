package attach

import (
	"context"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
	"ambit/server/rpc"
)

var (
	// ErrOther is wrapped by the errors of [Open], and of every call while another build
	// of ambit owns the index. The user ends that process.
	ErrOther = errors.New("another version of ambit has the index open")

	// errGone means that the backing ended before it answered; the question is asked
	// again.
	errGone = errors.New("the process that owns the index has ended")

	// errPeer is wrapped by the error of a peer that breaks the protocol; its connection
	// ends.
	errPeer = errors.New("not a message between ambit processes")
)

// sentinels are the errors that keep their identity on the wire. The code of an error
// is firstCode and the index of the first sentinel that it wraps, or of none.
var sentinels = []error{api.ErrDamaged, api.ErrFull, api.ErrUnwritable, context.Canceled, context.DeadlineExceeded, api.ErrOutside, api.ErrQuestion}

const firstCode = 1

// wireError returns an error as it is sent: with a *[api.FieldError] that it wraps.
func wireError(err error) *jsonrpc2.Error {
	code := 0
	for code < len(sentinels) && !errors.Is(err, sentinels[code]) {
		code++
	}
	e := &jsonrpc2.Error{Code: jsonrpc2.Code(firstCode + code), Message: rpc.Escape(err.Error())}
	if field, ok := errors.AsType[*api.FieldError](err); ok {
		data, _ := rpc.Marshal(field) // text always encodes
		e.Data = jsonrpc2.RawMessage(data)
	}
	return e
}

// readError returns an error as it was sent: the same text, and the same to errors.Is and
// errors.As.
func readError(e *jsonrpc2.Error) error {
	err := errors.New(rpc.Unescape(e.Message))
	var field api.FieldError
	if i := int(e.Code) - firstCode; len(e.Data) > 0 && rpc.Unmarshal(e.Data, &field) == nil {
		return api.WithKind(err, &field)
	} else if i >= 0 && i < len(sentinels) {
		return api.WithKind(err, sentinels[i])
	}
	return err
}
