package process_test

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"go.uber.org/goleak"

	"ambit/server/process"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTheEndOfAProcessEndsTheWait(t *testing.T) {
	for name, await := range map[string]func(context.Context, int){"await": process.Await, "poll": process.Poll} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			await(ctx, os.Getpid()) // which does not end

			child := exec.Command(os.Args[0], "-test.run=^$")
			if err := child.Start(); err != nil {
				t.Fatal(err)
			}
			if err := child.Wait(); err != nil {
				t.Fatal(err)
			}
			await(t.Context(), child.Process.Pid)
		})
	}
}

func TestAwaitSleepsUntilTheProcessEnds(t *testing.T) {
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		process.Await(t.Context(), child.Process.Pid)
		close(ended)
	}()
	in.Close()
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

func TestAHangupIsNoticedBehindUnreadData(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := out.WriteString("unread"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if process.AwaitHangup(ctx, in) {
		t.Error("a pipe is closed while its writer is open")
	}
	out.Close()
	if !process.AwaitHangup(t.Context(), in) {
		t.Error("the end of the writer is not noticed")
	}
}
