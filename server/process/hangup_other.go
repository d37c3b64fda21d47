//go:build !linux && !darwin

package process

import (
	"context"
	"os"
)

// AwaitHangup waits until ctx is done and returns false, as this system does not tell
// whether the other end is closed while something is unread.
func AwaitHangup(ctx context.Context, _ *os.File) bool {
	<-ctx.Done()
	return false
}
