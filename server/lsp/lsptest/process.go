package lsptest

import (
	"os/exec"
	"testing"
)

// Launch is [Start] for a server in a process of its own, which command starts. The
// process has ended when the test is over.
func Launch(t testing.TB, model *Model, command *exec.Cmd) *Editor {
	t.Helper()
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	e := newEditor(t, model, in, func() { _ = command.Process.Kill() }) // it may have ended
	go func() {
		defer close(e.read)
		e.receive(out)
	}()
	go func() {
		defer close(e.served)
		<-e.read // Wait closes the stream
		e.err = command.Wait()
	}()
	t.Cleanup(e.Close)
	return e
}

// Kill ends the process of the server at once, and waits until it has ended.
func (e *Editor) Kill() {
	e.mu.Lock()
	e.killed = true
	e.mu.Unlock()
	e.cancel()
	<-e.served
}
