package cli

import (
	"errors"
	"fmt"
	"time"

	"ambit/server/session"
)

// indexCommand brings the index up to date and says what it did.
type indexCommand struct {
	workspace `embed:""`
	Rebuild   bool `help:"Forget the index and make a new one."`
}

// Help says when it is of use.
func (*indexCommand) Help() string {
	return `The other commands index what is missing before they answer; this one does only that, and says what it did.

Examples:

    ambit index
    ambit index --root ~/src/app
    ambit index --rebuild`
}

// Run indexes.
func (c *indexCommand) Run(a *app) error {
	start := time.Now()
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	s, err := c.open(a, t, session.Options{Rebuild: c.Rebuild})
	if err != nil {
		return err
	}
	report, err := c.catchUp(a, s, false)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "ambit: %s in %.1f s\n", summary(s.Root(), report), time.Since(start).Seconds())
	return nil
}

// summary says in a line what was done.
func summary(root string, r session.Report) string {
	if r.Indexed+r.LeftOut+r.Removed == 0 {
		return oneLine(root) + " is up to date, checked"
	}
	text := fmt.Sprintf("%s: indexed %s (%s), %s", oneLine(root), count(r.Indexed, "file"), size(r.Bytes), count(r.Embedded+r.Kept, "chunk"))
	if r.Recalled > 0 {
		text += fmt.Sprintf(", %s as remembered", count(r.Recalled, "file"))
	}
	if r.LeftOut > 0 {
		text += fmt.Sprintf(", left out %s (ambit status lists them)", count(r.LeftOut, "file"))
	}
	if r.Removed > 0 {
		text += fmt.Sprintf(", removed %s", count(r.Removed, "file"))
	}
	return text
}

// count spells a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
