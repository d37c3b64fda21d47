package attach

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"ambit/server/api"
	"ambit/server/rpc"
)

// Bounds of a connection.
const (
	maxMessageBytes = 64 << 20 // far above the largest answer, and a document that is open

	// writeTimeout is how long a peer may take to read a message before the connection
	// ends; it attaches again when it wakes up.
	writeTimeout = 30 * time.Second

	// helloTimeout is how long a side may take to say hello, which it does first.
	helloTimeout = 5 * time.Second

	// silence is how long an attached process waits without a message before it asks
	// whether the owner is alive, and then for the reply: a process that a shell has
	// stopped keeps its lock and its socket.
	silence = 5 * time.Second
)

// The attached process calls hello first, then the methods in handlers, and sends the
// notifications in notifications. Reports, cancellations and these are the others.
const (
	methodHello = "hello" // call with a hello of each side
	methodPing  = "ping"  // call that asks whether the owner is alive
)

// hello describes one side. Both go on only if the builds are equal: then they have the
// same types and give the same answers.
type hello struct {
	Build    string            `json:"build"`
	PID      int               `json:"pid"`
	Settings map[string]string `json:"settings,omitempty"`
}

// none is no parameters or no result.
type none struct{}

// options are those of both ends of a connection.
var options = rpc.Options{MaxMessageBytes: maxMessageBytes, Marshal: rpc.Marshal, Unmarshal: rpc.Unmarshal, Error: wireError}

// textDocument returns the document that a question, a pointer, is about, for the
// caller to change; nil when it is about none.
//
// On the wire a question without the text of its document counts in the version that
// the owner was sent last, or in the file on disk.
func textDocument(question any) *api.TextDocument {
	var d **api.TextDocument
	switch q := question.(type) {
	case *api.Question:
		d = &q.TextDocument
	case *api.ExplainQuestion:
		d = &q.TextDocument
	case *api.RelatedQuestion:
		return &q.TextDocument
	case *api.HoverQuestion:
		return &q.TextDocument
	case *api.ChunksQuestion:
		return &q.TextDocument
	}
	if d == nil || *d == nil {
		return nil
	}
	own := **d
	*d = &own
	return &own
}

// differences returns a line about the settings that the owner has differently, or "".
func (c *Client) differences(owner hello) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(c.opts.Settings)), func(name string) bool {
		return c.opts.Settings[name] == owner.Settings[name]
	})
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("process %d keeps the index of %s with other settings (%s), which hold until it ends", owner.PID, c.root, strings.Join(names, ", "))
}

// timedWriter writes to a connection whose peer must read each message in time.
type timedWriter struct{ net.Conn }

func (w timedWriter) Write(data []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return w.Conn.Write(data)
}
