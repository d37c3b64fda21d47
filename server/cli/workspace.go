package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// workspaceFlags are the flags of every command that opens an index.
type workspaceFlags struct {
	Root   string `placeholder:"DIR" help:"The workspace; by default the project around the file or the working directory."`
	Timing bool   `hidden:"" help:"Print on standard error how long the parts took."`
}

// target is a workspace with its settings, before it is opened.
type target struct {
	root     string
	settings config.Settings
	variant  string // names an index that flags have made different from that of the settings
}

// recipeFlags are the flags for how files are cut and embedded. An index that they make
// different lies beside that of the workspace, which stays as it is.
type recipeFlags struct {
	NoASTChunking    bool   `name:"no-ast-chunking" help:"Cut code as text, not at its declarations."`
	EmbeddingContext string `enum:"none,minimal,full," default:"" placeholder:"M" values:"none,minimal,full" help:"Text embedded with a chunk: none, minimal (its unit and file) or full (also its relations)."`
}

// apply replaces the settings of a target by the flags.
func (r *recipeFlags) apply(t *target) {
	before := t.settings.OfIndex()
	t.settings.ASTChunking = t.settings.ASTChunking && !r.NoASTChunking
	t.settings.ContextMode = cmp.Or(r.EmbeddingContext, t.settings.ContextMode)
	if !maps.Equal(before, t.settings.OfIndex()) {
		t.variant = fmt.Sprintf("astChunking %t, contextMode %s", t.settings.ASTChunking, t.settings.ContextMode)
	}
}

// target finds the workspace around a file or directory and reads its settings. It prints
// settings without effect, and returns an error for an invalid one.
func (w *workspaceFlags) target(a *app, near string) (t target, err error) {
	root := w.Root
	if root == "" {
		if root, err = workspace.FindRoot(near); err != nil {
			return t, err
		}
	}
	if t.root, err = workspace.ResolveRoot(root); err != nil {
		return t, err
	}
	settings, warnings, err := config.Load(config.Sources{UserFile: config.UserFile(), Workspace: t.root})
	for i := range warnings {
		a.complain(&warnings[i])
	}
	t.settings = settings
	return t, err
}

// with opens the workspace, calls use and closes the workspace.
func (w *workspaceFlags) with(a *app, t target, o session.Options, use func(api.Workspace) error) error {
	o.Settings, o.OneQuestion = &t.settings, true
	start := time.Now()
	ws, err := openIndex(a.ctx, t.root, t.variant, o, nil)
	if err != nil {
		return err
	}
	if notice := ws.Notice(); notice != "" {
		fmt.Fprintf(a.err, "ambit: %s\n", oneLine(notice))
	}
	w.timing(a, "open", start)
	return errors.Join(use(ws), ws.Close())
}

// current opens the workspace, brings its index up to date, with progress unless quiet,
// and calls use. When the index cannot be written, use gets it as it is.
func (w *workspaceFlags) current(a *app, t target, o session.Options, quiet bool, use func(api.Workspace) error) error {
	return w.with(a, t, o, func(ws api.Workspace) error {
		err := w.catchUp(a, ws, quiet)
		switch {
		case errors.Is(err, api.ErrFull), errors.Is(err, api.ErrUnwritable):
			a.complain(fmt.Errorf("%w; the answer comes from what is indexed", err))
		case err != nil:
			return err
		}
		defer w.timing(a, "answer", time.Now())
		return use(ws)
	})
}

// ask checks a question, a pointer, and calls use with the workspace around the working
// directory, as current does.
func (w *workspaceFlags) ask(a *app, question any, quiet bool, use func(api.Workspace) error) error {
	if err := api.Check(question); err != nil {
		return usagef("%w", err)
	}
	t, err := w.target(a, ".")
	if err != nil {
		return err
	}
	return w.current(a, t, session.Options{}, quiet, use)
}

// catchUp brings the index up to date for a question.
func (w *workspaceFlags) catchUp(a *app, ws api.Workspace, quiet bool) error {
	defer w.timing(a, "catch up", time.Now())
	bar := newProgress(a, quiet)
	defer bar.end()
	_, err := ws.CatchUp(a.ctx, bar.show)
	return err
}

// timing prints the duration of a part if the user asked for it.
func (w *workspaceFlags) timing(a *app, part string, start time.Time) {
	if w.Timing {
		fmt.Fprintf(a.err, "timing: %s %.1f ms\n", part, time.Since(start).Seconds()*1000)
	}
}

// parsePlace reads FILE:LINE:COL from the right, so a file name may contain colons.
func parsePlace(text string) (file string, at api.Position, err error) {
	rest, column, ok := cutLast(text)
	file, line, okLine := cutLast(rest)
	switch {
	case !ok || !okLine || file == "":
		return "", at, usagef("%q is no place in a file; write FILE:LINE:COL, for example main.go:12:6", text)
	case line < 1 || column < 1:
		return "", at, usagef("%q is no place in a file; lines and columns count from 1", text)
	}
	return file, api.Position{Line: line - 1, Character: column - 1}, nil
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

// near returns the directory in which the search for the workspace of a file begins: the
// working directory for a file that does not exist, which may be relative to any
// workspace.
func near(file string) string {
	if _, err := os.Lstat(file); err != nil && !filepath.IsAbs(file) {
		return "."
	}
	return filepath.Dir(file)
}

// locate returns the path inside the workspace at root of a file that the user named
// relative to the working directory or else to the root. The file must exist.
func locate(root, file string) (record.Path, error) {
	full, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", file, err)
	}
	if _, err := os.Lstat(full); err != nil && !filepath.IsAbs(file) {
		full = filepath.Join(root, file)
	}
	path, err := workspace.Inside(root, full)
	if err != nil {
		return "", err
	}
	if _, err := os.Lstat(full); err != nil {
		return "", fmt.Errorf("no file %s; name one relative to the working directory or to the workspace %s", file, root)
	}
	return record.Path(path), nil
}

// rooted makes a path absolute that exists in the working directory. Another one, such as a
// pattern or a path of the workspace, stays as it is.
func rooted(path string) (string, error) {
	if _, err := os.Lstat(path); err != nil {
		return path, nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	return full, nil
}
