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
	err := parseLog(bufio.NewReader(bytes.NewReader(text)), c.add)
	return c.history(), err
}

// ReadAt is Read with a given present time and limits; 0 means the limit of Read.
func ReadAt(ctx context.Context, root string, now time.Time, limit time.Duration, commits int) (record.History, error) {
	return read(ctx, root, now, cmp.Or(limit, timeout), cmp.Or(commits, maxCommits))
}
