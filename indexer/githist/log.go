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
	subject string
	changes []change
}

// change is one file of a commit, named from the repository's top.
type change struct {
	status byte   // A, D, M, R, T, …
	path   string // after the commit
	from   string // before it, when status is R
}

// parseLog parses the output of `git log -z --name-status --format=%x01%ct %s` and calls
// each with every commit, which is valid during the call only, until that returns an error.
// After most bytes it returns errLong, without the commit that they end in.
//
// Fields end in NUL. A commit has a field "\x01" with its time and its subject, and for each file a field
// with the status and one with the path, or two when the file was renamed. A newline stands
// before the first status.
func parseLog(r *bufio.Reader, most int64, each func(*commit) error) error {
	var c *commit
	next := func() (string, error) {
		field, size, err := nextField(r)
		if most -= size; most < 0 && err == nil {
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
			when, c.subject, _ = strings.Cut(when, " ")
			c.subject = upTo(strings.ToValidUTF8(strings.TrimSpace(c.subject), "\ufffd"), maxSubject)
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

// nextField returns the text up to the next NUL, or the rest, and the bytes that it read. Of a field
// that does not fit into the buffer of r it returns the first part: no path is as long.
func nextField(r *bufio.Reader) (field string, size int64, err error) {
	part, err := r.ReadSlice(0)
	field, size = string(part), int64(len(part))
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.ReadSlice(0)
		size += int64(len(part))
	}
	if errors.Is(err, io.EOF) && size > 0 {
		err = nil
	}
	return strings.TrimSuffix(field, "\x00"), size, err
}

// upTo returns the first runes of a text.
func upTo(text string, runes int) string {
	for i := range text {
		if runes--; runes < 0 {
			return text[:i]
		}
	}
	return text
}
