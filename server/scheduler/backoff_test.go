package scheduler_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/scheduler"
)

func TestBackoffGrowsAfterFailedWrites(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	for _, tt := range []struct {
		took, changed time.Duration
		quiet         []time.Duration
	}{
		{ms, 250 * ms, []time.Duration{250 * ms, 500 * ms, s, 2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}},
		{100 * ms, 2 * s, []time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s}}, // a twentieth
		{20 * s, 60 * s, []time.Duration{60 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s, 60 * s}},
	} {
		changed, quiet := scheduler.Backoffs(len(tt.quiet), tt.took)
		for _, wait := range changed {
			if wait != tt.changed {
				t.Errorf("after tries of %v, waits %v for what changes, want %v", tt.took, wait, tt.changed)
			}
		}
		if diff := cmp.Diff(tt.quiet, quiet); diff != "" {
			t.Errorf("after tries of %v, waits while nothing changes (-want +got):\n%s", tt.took, diff)
		}
	}
}
