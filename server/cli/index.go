package cli

import (
	"errors"
	"fmt"
	"time"

	"ambit/server/attach"
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
	text, err := c.index(a, s)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "ambit: %s in %.1f s\n", text, time.Since(start).Seconds())
	return nil
}

// index brings the index up to date and says in a line what it did. An index that
// another process has open cannot be forgotten: every file is read anew.
func (c *indexCommand) index(a *app, s *attach.Client) (string, error) {
	owner, err := s.Owner(a.ctx)
	if err != nil {
		return "", err
	}
	if !c.Rebuild || owner.Self {
		report, err := c.catchUp(a, s, false)
		return summary(s.Root(), report), err
	}
	bar := newProgress(a, false)
	defer bar.end()
	n, err := s.Reindex(a.ctx, "", func(st session.State) {
		bar.show(session.Progress{Phase: st.Name, Done: st.Done, Total: st.Total})
	})
	return fmt.Sprintf("%s: process %d has it open and read %s anew", oneLine(s.Root()), owner.PID, count(n, "file")), err
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
