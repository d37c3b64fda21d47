package attach

import (
	"context"
	"encoding/json"
	"errors"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
)

var (
	// ErrOther is wrapped by the errors of [Open], and of every call while another build
	// of ambit owns the index. The user ends that process.
	ErrOther = errors.New("another version of ambit has the index open")

	// errGone means that the backing ended before it answered; the question is asked
	// again.
	errGone = errors.New("the process that owns the index has ended")

	// errPeer is wrapped by what ends the connection of a peer that breaks the protocol.
	errPeer = errors.New("not a message between ambit processes")
)

// sentinels are the errors that keep their identity on the wire. The code of an error
// is firstCode and the index of the first sentinel that it wraps, or of none.
var sentinels = []error{api.ErrDamaged, api.ErrFull, api.ErrUnwritable, context.Canceled, context.DeadlineExceeded, api.ErrQuestion}

const firstCode = 1

// failure is the data of an error on the wire.
type failure struct {
	Text  string          `json:"text"`
	Field *api.FieldError `json:"field,omitempty"` // that the error wraps
}

// wireError returns an error as it is sent.
func wireError(err error) *jsonrpc2.Error {
	f := failure{Text: err.Error()}
	f.Field, _ = errors.AsType[*api.FieldError](err)
	data, _ := encode(f) // text always encodes
	code := 0
	for code < len(sentinels) && !errors.Is(err, sentinels[code]) {
		code++
	}
	return &jsonrpc2.Error{Code: jsonrpc2.Code(firstCode + code), Message: f.Text, Data: jsonrpc2.RawMessage(data)}
}

// remoteError is an error of the owner's: the same text, and the same to errors.Is and
// errors.As.
type remoteError struct {
	text  string
	wraps error
}

func (e *remoteError) Error() string { return e.text }

func (e *remoteError) Unwrap() error { return e.wraps }

// readError returns an error as it was sent.
func readError(e *jsonrpc2.Error) error {
	var f failure
	if decode(json.RawMessage(e.Data), &f) != nil {
		return &remoteError{text: e.Message}
	}
	err := &remoteError{text: f.Text}
	if i := int(e.Code) - firstCode; f.Field != nil {
		err.wraps = f.Field
	} else if i >= 0 && i < len(sentinels) {
		err.wraps = sentinels[i]
	}
	return err
}
