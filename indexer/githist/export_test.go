package githist

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"time"

	"ambit/vectors/record"
)

// ParseLog counts the output of a log.
func ParseLog(text []byte, prefix string, now time.Time) (record.History, error) {
	c := newCounter(prefix, now)
	err := parseLog(bufio.NewReader(bytes.NewReader(text)), usual.bytes, func(cm *commit) error {
		c.add(cm)
		return nil
	})
	return c.history(), err
}

// Limits are those of ReadAt; 0 means the limit of Read.
type Limits struct {
	Commits, Walked int
	Bytes           int64
}

// ReadAt is Read with a given present time and limits.
func ReadAt(ctx context.Context, root string, now time.Time, most Limits) (record.History, error) {
	return read(ctx, root, now, limits{
		cmp.Or(most.Commits, usual.commits), cmp.Or(most.Walked, usual.walked), cmp.Or(most.Bytes, usual.bytes),
	})
}
