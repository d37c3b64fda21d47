package scheduler_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"ambit/server/scheduler"
)

func TestLimiterRestoresGCPercent(t *testing.T) {
	const own = 33
	defer debug.SetGCPercent(debug.SetGCPercent(own))
	percent := func() int {
		p := debug.SetGCPercent(own)
		debug.SetGCPercent(p)
		return p
	}
	var g scheduler.Limiter
	one, two := g.Job(), g.Job()
	one()
	if p := percent(); p == own {
		t.Errorf("GC percent is %d while one of two jobs still runs", p)
	}
	two()
	if p := percent(); p != own {
		t.Errorf("GC percent is %d after all jobs have ended, want %d", p, own)
	}
}

func TestTheGarbageOfALargeHeapIsBounded(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	own, percent := limit(), debug.SetGCPercent(100)
	defer debug.SetGCPercent(percent)
	defer debug.SetMemoryLimit(own)
	var g scheduler.Limiter
	g.BoundGarbage(40)
	collect := func() {
		runtime.GC()
		g.Bound() // which also follows each collection, some time later
	}
	if collect(); limit() != own {
		t.Errorf("the limit is %d for a small heap, want %d", limit(), own)
	}
	const size = 600 << 20
	alive := make([]byte, size) // no page of it is touched
	if collect(); limit() < size || limit() > size+size/2 {
		t.Errorf("the limit is %d with %d bytes alive", limit(), size)
	}
	end := g.Job()
	if collect(); limit() != own {
		t.Errorf("the limit is %d during a job, want %d", limit(), own)
	}
	end()
	if collect(); limit() == own {
		t.Error("there is no limit after a job")
	}
	runtime.KeepAlive(alive)
	if collect(); limit() != own {
		t.Errorf("the limit is %d when nothing is alive any more, want %d", limit(), own)
	}
}

func TestAfterEachCollection(t *testing.T) {
	seen := make(chan struct{}, 8)
	scheduler.AfterGC(func() {
		select {
		case seen <- struct{}{}:
		default:
		}
	})
	for range 3 {
		runtime.GC()
		<-seen
	}
}
