package githist

import (
	"bufio"
	"bytes"
	"time"

	"ambit/vectors/record"
)

// ParseLog counts the output of a log.
func ParseLog(text []byte, prefix string, now time.Time) (record.History, error) {
	c := newCounter(prefix, now)
	err := parseLog(bufio.NewReader(bytes.NewReader(text)), c.add)
	return c.history(), err
}
