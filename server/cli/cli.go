// Package cli is the command line of ambit: flags, subcommands, exit codes and the
// messages on standard error.
//
// Standard output carries answers and nothing else, so it can be piped; with --json it
// carries one JSON value, a type of package api. An error is one line on standard error
// that names the next step. The exit code is 0 for success, 1 for a failure and 2 for
// wrong usage.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"ambit/server/lsp"
	"ambit/server/scheduler"
)

// The exit codes.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Main runs the command line of the process and returns the exit code. An interrupt
// cancels the command and ends the process at most endGrace later; a second one ends it at
// once.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, func() {
		stop()
		endSoon()
	})
	defer scheduler.OfAnswer.Keep()()
	return run(&app{ctx: ctx, in: os.Stdin, out: os.Stdout, err: os.Stderr, endSoon: endSoon}, os.Args[1:])
}

// Run runs the command line args and returns the exit code.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return run(&app{ctx: ctx, in: os.Stdin, out: stdout, err: stderr, endSoon: func() {}}, args)
}

// run is Run in an environment.
func run(a *app, args []string) (code int) {
	a.outIsTerminal, a.errIsTerminal = isTerminal(a.out), isTerminal(a.err)
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case helpShown:
			code = int(cause)
		default:
			code = a.fail(fmt.Errorf("internal error: %v; please report it with %s", cause, saveStack(debug.Stack())))
		}
	}()
	command, err := parse(a, args)
	if err != nil {
		return a.fail(err)
	}
	return a.fail(command.Run(a))
}

// app is the environment of a command.
type app struct {
	ctx           context.Context // of the one command that the process runs
	in            io.Reader
	out, err      io.Writer
	endSoon       func() // called when the client of the process is gone
	outIsTerminal bool
	errIsTerminal bool
}

// helpShown is the value with which the parser panics after it has printed help. Run
// recovers it.
type helpShown int

// errShown is the error of a command that has already printed why it failed.
var errShown = errors.New("the reason is printed")

// usageError is an error in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef returns a usageError.
func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// fail prints err, if any, and returns its exit code.
func (a *app) fail(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, lsp.ErrAbrupt), errors.Is(err, errShown): // without output
		return exitFailed
	case a.ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(a.err, "ambit: interrupted")
		return exitFailed
	case errors.As(err, &usage):
		a.complain(err)
		return exitUsage
	}
	a.complain(err)
	return exitFailed
}

// complain prints an error on one line.
func (a *app) complain(err error) {
	fmt.Fprintf(a.err, "ambit: %s\n", oneLine(err.Error()))
}

// oneLine returns text on one line, without control characters.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\ufffd")), " ")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// grammar is the command line for kong.
type grammar struct {
	Context  contextCommand  `cmd:"" help:"Print the context of a place in the code, or of a question, within a token budget."`
	Search   searchCommand   `cmd:"" help:"Find code and prose by words."`
	Overview overviewCommand `cmd:"" help:"Print what the project is: languages, frameworks, entry points, parts."`
	Read     readCommand     `cmd:"" help:"Print the whole text of a declaration."`
	Impact   impactCommand   `cmd:"" help:"List what a change of a declaration touches: users, tests, documents, files that change with it."`
	LSP      lspCommand      `cmd:"" name:"lsp" help:"Serve an editor: the Language Server Protocol on standard input and output."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Serve agents: the Model Context Protocol on standard input and output, or HTTP."`
	Setup    setupCommand    `cmd:"" help:"Set agents up: write the entries that make them start ambit."`
	Index    indexCommand    `cmd:"" help:"Bring the index of a workspace up to date."`
	Chunks   chunksCommand   `cmd:"" help:"Show the chunks of a file."`
	Status   statusCommand   `cmd:"" help:"Show the contents of the index of a workspace, and the files that are left out."`
	Eval     evalCommand     `cmd:"" help:"Measure, on the history of this repository, how well ambit finds what commits changed."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
	Upgrade  upgradeCommand  `cmd:"" help:"Say whether there is a newer release, when told to: ambit upgrade --check."`
	Help     helpCommand     `cmd:"" help:"Explain a topic: ambit help settings."`

	Completion completionCommand `cmd:"" help:"Print a script that completes the commands of ambit in a shell."`
}

// runner is a parsed command.
type runner interface{ Run(a *app) error }

const description = `The right pieces of code for a symbol or a question, assembled within a token budget.

The index is in your cache directory and is made on first use. Nothing leaves this machine.`

// newParser returns the parser of the command line.
func newParser(a *app) (*kong.Kong, error) {
	return kong.New(new(grammar),
		kong.Name("ambit"),
		kong.Description(description),
		kong.Writers(a.out, a.err),
		kong.Exit(func(code int) { panic(helpShown(code)) }),
		kong.WithHyphenPrefixedParameters(true),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
	)
}

// parse parses the command line.
func parse(a *app, args []string) (runner, error) {
	parser, err := newParser(a)
	if err != nil {
		return nil, err
	}
	line, err := parser.Parse(args)
	if err != nil {
		next := "ambit --help"
		var wrong *kong.ParseError
		if errors.As(err, &wrong) && wrong.Context != nil && wrong.Context.Selected() != nil {
			next = "ambit " + wrong.Context.Selected().Name + " --help"
		}
		return nil, usagef("%w; %s explains", err, next)
	}
	command, ok := line.Selected().Target.Addr().Interface().(runner)
	if !ok {
		return nil, fmt.Errorf("%s is no command", line.Selected().Name)
	}
	return command, nil
}

// saveStack writes the stack of a panic to a file. It returns the name of the file, or a
// description of the command when it cannot write one, for the bug report.
func saveStack(stack []byte) string {
	file, err := os.CreateTemp("", "ambit-crash-*.txt")
	if err != nil {
		return "the command that led to it"
	}
	defer file.Close()
	if _, err := file.Write(stack); err != nil {
		return "the command that led to it"
	}
	return file.Name()
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
