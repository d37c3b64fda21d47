package scheduler_test

import (
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
