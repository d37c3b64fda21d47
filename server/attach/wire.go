package attach

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
// notifications in notifications. These are the other methods.
const (
	methodHello    = "hello"    // call with a hello of each side
	methodPing     = "ping"     // call that asks whether the owner is alive
	methodProgress = "progress" // notification of the owner: a progress
)

// hello is what each side says of itself. Both go on only if the builds are equal: then
// they have the same types and give the same answers.
type hello struct {
	Build    string            `json:"build"`
	PID      int               `json:"pid"`
	Settings map[string]string `json:"settings,omitempty"`
}

// progress is how far a call is; the latest counts.
type progress struct {
	ID    int64           `json:"id"` // of the call
	Value json.RawMessage `json:"value"`
}

// none is no parameters or no result.
type none struct{}

// options are those of both ends of a connection.
var options = rpc.Options{MaxMessageBytes: maxMessageBytes, Marshal: encode, Error: wireError}

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

// Text on the wire need not be UTF-8, unlike JSON: a byte b that is not part of a
// character becomes the character escapeBase+b, which Unicode reserves for private use,
// and so does each byte of such a character.
const escapeBase = 0x10ff00

// escaped reports whether JSON holds a character from escapeBase+0x80 to
// escapeBase+0xff.
func escaped(data []byte) bool {
	return bytes.Contains(data, []byte("\xf4\x8f\xbe")) || bytes.Contains(data, []byte("\xf4\x8f\xbf"))
}

// encode returns a value of package api as JSON that decode reads without loss.
func encode(v any) ([]byte, error) {
	data, err := marshal(v)
	if err == nil && (escaped(data) || bytes.Contains(data, []byte(`\ufffd`))) { // some text may not be UTF-8
		return marshal(mapText(reflect.ValueOf(v), escape).Interface())
	}
	return data, err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// decode reads what encode returned into a value, a pointer.
func decode(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil && escaped(data) {
		to := reflect.ValueOf(v).Elem()
		to.Set(mapText(to, unescape))
	}
	return err
}

// escape returns text as UTF-8.
func escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r >= escapeBase || r == utf8.RuneError && size == 1 {
			for _, c := range []byte(text[i : i+size]) {
				b.WriteRune(escapeBase + rune(c))
			}
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unescape undoes escape.
func unescape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= escapeBase {
			b.WriteByte(byte(r - escapeBase))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mapText returns a copy of a value with f of every text in it.
func mapText(v reflect.Value, f func(string) string) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.String:
		to.SetString(f(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(mapText(v.Elem(), f))
		}
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 { // bytes are JSON already
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				to.Index(i).Set(mapText(v.Index(i), f))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			to.Set(reflect.MakeMap(v.Type()))
			for key, value := range v.Seq2() {
				to.SetMapIndex(mapText(key, f), mapText(value, f))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				to.Field(i).Set(mapText(v.Field(i), f))
			}
		}
	}
	return to
}
