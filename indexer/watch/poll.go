package watch

import (
	"encoding/binary"
	"hash/fnv"
	"os"
	"time"
)

// Without watches the watcher asks for a Scan every minWait while the workspace changes,
// then less and less often. Scans take at most a twentieth of the time. A user may miss a
// file for as long as maxWait.
const (
	minWait     = 2 * time.Second
	maxWait     = time.Minute
	pollShare   = 20
	minRootWait = 250 * time.Millisecond // looking for a missing root costs nothing
)

// poller holds the time until Run looks at the workspace again. The zero value means
// never.
type poller struct {
	wait     time.Duration // 0 means never
	scans    bool          // Run asks for a Scan; otherwise it checks whether the root is back
	rewatch  bool          // the next Scan tries to watch again
	lastSeen uint64        // fingerprint of the entries
}

// watches reports whether a Scan tries to watch. While Run polls, few Scans do, because
// each attempt takes all free watches of the user for a moment.
func (p *poller) watches() bool { return !p.scans || p.rewatch }

// scanned notes the result of a Scan without watches.
func (p *poller) scanned(tree *Tree, took time.Duration) {
	p.scans, p.rewatch = true, false
	p.wait *= 2
	if seen := fingerprint(tree); p.lastSeen != seen {
		p.lastSeen, p.wait = seen, minWait
	}
	p.wait = max(min(p.wait, maxWait), minWait, pollShare*took)
}

// poll asks for a Scan when one is due. Run calls it when the wait is over.
func (w *Watcher) poll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	p := &w.poller
	if p.scans {
		p.rewatch = p.wait >= maxWait
		w.changed("")
		return
	}
	if _, err := os.ReadDir(w.f.root); err == nil {
		w.changed("")
	}
	p.wait = min(2*p.wait, maxWait)
}

// fingerprint returns a hash of the files of a tree.
func fingerprint(tree *Tree) uint64 {
	h := fnv.New64a()
	var b []byte
	for e := range tree.All() {
		b = append(append(b[:0], e.Path...), 0)
		b = binary.LittleEndian.AppendUint64(b, uint64(e.Size))
		b = binary.LittleEndian.AppendUint64(b, uint64(e.ModTime))
		h.Write(append(b, e.LeftOut...))
	}
	return h.Sum64()
}
