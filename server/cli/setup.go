package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ambit/server/setup"
	"ambit/server/workspace"
)

// setupCommand sets agents up.
type setupCommand struct {
	Client []string `placeholder:"NAME" values:"claude,codex,gemini,cursor,vscode,zed,opencode" help:"Only this client; may be repeated: claude, codex, gemini, cursor, vscode, zed, opencode."`
	Yes    bool     `help:"Write without asking."`
	Undo   bool     `help:"Take back what ambit setup has written, and nothing else."`
	Print  string   `placeholder:"NAME" values:"claude,codex,gemini,cursor,vscode,zed,opencode" help:"Print what a client gets, and write nothing."`
}

// Help explains what is written.
func (*setupCommand) Help() string {
	return `It looks for Claude Code, Codex, Gemini CLI, Cursor, VS Code, Zed and opencode on this machine, shows
what it would write into the settings of each, and writes after a yes. The AGENTS.md or CLAUDE.md of
the project gets a section between two marks, if there is such a file.

A file that ambit does not understand is left alone. --undo takes back exactly what was written.`
}

// Run shows the changes and writes them.
func (c *setupCommand) Run(a *app) error {
	env, err := setupEnvironment()
	if err != nil {
		return err
	}
	if c.Print != "" {
		text, err := setup.Entry(env, c.Print)
		if err != nil {
			return usagef("%w", err)
		}
		_, err = io.WriteString(a.out, text)
		return err
	}
	changes, err := setup.Plan(env, c.Client, c.Undo)
	if err != nil {
		return usagef("%w", err)
	}
	needed, err := c.show(a, changes)
	if err != nil || len(needed) == 0 {
		return err
	}
	if !c.Yes {
		yes, err := a.confirm("Write these files?")
		if err != nil || !yes {
			return err
		}
	}
	var errs []error
	for i := range needed {
		if err := needed[i].Apply(); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", needed[i].Client, err))
			continue
		}
		fmt.Fprintf(a.out, "written: %s\n", needed[i].File)
	}
	return errors.Join(errs...)
}

// show prints the changes and returns those that are needed. Files that are left alone
// are no error unless there is nothing else.
func (c *setupCommand) show(a *app, changes []setup.Change) (needed []setup.Change, err error) {
	if len(changes) == 0 {
		fmt.Fprintf(a.err, "ambit: no client was found on this machine; name one with --client: %s\n", setup.Names())
		return nil, nil
	}
	sign, done := "+", "already set up"
	if c.Undo {
		sign, done = "-", "nothing to take back"
	}
	for i := range changes {
		change := &changes[i]
		switch {
		case c.Undo && change.Before == nil: // the client was never set up
		case change.Err != nil:
			a.complain(fmt.Errorf("%s: %w", change.Client, change.Err))
			err = errShown
		case !change.Needed():
			fmt.Fprintf(a.out, "%s: %s (%s)\n", change.Client, change.File, done)
		default:
			fmt.Fprintf(a.out, "%s: %s\n", change.Client, change.File)
			for line := range strings.Lines(change.Added) {
				fmt.Fprintf(a.out, "  %s %s\n", sign, strings.TrimRight(line, "\n"))
			}
			needed = append(needed, *change)
		}
	}
	if len(needed) > 0 {
		err = nil
	}
	return needed, err
}

// confirm asks the user a question on the terminal.
func (a *app) confirm(question string) (bool, error) {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if err != nil {
		fmt.Fprintln(a.err)
		return false, usagef("nobody answered; ambit setup --yes writes without asking")
	}
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))), nil
}

// setupEnvironment describes this machine.
func setupEnvironment() (env setup.Environment, err error) {
	if env.Home, err = os.UserHomeDir(); err != nil {
		return env, fmt.Errorf("find your home directory: %w; set HOME", err)
	}
	if env.ConfigDir, err = os.UserConfigDir(); err != nil {
		return env, fmt.Errorf("find your settings: %w; set HOME", err)
	}
	env.Path = filepath.SplitList(os.Getenv("PATH"))
	if env.Workspace, err = workspace.FindRoot("."); err != nil {
		env.Workspace = "" // there is no project here
	}
	self, err := os.Executable()
	if err != nil {
		return env, fmt.Errorf("find the program of ambit: %w", err)
	}
	env.Command = self
	for _, dir := range env.Path { // a name on the PATH survives an update
		if found, err := os.Stat(filepath.Join(dir, "ambit")); err == nil {
			if own, err := os.Stat(self); err == nil && os.SameFile(found, own) {
				env.Command = "ambit"
			}
			break
		}
	}
	return env, nil
}
