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

// percentNow returns the percentage that the collector is set to.
func percentNow() int {
	p := debug.SetGCPercent(100)
	debug.SetGCPercent(p)
	return p
}

func limitNow() int64 { return debug.SetMemoryLimit(-1) }

// collect collects garbage, and sets the limit as after each collection.
func collect() {
	runtime.GC()
	scheduler.Follow()
}

func TestTheLastKindOfGarbageCounts(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(33))
	own := limitNow()
	server := scheduler.OfServer.Keep()
	one, two := scheduler.OfJob.Keep(), scheduler.OfJob.Keep()
	for _, step := range []struct {
		end  func()
		then int
	}{{func() {}, 100}, {one, 100}, {two, 40}, {server, 33}} {
		if step.end(); percentNow() != step.then {
			t.Errorf("GC percent is %d, want %d", percentNow(), step.then)
		}
	}
	if got := limitNow(); got != own {
		t.Errorf("the limit is %d after the end, want %d", got, own)
	}
}

func TestTheMemoryLimitStaysAboveWhatIsAlive(t *testing.T) {
	for name, tt := range map[string]struct {
		garbage scheduler.Garbage
		room    int64
	}{
		"answer": {scheduler.OfAnswer, 24 << 20},
		"server": {scheduler.OfServer, 160 << 20},
		"index":  {scheduler.OfIndex, 128 << 20},
		"saving": {scheduler.OfSaving, 48 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			own := limitNow()
			end := tt.garbage.Keep()
			low := limitNow()
			if low >= own {
				t.Errorf("the limit is %d at the start, want less than %d", low, own)
			}
			alive := make([]byte, low) // no page of it is touched
			if collect(); limitNow() < low+tt.room || limitNow() > low+tt.room*3/2 {
				t.Errorf("with %d bytes alive the limit is %d, want %d more, and at most half of that again", len(alive), limitNow(), tt.room)
			}
			job := scheduler.OfJob.Keep()
			if collect(); limitNow() != own {
				t.Errorf("the limit is %d during a job, want %d", limitNow(), own)
			}
			job()
			if limitNow() == own {
				t.Error("there is no limit after a job")
			}
			runtime.KeepAlive(alive)
			if collect(); limitNow() != low {
				t.Errorf("the limit is %d when nothing is alive any more, want %d", limitNow(), low)
			}
			if end(); limitNow() != own {
				t.Errorf("the limit is %d after the end, want %d", limitNow(), own)
			}
		})
	}
}

func TestGarbageIsBoundedInBytes(t *testing.T) {
	for name, tt := range map[string]struct {
		garbage scheduler.Garbage
		live    int64
		want    int // percent
	}{
		"nothing was collected yet": {scheduler.OfIndex, 0, 300},
		"little is alive":           {scheduler.OfIndex, 1 << 20, 300},
		"as much as the garbage":    {scheduler.OfIndex, 128 << 20, 100},
		"four times the garbage":    {scheduler.OfIndex, 512 << 20, 25},
		"terabytes":                 {scheduler.OfIndex, 1 << 42, 10},
		"saving":                    {scheduler.OfSaving, 96 << 20, 50},
		"a server that indexes":     {scheduler.OfJob, 640 << 20, 25},
		"a kind without a bound":    {scheduler.OfServer, 512 << 20, 40},
	} {
		if got := tt.garbage.PercentOf(tt.live); got != tt.want {
			t.Errorf("%s: %d %% of %d bytes, want %d", name, got, tt.live, tt.want)
		}
	}
}

func TestThePercentageFollowsWhatIsAlive(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(33))
	end := scheduler.OfSaving.Keep()
	alive := make([]byte, 96<<20) // no page of it is touched
	if collect(); percentNow() > 50 || percentNow() < 25 {
		t.Errorf("with %d bytes alive the percentage is %d, want half or a little less", len(alive), percentNow())
	}
	runtime.KeepAlive(alive)
	if collect(); percentNow() <= 50 {
		t.Errorf("the percentage is %d when nothing is alive any more", percentNow())
	}
	if end(); percentNow() != 33 {
		t.Errorf("the percentage is %d after the end, want 33", percentNow())
	}
}

func TestALimitOfTheUserStays(t *testing.T) {
	const own = 64 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(own))
	defer scheduler.OfServer.Keep()()
	if limitNow() != own {
		t.Errorf("the limit is %d, want %d, which the user set", limitNow(), own)
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
