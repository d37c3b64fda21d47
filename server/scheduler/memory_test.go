package scheduler_test

import (
	"runtime"
	"runtime/debug"
	"slices"
	"testing"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/scheduler"
)

func TestFewLargeFilesAreALargeJob(t *testing.T) {
	one := func(size int64, leftOut string) []pipeline.Change {
		return []pipeline.Change{{Entry: watch.Entry{Size: size, LeftOut: leftOut}}}
	}
	for _, tt := range []struct {
		name    string
		changes []pipeline.Change
		want    bool
	}{
		{"a small file", one(10_000, ""), false},
		{"many small files", make([]pipeline.Change, 1000), true},
		{"a few large files", slices.Repeat(one(900_000, ""), 10), true},
		{"a huge file that is left out", one(1<<40, watch.TooLarge), false},
	} {
		if got := scheduler.IsLarge(tt.changes); got != tt.want {
			t.Errorf("%s: IsLarge = %v, want %v", tt.name, got, tt.want)
		}
	}
}

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
