package scheduler_test

import (
	"runtime"
	"runtime/debug"
	"testing"

	"ambit/server/scheduler"
)

func TestTheMemoryLimitStaysAboveWhatIsAlive(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	own, percent := limit(), debug.SetGCPercent(33)
	defer debug.SetGCPercent(percent)
	m := scheduler.LimitMemory()
	low := limit()
	if low >= own {
		t.Errorf("the limit is %d at the start, want less than %d", low, own)
	}
	alive := make([]byte, low) // no page of it is touched
	runtime.GC()
	m.Follow()
	if got, want := limit(), low+low/4; got < want {
		t.Errorf("with %d bytes alive the limit is %d, want at least %d", len(alive), got, want)
	}
	runtime.KeepAlive(alive)
	runtime.GC()
	m.Follow()
	if got := limit(); got != low {
		t.Errorf("the limit is %d when nothing is alive any more, want %d", got, low)
	}
	m.End()
	if got := limit(); got != own {
		t.Errorf("the limit is %d after the end, want %d", got, own)
	}
	if got := debug.SetGCPercent(33); got != 33 {
		t.Errorf("the percentage is %d after the end, want 33", got)
	}
}
