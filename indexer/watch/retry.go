package watch

import (
	"encoding/binary"
	"hash/fnv"
	"os"
	"time"
)

// How often the workspace is looked at where its changes are not heard: soon again
// while it changes, then less and less, and never for more than a twentieth of the
// time. The longest wait is what a user may believe a file to be missing for.
const (
	minRetry  = 2 * time.Second
	maxRetry  = time.Minute
	pollShare = 20
	rootRetry = 250 * time.Millisecond // the first look for a root that is gone; it costs nothing
)

// retry is what is done again after a while. The zero value is nothing.
type retry struct {
	wait  time.Duration // until the next time, 0 for never
	polls bool          // the files are looked at, and not whether the root is back
	tries bool          // the next Scan tries to watch again
	seen  uint64        // fingerprint of the files
}

// watch reports whether a Scan is to watch. In polling that is tried only when it has
// been quiet for long, as each try takes all watches that are left for a moment.
func (r *retry) watch() bool { return !r.polls || r.tries }

// polled notes that a Scan has listed files.
func (r *retry) polled(seen uint64, took time.Duration) {
	r.tries = false
	if r.wait *= 2; r.seen != seen {
		r.seen, r.wait = seen, minRetry
	}
	r.wait = max(min(r.wait, maxRetry), minRetry, pollShare*took)
}

// miss has Run wait for a root that is not there. The caller holds w.mu.
func (w *Watcher) miss() {
	w.retry = retry{wait: rootRetry}
	w.move()
}

// lookAgain is called when the wait is over.
func (w *Watcher) lookAgain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := &w.retry
	if r.polls {
		r.tries = r.wait >= maxRetry
		w.changed("")
		return
	}
	if _, err := os.ReadDir(w.f.root); err == nil {
		w.changed("")
	}
	r.wait = min(2*r.wait, maxRetry)
}

// fingerprint returns a number that two lists of files share only when they are the
// same, as good as always.
func fingerprint(entries []Entry) uint64 {
	h := fnv.New64a()
	var b []byte
	for i := range entries {
		e := &entries[i]
		b = append(append(b[:0], e.Path...), 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ModTime))
		h.Write(append(b, e.LeftOut...))
	}
	return h.Sum64()
}
