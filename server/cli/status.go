package cli

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/session"
)

// statusCommand shows the contents of the index.
type statusCommand struct {
	workspaceFlags `embed:""`
	Audit          bool `help:"List the secrets that are masked: file, line and rule."`
	Deps           bool `help:"List the dependencies: where their sources are, and which are missing."`
	JSON           bool `name:"json" help:"Print JSON."`
}

// Help explains the command.
func (*statusCommand) Help() string {
	return `Secrets are masked before anything of a file is indexed, answered or logged. --audit lists them by file, line
and rule, and never their text. A comment with "ambit:allow" lets through what begins on its line, and the setting
showSecrets lets through whole files.

Answers have the declarations of dependencies that a symbol uses. --deps lists the direct dependencies of each
language whose sources are on this machine, those that are not, and what a manifest names that is not read.

Examples:

    ambit status
    ambit status --audit
    ambit status --deps`
}

// stateStale is the state of an index with pending files and without a process that
// indexes them. Editors never get it.
const stateStale api.StateName = "stale"

// Run reads the index and does not change it.
func (c *statusCommand) Run(a *app) error {
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	return c.with(a, t, session.Options{}, func(w api.Workspace) error {
		st, err := w.Status(a.ctx, api.StatusQuestion{Scan: true, Audit: c.Audit, Deps: c.Deps})
		if err != nil {
			return err
		}
		st.Folder = location.URI(st.Root, "")
		if st.State.State = api.StateReady; st.Pending > 0 {
			st.State.State = stateStale
		}
		if st.OwnerPID == os.Getpid() { // this process, which ends with the command
			st.OwnerPID = 0
		} else { // one of the clients is this command
			st.Clients--
		}
		if c.JSON {
			return printJSON(a.out, st)
		}
		return c.print(a, st)
	})
}

// maxListed bounds the files that are listed under one reason; --json has them all.
const maxListed = 20

// others returns the number of other processes, with a verb.
func others(n int) string {
	switch n {
	case 0:
		return "no other is"
	case 1:
		return "1 other is"
	}
	return fmt.Sprintf("%d others are", n)
}

// print prints the status as text.
func (c *statusCommand) print(a *app, st *api.Status) error {
	var b strings.Builder
	fmt.Fprintf(&b, "workspace  %s\n", oneLine(st.Root))
	fmt.Fprintf(&b, "index      %s (%s)\n", oneLine(st.Index), size(st.IndexBytes))
	if st.OwnerPID != 0 {
		fmt.Fprintf(&b, "open in    process %d, to which %s attached\n", st.OwnerPID, others(st.Clients))
	}
	if st.Pending > 0 {
		fmt.Fprintf(&b, "pending    %s; ambit index brings it up to date\n", count(st.Pending, "file"))
	} else {
		fmt.Fprintf(&b, "pending    nothing, up to date\n")
	}
	fmt.Fprintf(&b, "indexed    %s (%s), %s\n", count(st.Files, "file"), size(st.Bytes), count(st.Chunks, "chunk"))
	names := slices.Collect(maps.Keys(st.Languages))
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(st.Languages[y], st.Languages[x]), cmp.Compare(x, y))
	})
	for _, name := range names {
		fmt.Fprintf(&b, "           %6d %s\n", st.Languages[name], name)
	}
	m := st.Memory
	fmt.Fprintf(&b, "embedded   %s, %d more remembered\n", count(m.Embedded, "chunk"), m.Kept)
	if m.Revisions > 0 || m.Recalled > 0 {
		fmt.Fprintf(&b, "revisions  %s of files kept (%s), %d reused\n", count(m.Revisions, "earlier revision"), size(m.RevisionBytes), m.Recalled)
	}
	if m.ClonedFrom != "" {
		fmt.Fprintf(&b, "cloned     from %s\n", oneLine(m.ClonedFrom))
	}
	fmt.Fprintf(&b, "history    %s\n", historyLine(st.History))
	if st.Masked > 0 {
		fmt.Fprintf(&b, "masked     %s\n", count(st.Masked, "secret"))
		for _, s := range st.Secrets {
			fmt.Fprintf(&b, "           %s:%d  %s\n", oneLine(string(s.Path)), s.Line, s.Rule)
		}
	}
	if len(st.Partial) > 0 {
		listByReason(&b, "as text", st.Partial)
	}
	listByReason(&b, "left out", st.LeftOut)
	listIgnored(&b, st.Ignored)
	listEcosystems(&b, st.Ecosystems)
	if c.Deps && len(st.Ecosystems) == 0 {
		b.WriteString("depends    nothing that is indexed has dependencies that ambit reads\n")
	}
	if st.DependencyCache > 0 {
		fmt.Fprintf(&b, "           %s of parsed sources, for all workspaces\n", size(st.DependencyCache))
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

// historyLine says what of the history of git is known.
func historyLine(h api.History) string {
	line := "none"
	if h.Commits > 0 {
		line = count(h.Commits, "commit")
	}
	if h.Cut != "" {
		line += "; without " + oneLine(h.Cut)
	}
	if h.Reading {
		line += "; being read"
	}
	return line
}

// maxRules bounds the rules that are listed; --json has them all.
const maxRules = 10

// listIgnored writes what each rule ignores.
func listIgnored(b *strings.Builder, ignored []api.Ignored) {
	if len(ignored) == 0 {
		return
	}
	var files, dirs int
	for _, x := range ignored {
		files, dirs = files+x.Files, dirs+x.Dirs
	}
	fmt.Fprintf(b, "ignored    %s; a line with ! in .ambitignore takes files in\n", entries(files, dirs))
	for _, x := range ignored[:min(len(ignored), maxRules)] {
		fmt.Fprintf(b, "           %s: %s, as %s\n", oneLine(x.Rule), entries(x.Files, x.Dirs), oneLine(string(x.Example)))
	}
	if more := len(ignored) - maxRules; more > 0 {
		fmt.Fprintf(b, "           … and %s more; ambit status --json lists them all\n", count(more, "rule"))
	}
}

// entries returns the numbers of files and directories that are not 0, or "nothing".
func entries(files, dirs int) string {
	var parts []string
	if files > 0 {
		parts = append(parts, count(files, "file"))
	}
	switch {
	case dirs == 1:
		parts = append(parts, "1 directory")
	case dirs > 1:
		parts = append(parts, fmt.Sprintf("%d directories", dirs))
	}
	return cmp.Or(strings.Join(parts, " and "), "nothing")
}

// listByReason writes how many files there are, and the first paths for each reason.
func listByReason(b *strings.Builder, title string, files []api.LeftOut) {
	fmt.Fprintf(b, "%-10s %s\n", title, count(len(files), "file"))
	byReason := map[string][]string{}
	for _, l := range files {
		byReason[l.Reason] = append(byReason[l.Reason], string(l.Path))
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		paths := byReason[reason]
		fmt.Fprintf(b, "           %s: %d\n", reason, len(paths))
		for _, path := range paths[:min(len(paths), maxListed)] {
			fmt.Fprintf(b, "             %s\n", oneLine(path))
		}
		if more := len(paths) - maxListed; more > 0 {
			fmt.Fprintf(b, "             … and %d more; ambit status --json lists them all\n", more)
		}
	}
}
