package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ambit/server/attach"
	"ambit/server/config"
	"ambit/server/format"
	"ambit/server/session"
)

// workspace is what every command that needs an index is told.
type workspace struct {
	Root   string `placeholder:"DIR" help:"The workspace; by default the project around the file or the working directory."`
	Timing bool   `hidden:"" help:"Print on standard error how long the parts took."`
}

// target is a workspace with its settings, before it is opened.
type target struct {
	root     string
	settings config.Settings
}

// target finds the workspace around a file or directory and reads its settings. A
// setting that has no effect is worth a line, a wrong one is an error.
func (w *workspace) target(a *app, near string) (target, error) {
	t := target{root: w.Root}
	if t.root == "" {
		var err error
		if t.root, err = session.FindRoot(near); err != nil {
			return target{}, err
		}
	}
	root, err := session.ResolveRoot(t.root)
	if err != nil {
		return target{}, err
	}
	settings, warnings, err := config.Load(config.Sources{UserFile: config.UserFile(), Workspace: root})
	for i := range warnings {
		a.complain(&warnings[i])
	}
	t.settings = settings
	return t, err
}

// attachOptions are the options with which every process of ambit opens an index.
func attachOptions(o session.Options) attach.Options {
	v := buildVersion()
	build := v.Version + " " + v.Commit
	if v.Modified {
		build += " modified"
	}
	return attach.Options{Session: o, Build: build, Cost: format.CostOf}
}

// open opens the workspace: its index, or a client of the process that has it open.
func (w *workspace) open(a *app, t target, o session.Options) (*attach.Client, error) {
	o.Settings = &t.settings
	start := time.Now()
	s, err := attach.Open(a.ctx, t.root, attachOptions(o))
	if err != nil {
		return nil, err
	}
	if notice := s.Notice(); notice != "" {
		fmt.Fprintf(a.err, "ambit: %s\n", oneLine(notice))
	}
	w.timing(a, "open", start)
	return s, nil
}

// current opens the workspace and indexes what is missing, with progress unless
// quiet. An index that cannot be written answers all the same, and says so.
func (w *workspace) current(a *app, t target, o session.Options, quiet bool) (*attach.Client, error) {
	s, err := w.open(a, t, o)
	if err != nil {
		return nil, err
	}
	_, err = w.catchUp(a, s, quiet)
	switch {
	case errors.Is(err, session.ErrFull), errors.Is(err, session.ErrUnwritable):
		a.complain(fmt.Errorf("%w; the answer comes from what is indexed", err))
	case err != nil:
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// catchUp indexes what is missing.
func (w *workspace) catchUp(a *app, s *attach.Client, quiet bool) (session.Report, error) {
	defer w.timing(a, "catch up", time.Now())
	bar := newProgress(a, quiet)
	defer bar.end()
	return s.Index(a.ctx, bar.show)
}

// timing prints how long a part took, when asked for.
func (w *workspace) timing(a *app, part string, start time.Time) {
	if w.Timing {
		fmt.Fprintf(a.err, "timing: %s %.1f ms\n", part, time.Since(start).Seconds()*1000)
	}
}

// place is FILE:LINE:COL.
type place struct {
	file         string
	line, column int
}

// parsePlace reads FILE:LINE:COL from the right, so a name may hold colons.
func parsePlace(text string) (place, error) {
	bad := usagef("%q is no place in a file; write FILE:LINE:COL, for example main.go:12:6", text)
	rest, column, ok := cutLast(text)
	if !ok {
		return place{}, bad
	}
	file, line, ok := cutLast(rest)
	if !ok || file == "" {
		return place{}, bad
	}
	if line < 1 || column < 1 {
		return place{}, usagef("%q is no place in a file; lines and columns count from 1", text)
	}
	return place{file, line, column}, nil
}

// cutLast cuts a number off the end of text, after its last colon.
func cutLast(text string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return "", 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil
}

// near returns the directory in which the search for the workspace of a file begins:
// a name that is relative to the workspace says nothing of where that is.
func near(file string) string {
	if _, err := os.Lstat(file); err != nil && !filepath.IsAbs(file) {
		return "."
	}
	return filepath.Dir(file)
}

// locate returns the path inside the workspace of a file as the user named it:
// relative to the working directory or else to the root.
func locate(s *attach.Client, file string) (string, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	if _, err := os.Lstat(full); err != nil && !filepath.IsAbs(file) {
		full = filepath.Join(s.Root(), file)
	}
	return session.Inside(s.Root(), full)
}
