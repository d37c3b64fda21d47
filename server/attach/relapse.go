package attach

import (
	"fmt"
	"time"
)

// An index that is damaged is built anew at once; one that is damaged again soon after,
// on a disk that fails, would have a process index for ever. It waits, twice as long each
// time.
const (
	maxRelapse = time.Minute      // the longest wait
	relapsed   = 10 * time.Minute // an index that lasts for longer was sound
)

// relapses counts how often in a row the index of this process has been damaged. The
// zero value is never.
type relapses int

// damaged notes that an index has lasted for so long, and returns how long to wait
// before another one is begun.
func (r *relapses) damaged(lasted time.Duration) time.Duration {
	if lasted > relapsed {
		*r = 0
	}
	if *r++; *r == 1 {
		return 0
	}
	return min(failInterval<<min(*r-2, 10), maxRelapse)
}

// err says what whoever asks meanwhile is told.
func (r relapses) err(root string, wait time.Duration) error {
	return fmt.Errorf("the index of %s was damaged %d times in a row, the next is begun in %v; check the disk or choose another cache folder with XDG_CACHE_HOME",
		root, r, wait)
}
