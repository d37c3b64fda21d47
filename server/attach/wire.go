package attach

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"ambit/server/config"
	"ambit/server/session"
)

// Bounds of a connection.
const (
	maxFrame = 64 << 20 // bytes: far above the largest answer, and a document that is open
	maxHello = 64 << 10 // bytes of the first frame, from somebody nobody knows yet
	maxQueue = 96 << 20 // bytes that wait for a peer that does not read, before it is let go

	// writeTimeout is how long a peer may take to read a frame, before it is let go: it
	// attaches again when it wakes up.
	writeTimeout = 30 * time.Second

	// helloTimeout is how long the other side may take to say who it is. It does so
	// before it does anything else.
	helloTimeout = 5 * time.Second

	// silence is how long an attached process waits in silence before it asks whether
	// the owner is alive, and then for the answer: a process that a shell has stopped
	// keeps its lock and its socket.
	silence = 5 * time.Second
)

// A connection begins with a hello of each side, the attaching one first. Each is a
// frame with JSON, which builds to come will understand too. After that a frame holds
// a message. A frame is its length, 4 bytes, big-endian, and so many bytes.

// hello is what each side says of itself. Both go on only if Protocol and Build agree:
// two builds that answer differently must not answer for one another.
type hello struct {
	Protocol string `json:"protocol"` // see protocol
	Build    string `json:"build"`
	PID      int    `json:"pid"`
	Since    int64  `json:"since,omitempty"` // of an owner: when it came to own the index, nanoseconds since the Unix epoch
	Shape    shape  `json:"shape"`
}

// shape is the settings that decide what an index holds.
type shape struct {
	ContextMode   string   `json:"contextMode"`
	ASTChunking   bool     `json:"astChunking"`
	MaxTokens     int      `json:"maxTokens"`
	OverlapTokens int      `json:"overlapTokens"`
	MaxFileBytes  int      `json:"maxFileBytes"`
	Include       []string `json:"include"`
	Exclude       []string `json:"exclude"`
}

func shapeOf(set *config.Settings) shape {
	s := config.Defaults()
	if set != nil {
		s = *set
	}
	return shape{s.ContextMode, s.ASTChunking, s.MaxTokens, s.OverlapTokens, s.MaxFileBytes,
		append([]string{}, s.Include...), append([]string{}, s.Exclude...)}
}

// differences names the settings that differ.
func (s shape) differences(t shape) []string {
	var names []string
	x, y := reflect.ValueOf(s), reflect.ValueOf(t)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			names = append(names, x.Type().Field(i).Tag.Get("json"))
		}
	}
	return names
}

// protocol names what can be asked and how it is spelled.
func protocol() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		in, errIn := spelling(methods[name].in)
		out, errOut := spelling(methods[name].out)
		fmt.Fprintln(&b, name, in, out, errIn, errOut)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return "ambit " + hex.EncodeToString(sum[:8])
}

// The kinds of messages.
const (
	kindCall   = iota // asks for Method with Body; answered by one reply
	kindTell          // as a call that is not answered
	kindCancel        // ends the call ID early; its reply still comes
	kindUpdate        // how far the call ID is, in Body
	kindReply         // the answer of the call ID, in Body
	kindError         // why the call ID has no answer, a failure in Body
	kindPing          // asks whether the owner is alive
	kindPong          // it is; also sent while who attached waits for the session
)

// message is what a frame holds.
type message struct {
	Kind   uint8
	ID     uint64
	Method string
	Body   []byte
}

// document is a [session.Buffer] on the wire.
type document struct {
	Path, Language string
	Text           []byte
}

func documentOf(b *session.Buffer) document { return document{b.Path(), b.Language(), b.Text()} }

func (d document) buffer() *session.Buffer { return session.NewBuffer(d.Path, d.Language, d.Text) }

// text says what the text of a [session.Place] is, the buffer of which does not cross:
// the document that the asking side has open under the path of the place, one of its
// own, or the file on disk.
type text struct {
	Open bool
	Own  *document
}

// place is a [session.Place] on the wire.
type place struct {
	Place session.Place
	Text  text
}

// question is a [session.Question] on the wire.
type question struct {
	Question session.Question
	Text     text   // of Question.At
	Style    string // of Question.Cost, which does not cross
}

// writeFrame writes one frame.
func writeFrame(w io.Writer, data []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(data)), uint32(len(data))), data...))
	return err
}

// readFrame reads one frame of at most so many bytes. It takes no more memory than
// has arrived.
func readFrame(r *bufio.Reader, most int) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n > int64(most) {
		return nil, fmt.Errorf("%w: a frame of %d bytes", errEncoding, n)
	}
	var data bytes.Buffer
	if _, err := io.CopyN(&data, r, n); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}

// readMessage reads one message.
func readMessage(r *bufio.Reader) (message, error) {
	data, err := readFrame(r, maxFrame)
	if err != nil {
		return message{}, err
	}
	return unmarshal[message](data)
}

func writeHello(conn net.Conn, h hello) error {
	data, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return writeFrame(conn, data)
}

func readHello(r *bufio.Reader) (h hello, err error) {
	data, err := readFrame(r, maxHello)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}

// outbox is what waits to be written to a connection. put never waits.
type outbox struct {
	conn net.Conn
	wake chan struct{} // holds a value when something waits

	mu     sync.Mutex // guards all fields below
	frames [][]byte
	bytes  int
}

func newOutbox(conn net.Conn) *outbox { return &outbox{conn: conn, wake: make(chan struct{}, 1)} }

// put queues a message. A peer that leaves too much unread is let go; a message that
// is too large is an error and is not queued.
func (o *outbox) put(m message) error {
	data := marshal(m)
	if len(data) > maxFrame {
		return fmt.Errorf("%d MB are more than one ambit process hands to another; ask for less", len(data)>>20)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.bytes += len(data); o.bytes > maxQueue {
		o.conn.Close()
		return nil
	}
	o.frames = append(o.frames, data)
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return nil
}

// write writes what is queued until the connection breaks, which it sees to, or done
// is closed.
func (o *outbox) write(done <-chan struct{}) {
	defer o.conn.Close()
	for {
		select {
		case <-o.wake:
		case <-done:
			return
		}
		o.mu.Lock()
		frames := o.frames
		o.frames, o.bytes = nil, 0
		o.mu.Unlock()
		for _, data := range frames {
			if err := o.conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
				return
			}
			if err := writeFrame(o.conn, data); err != nil {
				return
			}
		}
	}
}
