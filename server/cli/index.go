package cli

import (
	"fmt"
	"os"
	"time"

	"ambit/server/api"
	"ambit/server/session"
)

// indexCommand brings the index up to date and reports its work.
type indexCommand struct {
	workspaceFlags `embed:""`
	recipeFlags    `embed:""`
	Rebuild        bool `help:"Remove the index and make a new one."`
}

// Help explains the command.
func (*indexCommand) Help() string {
	return `The other commands index new and changed files before they answer; this one only indexes, and reports its work.

With --no-ast-chunking or --embedding-context it makes an index for comparison, which only "ambit chunks" with
the same flags reads. To change how a workspace is indexed, use the settings astChunking and contextMode.

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
	c.apply(&t)
	var done, few string
	err = c.with(a, t, session.Options{Rebuild: c.Rebuild}, func(w api.Workspace) (err error) {
		if done, err = c.index(a, w); err == nil {
			done += fmt.Sprintf(" in %.1f s", time.Since(start).Seconds())
			few, err = whyFew(a, w)
		}
		return err
	})
	for _, line := range []string{done, few} {
		if err == nil && line != "" {
			fmt.Fprintf(a.err, "ambit: %s\n", line)
		}
	}
	return err
}

// index brings the index up to date and returns a line about its work. It cannot remove
// an index that another process owns, so a rebuild then reads every file again.
func (c *indexCommand) index(a *app, w api.Workspace) (string, error) {
	if c.Rebuild {
		st, err := w.Status(a.ctx, api.StatusQuestion{})
		if err != nil {
			return "", err
		}
		if st.OwnerPID != os.Getpid() {
			bar := newProgress(a, false)
			defer bar.end()
			read, err := w.Reindex(a.ctx, api.ReindexQuestion{}, bar.show)
			return fmt.Sprintf("%s: process %d has it open and read %s again", oneLine(w.Root()), st.OwnerPID, count(read.Files, "file")), err
		}
	}
	bar := newProgress(a, false)
	defer bar.end()
	report, err := w.Index(a.ctx, bar.show)
	return summary(w.Root(), report), err
}

// fewFiles is the number of indexed files below which the user is told why there are so few.
const fewFiles = 100

// whyFew returns a line about the rule that keeps most of the tree out of the index, when
// the index has few files and fewer than are left out and ignored. It also says when there
// are no files. It returns "" for any other tree.
func whyFew(a *app, w api.Workspace) (string, error) {
	st, err := w.Status(a.ctx, api.StatusQuestion{})
	if err != nil || st.Files >= fewFiles {
		return "", err
	}
	if st, err = w.Status(a.ctx, api.StatusQuestion{Scan: true}); err != nil {
		return "", err
	}
	out := len(st.LeftOut)
	for _, x := range st.Ignored {
		out += x.Files + x.Dirs
	}
	if st.Files+out == 0 {
		return "there are no files in " + oneLine(w.Root()), nil
	}
	if out <= st.Files {
		return "", nil
	}
	indexed := count(st.Files, "file") + " indexed"
	if len(st.LeftOut) > out/2 {
		return fmt.Sprintf("%s, %d left out, most as %s; ambit status lists them", indexed, len(st.LeftOut), commonest(st.LeftOut)), nil
	}
	x := st.Ignored[0]
	return fmt.Sprintf("%s, because %s leaves out %s; ambit status lists all such rules, and a line with ! in .ambitignore takes files in",
		indexed, oneLine(x.Rule), entries(x.Files, x.Dirs)), nil
}

// commonest returns the reason for which most of the files are left out.
func commonest(files []api.LeftOut) (reason string) {
	n := map[string]int{}
	for _, f := range files {
		if n[f.Reason]++; n[f.Reason] > n[reason] || n[f.Reason] == n[reason] && f.Reason < reason {
			reason = f.Reason
		}
	}
	return reason
}

// summary returns a line about an indexing run.
func summary(root string, r api.Report) string {
	if r.Indexed+r.LeftOut+r.Removed == 0 {
		return oneLine(root) + " is up to date, checked"
	}
	text := fmt.Sprintf("%s: indexed %s (%s), %s", oneLine(root), count(r.Indexed, "file"), size(r.Bytes), count(r.Embedded+r.Kept, "chunk"))
	if r.Recalled > 0 {
		text += fmt.Sprintf(", %s reused from earlier revisions", count(r.Recalled, "file"))
	}
	if r.LeftOut > 0 {
		text += fmt.Sprintf(", left out %s (ambit status lists them)", count(r.LeftOut, "file"))
	}
	if r.Removed > 0 {
		text += fmt.Sprintf(", removed %s", count(r.Removed, "file"))
	}
	return text
}

// count returns a number of things, "1 file" or "2 files".
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
