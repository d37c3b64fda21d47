package scheduler

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"ambit/indexer/pipeline"
)

// The garbage collector's settings while a process that ends afterwards indexes many files.
// What is alive is a few batches and the views, and most of the rest is garbage soon.
// Collecting as often as Go does by default costs 4 % of the time; the soft limit, in bytes,
// keeps the peak of a workspace with 100,000 chunks below 500 MB with the parsers' trees.
//
// The views of a larger workspace alone take more than that, and below a limit that is in
// use the collector never rests: it took half of the time of a Linux kernel. So the limit
// stays indexRoom above what is alive.
const (
	indexGCPercent = 300
	indexMemory    = 320 << 20
	indexRoom      = 192 << 20
)

// followEvery is how often the limit is set: collections are some 100 ms apart.
const followEvery = 100 * time.Millisecond

// largeBytes is the size of files that take much memory although they are few: forty headers of
// 600 KB took 900 MB under the setting of a process that answers once.
const largeBytes = 4 << 20

// isLarge reports whether changes are so many or so large that the settings above pay.
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

// memoryLimit is the soft limit of the memory of this process while it indexes.
type memoryLimit struct {
	limit int64 // bytes
	old   int64
	gc    int
}

func limitMemory() *memoryLimit {
	return &memoryLimit{
		limit: indexMemory,
		old:   debug.SetMemoryLimit(indexMemory),
		gc:    debug.SetGCPercent(indexGCPercent),
	}
}

// follow sets the limit by what was alive at the last collection. It takes a microsecond
// while that does not change much.
func (m *memoryLimit) follow() {
	limit := max(indexMemory, liveBytes()+indexRoom)
	if change := limit - m.limit; change > indexRoom/8 || change < -indexRoom/8 {
		m.limit = limit
		debug.SetMemoryLimit(limit)
	}
}

// keep follows until the caller calls end, also while the views are saved: while those of a
// Linux kernel were, the collector ran 190 times below a limit that stood still.
func (m *memoryLimit) keep() (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.follow()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		m.end()
	}
}

// end restores the settings.
func (m *memoryLimit) end() {
	debug.SetMemoryLimit(m.old)
	debug.SetGCPercent(m.gc)
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
