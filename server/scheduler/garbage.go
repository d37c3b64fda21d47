package scheduler

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"

	"ambit/indexer/pipeline"
)

// Garbage says how much garbage the process keeps. The collector runs when there is percent of
// what is alive or most bytes, and earlier when the memory reaches a limit: least, or room more
// than what is alive when that is more. Under a lower limit the collector would never rest: it took
// half of the time of indexing a Linux kernel.
//
// The limit also gives freed memory back to the system, which most does not. What is given back
// and soon needed again costs more than it saves.
type Garbage struct {
	percent     int
	most        int64 // bytes; 0 is no bound
	least, room int64 // bytes
	more        int64 // percent of what is alive above least, in addition to room
}

var (
	// OfAnswer is for a process that answers once: the loaded part of the index lives until the
	// end, and collecting a small heap only costs time, so the limit alone decides. It keeps a search
	// in a Linux kernel below 150 MB.
	OfAnswer = Garbage{percent: 100000, least: 112 << 20, room: 24 << 20, more: 60}

	// OfServer is for a process that lives as long as an editor, where memory counts. Most of
	// its heap is arrays without pointers, which a collection does not scan. 40 % of the heap of
	// a server of a Linux kernel are 340 MB, so what a large heap keeps is bounded. With 100 MB
	// the questions there take a fifth more CPU time.
	OfServer = Garbage{percent: 40, least: 560 << 20, room: 160 << 20}

	// OfEvaluation is for a process that holds all code of a tree, cut in five ways.
	OfEvaluation = Garbage{percent: 50, least: math.MaxInt64}

	// ofJob is for a server while it indexes many files: most of what that allocates is
	// garbage soon. With as much garbage as is alive the drivers of Linux took half as much memory
	// again, and no less time.
	ofJob = Garbage{percent: 100, most: 160 << 20, least: math.MaxInt64}

	// ofIndex is for a process that ends after it has indexed many files. What is alive is a few
	// batches and the views. Collecting as often as Go does by default costs 4 % of the time. As the
	// memory of 128 MB of garbage is used again and again, it takes a fifth less CPU time than with
	// the limit alone, which keeps the peak of a Linux kernel below 1 GB.
	ofIndex = Garbage{percent: 300, most: 128 << 20, least: 800 << 20, room: 128 << 20}

	// ofSaving is for the end of such a process: saving the views needs memory while all of them
	// are alive.
	ofSaving = Garbage{percent: 300, most: 48 << 20, least: 800 << 20, room: 48 << 20}
)

// Keep has the process keep so much garbage until the caller calls end. While there are several,
// the last one counts. It is safe for concurrent use.
func (g Garbage) Keep() (end func()) {
	c, own := &process, &g
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) == 0 {
		c.percent, c.own = debug.SetGCPercent(g.percent), debug.SetMemoryLimit(-1)
		c.now, c.limit = g.percent, c.own
	}
	if !c.follows {
		c.follows = true
		afterGC(c.follow)
	}
	c.kept = append(c.kept, own)
	c.set()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.kept = slices.DeleteFunc(c.kept, func(k *Garbage) bool { return k == own })
		c.set()
	}
}

// process is the collector of this process.
var process collector

// collector is the garbage collector as it is set.
type collector struct {
	mu      sync.Mutex // guards all fields below
	kept    []*Garbage
	percent int   // that the process began with
	own     int64 // the limit of memory that the process began with, in bytes
	now     int   // the percentage that is set
	limit   int64 // that is set
	follows bool  // after each collection
}

// follow sets the percentage and the limit by what was alive at the last collection. It takes a
// microsecond while that does not change much.
func (c *collector) follow() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) > 0 {
		c.bound(*c.kept[len(c.kept)-1])
	}
}

// set applies the last of c.kept. The caller holds c.mu.
func (c *collector) set() {
	g := Garbage{percent: c.percent, least: math.MaxInt64}
	if len(c.kept) > 0 {
		g = *c.kept[len(c.kept)-1]
	}
	c.bound(g)
}

// bound sets the percentage and the limit of memory. A limit keeps less garbage than a lower
// percentage would: the collector does not go by it alone, what it frees goes back to the system as
// well. The caller holds c.mu.
func (c *collector) bound(g Garbage) {
	live := liveBytes()
	if p := g.percentOf(live); p != c.now {
		c.now = p
		debug.SetGCPercent(p)
	}
	limit := min(c.own, max(g.least, live+g.room+max(0, live-g.least)*g.more/100))
	few := g.room / 8
	if change := limit - c.limit; change > few || change < -few || limit == min(c.own, g.least) && change != 0 {
		c.limit = limit
		debug.SetMemoryLimit(limit)
	}
}

// leastPercent keeps the collector from running all the time when gigabytes are alive.
const leastPercent = 10

// percentOf returns how much garbage there may be, in percent of the live bytes.
func (g *Garbage) percentOf(live int64) int {
	if g.most == 0 || live == 0 {
		return g.percent
	}
	return min(g.percent, max(leastPercent, int(g.most*100/live)))
}

// largeBytes is the size of files that take much memory although they are few: forty headers of
// 600 KB took 900 MB under the setting of a process that answers once.
const largeBytes = 4 << 20

// isLarge reports whether changes are so many or so large that ofJob and ofIndex pay.
func isLarge(changes []pipeline.Change) bool {
	if len(changes) > maxUnsaved {
		return true
	}
	total := int64(0)
	for i := range changes {
		if e := &changes[i].Entry; e.LeftOut == "" {
			total += e.Size
		}
	}
	return total > largeBytes
}

// liveBytes returns what was alive at the last collection.
func liveBytes() int64 {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if live[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(live[0].Value.Uint64())
}

// collected is garbage from the start. With a pointer it is not part of a larger block.
type collected struct{ _ *byte }

// afterGC calls fn after each collection from now on, from a goroutine of the runtime. A
// process that does nothing does nothing for it either.
func afterGC(fn func()) {
	runtime.AddCleanup(&collected{}, func(struct{}) {
		fn()
		afterGC(fn)
	}, struct{}{})
}
