package lsptest

import (
	"os/exec"
	"testing"
)

// Launch is [Start] for a server in another process, which command starts. The process
// ends before the test does.
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
	kill := func() { _ = command.Process.Kill() } // the process may have ended
	return begin(t, model, in, out, kill, func(read <-chan struct{}) error {
		<-read // Wait closes the stream
		return command.Wait()
	})
}

// Kill ends the process of the server at once, and waits until it has ended.
func (e *Editor) Kill() {
	e.mu.Lock()
	e.killed = true
	e.mu.Unlock()
	e.cancel()
	<-e.served
}
