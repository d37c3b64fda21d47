package githist

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// commit is one commit of the log.
type commit struct {
	when    int64 // seconds since the Unix epoch, when it was committed
	changes []change
}

// change is one file of a commit, named from the repository's top.
type change struct {
	status byte   // A, D, M, R, T, …
	path   string // after the commit
	from   string // before it, when status is R
}

// parseLog parses the output of `git log -z --name-status --format=%x01%ct` and calls
// each with every commit, which is valid during the call only. Fields end in NUL. A
// commit has a field "\x01" with its time, and for each file a field with the status and
// one with the path, or two when the file was renamed. A newline stands before the first
// status.
func parseLog(r *bufio.Reader, each func(*commit)) error {
	var c *commit
	for {
		field, err := nextField(r)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if when, ok := strings.CutPrefix(field, "\x01"); ok {
			if c != nil {
				each(c)
				c.changes = c.changes[:0]
			} else {
				c = &commit{}
			}
			if c.when, err = strconv.ParseInt(when, 10, 64); err != nil {
				return fmt.Errorf("git log: commit time %q", when)
			}
			continue
		}
		status := strings.TrimPrefix(field, "\n")
		if c == nil || status == "" {
			return fmt.Errorf("git log: field %.40q out of place", field)
		}
		ch := change{status: status[0]}
		if ch.status == 'R' || ch.status == 'C' {
			if ch.from, err = nextField(r); err != nil {
				return fmt.Errorf("git log: %w", io.ErrUnexpectedEOF)
			}
		}
		if ch.path, err = nextField(r); err != nil {
			return fmt.Errorf("git log: %w", io.ErrUnexpectedEOF)
		}
		c.changes = append(c.changes, ch)
	}
	if c != nil {
		each(c)
	}
	return nil
}

// nextField returns the text up to the next NUL, or the rest. A field that does not
// fit into the buffer of r is an error: git makes none.
func nextField(r *bufio.Reader) (string, error) {
	field, err := r.ReadSlice(0)
	switch {
	case err == nil:
		return string(field[:len(field)-1]), nil
	case errors.Is(err, io.EOF) && len(field) > 0:
		return string(field), nil
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("git log: a field of more than %d bytes", r.Size())
	}
	return "", err
}
