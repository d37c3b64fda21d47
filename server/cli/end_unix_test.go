//go:build unix

package cli_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// endDeadline is above the 2 s in which a server ends, as the machine may be busy, and
// below the 10 s in which a server gives work under way up in order.
const endDeadline = 8 * time.Second

// hanging is a server of which some part hangs.
type hanging struct {
	t      *testing.T
	server *exec.Cmd
	in     io.WriteCloser
	parent *exec.Cmd // the client, as the server knows it
}

// launch starts a server and says that the client is a process of its own.
func launch(t *testing.T, command, uri string) *hanging {
	h := start(t, exec.Command(command, "lsp"))
	h.parent = exec.Command("cat")
	parentIn, err := h.parent.StdinPipe()
	must(t, err)
	must(t, h.parent.Start())
	t.Cleanup(func() { parentIn.Close() })
	h.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":` + strconv.Itoa(h.parent.Process.Pid) +
		`,"workspaceFolders":[{"uri":"` + uri + `","name":"w"}],"capabilities":{}}}`)
	h.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return h
}

// start starts a server whose output nobody reads.
func start(t *testing.T, server *exec.Cmd) *hanging {
	h := &hanging{t: t, server: server}
	var err error
	h.in, err = server.StdinPipe()
	must(t, err)
	_, err = server.StdoutPipe()
	must(t, err)
	must(t, server.Start())
	t.Cleanup(func() { _ = server.Process.Kill() })
	return h
}

// line sends a message of an agent. It is lost when the server reads no more.
func (h *hanging) line(body string) { _, _ = io.WriteString(h.in, body+"\n") }

// send sends a message.
func (h *hanging) send(body string) {
	if _, err := io.WriteString(h.in, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body); err != nil {
		h.t.Error(err)
	}
}

// awaitOwner waits until a server owns the index.
func (d *desk) awaitOwner(h *hanging) {
	for pid := 0; pid != h.server.Process.Pid; pid, _ = d.owner() {
	}
}

// endings are the ways in which a client leaves.
var endings = map[string]func(h *hanging){
	"the input ends": func(h *hanging) { h.in.Close() },
	"its process ends": func(h *hanging) {
		must(h.t, h.parent.Process.Kill())
		_ = h.parent.Wait() // reports the kill
	},
	"a signal": func(h *hanging) { must(h.t, h.server.Process.Signal(syscall.SIGTERM)) },
}

func TestAServerEndsWhenItsClientIsGone(t *testing.T) {
	for name, hang := range map[string]func(t *testing.T) *hanging{
		"an owner of the index that is stopped": func(t *testing.T) *hanging {
			d := newDesk(t, shop)
			d.ambit("index")
			owner := launch(t, "ambit", d.uri)
			d.awaitOwner(owner)
			must(t, owner.server.Process.Signal(syscall.SIGSTOP)) // the end of the test kills it
			h := launch(t, "ambit", d.uri)
			h.send(`{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"command":"ambit.search","arguments":[{"query":"price"}]}}`)
			return h
		},
		"output that nobody reads": func(t *testing.T) *hanging {
			h := launch(t, "ambit", newDesk(t, shop).uri)
			for range 60 { // in all more than waits to be written, so that the server stops reading
				h.send(`{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", 1<<20) + `"}`)
			}
			go func() {
				body := `{"jsonrpc":"2.0","id":2,"method":"` + strings.Repeat("x", 16<<20) + `"}`
				_, _ = io.WriteString(h.in, "Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"+body) // until it is closed
			}()
			return h
		},
		"a loop without end": func(t *testing.T) *hanging {
			t.Setenv("GOMAXPROCS", "1")
			return launch(t, "ambit-in-a-loop", newDesk(t, shop).uri)
		},
		"an index that is damaged in use": func(t *testing.T) *hanging {
			d := newDesk(t, shop)
			d.ambit("index")
			h := launch(t, "ambit", d.uri)
			d.awaitOwner(h)
			overwrite(t, d.index(), 0, 2*4096)
			h.send(`{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"command":"ambit.search","arguments":[{"query":"price"}]}}`)
			return h
		},
	} {
		for how, end := range endings {
			t.Run(name+", "+how, func(t *testing.T) {
				h := hang(t)
				h.endsBy(end, endDeadline)
			})
		}
	}
}

// An agent's server has no process to look at: its input ends, or a signal comes.
func TestAnAgentsServerEndsWhenItsClientIsGone(t *testing.T) {
	for _, how := range []string{"the input ends", "a signal"} {
		for name, command := range map[string]string{"in a loop without end": "ambit-in-a-loop", "that nobody reads": "ambit"} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Setenv("GOMAXPROCS", "1")
				h := start(t, exec.Command(command, "mcp", "--root", newDesk(t, shop).dir))
				for id := range 2000 { // the answers are more than a pipe holds
					h.line(`{"jsonrpc":"2.0","id":` + strconv.Itoa(id) + `,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
				}
				h.endsBy(endings[how], endDeadline)
			})
		}
	}
}

// endsBy lets the client leave in a way, and waits until the server has ended.
func (h *hanging) endsBy(leave func(h *hanging), within time.Duration) {
	ended := make(chan error, 1)
	start := time.Now()
	leave(h)
	go func() {
		_, err := h.server.Process.Wait()
		ended <- err
	}()
	select {
	case err := <-ended:
		h.t.Logf("it ended after %v, %v", time.Since(start).Round(time.Millisecond), err)
	case <-time.After(within):
		h.t.Errorf("the server has not ended after %v", within)
		_ = h.server.Process.Kill()
	}
	h.in.Close()
}

// overwrite writes noise over a part of a file.
func overwrite(t *testing.T, path string, from, to int) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\xa5", to-from)), int64(from))
	must(t, err)
	must(t, file.Close())
}

func TestAServerThatHangsLeavesItsIndexToAnother(t *testing.T) {
	d := newDesk(t, shop)
	d.ambit("index")
	t.Setenv("GOMAXPROCS", "1")
	h := launch(t, "ambit-in-a-loop", d.uri)
	d.awaitOwner(h)
	other := d.worker("okapi")
	holds(t, "the other editor", other.search(t, "okapi"), `"identifier":"okapi"`)
	h.in.Close()
	_, err := h.server.Process.Wait()
	must(t, err)
	holds(t, "the other editor, without the owner", other.search(t, "okapi"), `"identifier":"okapi"`)
	var st struct {
		PID int `json:"owner_pid"`
	}
	must(t, json.Unmarshal([]byte(d.ambit("status", "--json")), &st))
	if st.PID != other.pid {
		t.Errorf("process %d owns the index, want %d", st.PID, other.pid)
	}
}
