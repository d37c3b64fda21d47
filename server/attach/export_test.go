package attach

import (
	"bytes"
	"net"
	"reflect"
	"testing"
	"time"
)

// Relapses returns the waits between n indexes that are damaged one after the other,
// and after an hour in peace once more.
func Relapses(n int) (waits []time.Duration) {
	var r relapses
	for range n {
		waits = append(waits, r.damaged(time.Second))
	}
	return append(waits, r.damaged(time.Hour))
}

// Protocol is protocol.
func Protocol() string { return protocol() }

// Methods are the names of what can be asked, with the types of question and answer.
func Methods() map[string][2]reflect.Type {
	all := map[string][2]reflect.Type{}
	for name, m := range methods {
		all[name] = [2]reflect.Type{m.in, m.out}
	}
	return all
}

// Spelling is spelling.
func Spelling(t reflect.Type) (string, error) { return spelling(t) }

// Marshal is marshal.
func Marshal(v any) []byte { return marshal(v) }

// Unmarshal is unmarshal.
func Unmarshal[T any](data []byte) (T, error) { return unmarshal[T](data) }

// Place and Text are place and text.
type (
	Place = place
	Text  = text
)

// RoundTrip returns what comes out of the wire for v.
func RoundTrip(v reflect.Value) (reflect.Value, error) {
	out := reflect.New(v.Type()).Elem()
	d := decoder{encode(nil, v)}
	err := d.decode(out)
	if err == nil && len(d.data) > 0 {
		err = errEncoding
	}
	return out, err
}

// Decode fills a new value of a type from data.
func Decode(t reflect.Type, data []byte) (reflect.Value, error) {
	out := reflect.New(t).Elem()
	err := (&decoder{data}).decode(out)
	return out, err
}

// Frame is a message as a frame.
func Frame(kind uint8, id uint64, method string, body []byte) []byte {
	var b bytes.Buffer
	writeFrame(&b, marshal(message{kind, id, method, body}))
	return b.Bytes()
}

// Calls returns how many calls of attached clients the owner c works on.
func Calls(c *Client) int {
	l, ok := c.now.backend.(*local)
	if !ok {
		return -1
	}
	l.owner.mu.Lock()
	defer l.owner.mu.Unlock()
	n := 0
	for p := range l.owner.peers {
		p.mu.Lock()
		n += len(p.calls)
		p.mu.Unlock()
	}
	return n
}

// Bounds and names of the package.
const (
	MaxSocketPath = maxSocketPath
	LockName      = lockName
	SocketName    = socketName
	MaxPeers      = maxPeers
)

// Pulse is the pulse of a connection over which owner has said something heard times.
type Pulse struct {
	r *remote
	p *pulse
}

// NewPulse returns the pulse of a call over conn.
func NewPulse(conn net.Conn) Pulse {
	r := &remote{out: newOutbox(conn)}
	return Pulse{r, r.pulse("Search")}
}

// Hear notes that the owner has sent something.
func (p Pulse) Hear() { p.r.heard.Add(1) }

// Beat is what is done after a while.
func (p Pulse) Beat() error { return p.p.beat() }

// Stop ends it.
func (p Pulse) Stop() { p.p.stop() }

// Lock holds the index in dir, as its owner does, until the test ends.
func Lock(t testing.TB, dir string) {
	t.Helper()
	lock, err := files{dir}.take()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
}
