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
// each with every commit, which is valid during the call only, until that returns an error.
// After most bytes it returns errLong, without the commit that they end in.
//
// Fields end in NUL. A commit has a field "\x01" with its time, and for each file a field
// with the status and one with the path, or two when the file was renamed. A newline stands
// before the first status.
func parseLog(r *bufio.Reader, most int64, each func(*commit) error) error {
	var c *commit
	next := func() (string, error) {
		field, err := nextField(r)
		if most -= int64(len(field)) + 1; most < 0 && err == nil {
			err = errLong
		}
		return field, err
	}
	for {
		field, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if when, ok := strings.CutPrefix(field, "\x01"); ok {
			if c == nil {
				c = &commit{}
			} else if err := each(c); err != nil {
				return err
			}
			c.changes = c.changes[:0]
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
			if ch.from, err = next(); err != nil {
				return unexpected(err)
			}
		}
		if ch.path, err = next(); err != nil {
			return unexpected(err)
		}
		c.changes = append(c.changes, ch)
	}
	if c != nil {
		return each(c)
	}
	return nil
}

// errLong means that a log is longer than its reader wants.
var errLong = errors.New("git log: too long")

// unexpected returns the error of a log that ends within a change.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("git log: %w", err)
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
