package cli

import (
	"context"
	"io"
	"os"
	"time"

	"ambit/server/process"
)

// endGrace is how long a process may take to end in order when its client is gone, so
// that it ends within 2 s whatever its index, its streams and its files do. What it has
// not done by then is lost as by a kill: the next start reads it again.
const endGrace = 1500 * time.Millisecond

// endSoon ends the process after endGrace, unless it has ended before.
func endSoon() {
	time.AfterFunc(endGrace, func() { os.Exit(exitFailed) })
}

// clientInput returns the standard input of a server. Its end, which means that the
// client is gone, is noticed also while nothing reads it. The caller calls stop when it
// reads no more.
func (a *app) clientInput() (in io.Reader, stop func()) {
	ctx, stop := context.WithCancel(a.ctx)
	if file, ok := a.in.(*os.File); ok {
		go func() {
			if process.AwaitHangup(ctx, file) {
				a.endSoon()
			}
		}()
	}
	return endReader{a.in, a.endSoon}, stop
}

// endReader calls ended when the stream ends.
type endReader struct {
	io.Reader
	ended func()
}

// Read implements [io.Reader].
func (r endReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil {
		r.ended()
	}
	return n, err
}

// awaitClient waits for the end of the process of the client, as [process.Await] does.
func (a *app) awaitClient(ctx context.Context, pid int) {
	if process.Await(ctx, pid); ctx.Err() == nil {
		a.endSoon()
	}
}
