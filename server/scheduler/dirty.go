package scheduler

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"sync"
	"time"

	"ambit/indexer/pipeline"
	"ambit/vectors/record"
)

// maxDirty bounds the paths of a dirty set. Scanning the tree takes no longer than
// checking so many files.
const maxDirty = 1 << 14

// A change waits until no other has come for quietPeriod, so that what belongs
// together becomes one batch: the steps of an editor's save, the files of a checkout.
// It waits for maxWait at most, so that endless writes are indexed too.
const (
	quietPeriod = 50 * time.Millisecond
	maxWait     = 500 * time.Millisecond
)

// dirtySet holds the paths whose files may differ from what the index has. A path
// leaves the set when the index has what the file held after the path was added. The
// zero value is empty. It is safe for concurrent use.
type dirtySet struct {
	mu      sync.Mutex             // guards all fields below
	paths   map[record.Path]uint64 // by path, the number of its latest event
	log     []event                // in order; that of paths and perhaps earlier ones
	events  uint64                 // so far
	asked   uint64                 // scans that were asked for
	begun   uint64                 // of these, the scans that a job covers
	done    uint64                 // of these, the scans whose changes are in paths
	scanned chan struct{}          // closed when done grows; nil while nothing waits for it
	// first and last are when the events came that no job has taken yet; both are zero
	// when there are none.
	first, last time.Time
}

// event says that a path may have changed.
type event struct {
	path record.Path
	n    uint64
}

// add adds a path; "" requests a scan of the tree. An ignore file concerns other files,
// so it requests a scan too.
func (d *dirtySet) add(p record.Path) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if d.first.IsZero() {
		d.first = now
	}
	d.last = now
	_, known := d.paths[p]
	full := !known && len(d.paths) >= maxDirty
	if p != "" && !full {
		d.put(p)
	}
	switch path.Base(string(p)) {
	case ".", ".gitignore", ".ambitignore", ".gitmodules":
		d.asked++
	default:
		if full && d.asked == d.begun {
			d.asked++
		}
	}
}

// scan requests a scan of the tree that need not wait: no event has come.
func (d *dirtySet) scan() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked++
}

// put numbers the event of a path. The caller holds d.mu.
func (d *dirtySet) put(p record.Path) {
	if d.paths == nil {
		d.paths = map[record.Path]uint64{}
	}
	d.events++
	d.paths[p] = d.events
	d.log = append(d.log, event{p, d.events})
	if len(d.log) > 2*len(d.paths)+64 {
		d.log = slices.DeleteFunc(d.log, func(e event) bool { return d.paths[e.path] != e.n })
	}
}

// job is a part of the dirty set that one indexing run covers.
type job struct {
	until uint64        // the latest event that the job covers
	scan  uint64        // the scan that the job covers, 0 for none
	paths []record.Path // unless the tree is scanned
}

// begin returns the job that covers everything in the set, and false when the set is
// empty. The paths stay in the set.
func (d *dirtySet) begin() (job, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first, d.last = time.Time{}, time.Time{}
	j := job{until: d.events}
	if d.asked > d.done {
		d.begun, j.scan = d.asked, d.asked
		return j, true
	}
	j.paths = slices.Collect(maps.Keys(d.paths))
	return j, len(j.paths) > 0
}

// planned replaces the paths that a job covers with the paths that it will change.
// After a scan the most recently written files count as the latest events.
func (d *dirtySet) planned(j job, changes []pipeline.Change) (covers job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.paths, func(_ record.Path, n uint64) bool { return n <= j.until })
	later := d.paths
	d.paths, d.log = make(map[record.Path]uint64, len(changes)+len(later)), nil
	inOrder := slices.Clone(changes)
	slices.SortStableFunc(inOrder, func(a, b pipeline.Change) int { return cmp.Compare(a.Entry.ModTime, b.Entry.ModTime) })
	for i := range inOrder {
		d.put(inOrder[i].Path)
	}
	j.until = d.events
	for _, p := range slices.SortedFunc(maps.Keys(later), func(a, b record.Path) int { return cmp.Compare(later[a], later[b]) }) {
		d.put(p) // it came after the job began
	}
	d.scanDone(j)
	return j
}

// scanDone notes that the scan of a job is done. The caller holds d.mu.
func (d *dirtySet) scanDone(j job) {
	if j.scan <= d.done {
		return
	}
	d.done = j.scan
	if d.scanned != nil {
		close(d.scanned)
		d.scanned = nil
	}
}

// indexed removes the paths of a batch, except those with an event since the job began.
func (d *dirtySet) indexed(j job, b *record.Batch) {
	d.mu.Lock()
	defer d.mu.Unlock()
	remove := func(p record.Path) {
		if n, ok := d.paths[p]; ok && n <= j.until {
			delete(d.paths, p)
		}
	}
	for i := range b.Files {
		remove(b.Files[i].File.Path)
	}
	for i := range b.Touched {
		remove(b.Touched[i].Path)
	}
	for _, p := range b.Removed {
		remove(p)
	}
}

// finished removes everything that a job covers.
func (d *dirtySet) finished(j job) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.paths, func(_ record.Path, n uint64) bool { return n <= j.until })
	d.scanDone(j)
}

// wait returns the time until a job may begin, 0 or less when one may begin now or no
// change waits.
func (d *dirtySet) wait(now time.Time) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.first.IsZero() {
		return 0
	}
	return due(d.first, d.last, now)
}

// latest returns the time of the latest event that no job has taken, zero for none.
func (d *dirtySet) latest() time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last
}

func due(first, last, now time.Time) time.Duration {
	return min(quietPeriod-now.Sub(last), maxWait-now.Sub(first))
}

// empty reports whether there is nothing to do.
func (d *dirtySet) empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked == d.done && len(d.paths) == 0
}

// len returns the number of paths.
func (d *dirtySet) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.paths)
}

// recent returns at most limit paths, those with the latest events first, and how many
// others there are.
func (d *dirtySet) recent(limit int) (paths []record.Path, others int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range slices.Backward(d.log) {
		if len(paths) == limit {
			break
		}
		if d.paths[e.path] == e.n {
			paths = append(paths, e.path)
		}
	}
	return paths, len(d.paths) - len(paths)
}

// unscanned reports whether a requested scan is not finished. Scanned is closed when
// the next scan finishes.
func (d *dirtySet) unscanned() (yes bool, scanned <-chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.scanned == nil {
		d.scanned = make(chan struct{})
	}
	return d.asked > d.done, d.scanned
}

// wants reports whether a caller requested a scan after the one that a job covers.
func (d *dirtySet) wants(j job) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asked > max(j.scan, d.done)
}
