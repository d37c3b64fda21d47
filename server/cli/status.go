package cli

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ambit/server/attach"
	"ambit/server/lsp"
	"ambit/server/session"
)

// statusCommand shows what the index holds.
type statusCommand struct {
	workspace `embed:""`
	JSON      bool `name:"json" help:"Print JSON."`
}

// Run looks at the index and changes nothing in it.
func (c *statusCommand) Run(a *app) error {
	t, err := c.target(a, ".")
	if err != nil {
		return err
	}
	s, err := c.open(a, t, session.Options{})
	if err != nil {
		return err
	}
	owner, err := s.Owner(a.ctx)
	var st session.Status
	if err == nil {
		st, err = s.Status(a.ctx)
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if owner.Self { // for as long as the command took
		owner.PID = 0
	} else { // and not this one
		owner.Clients--
	}
	if c.JSON {
		return printJSON(a.out, statusAnswer(st, owner))
	}
	return printStatus(a, st, owner)
}

// statusJSON is the answer of status.
type statusJSON struct {
	State      string `json:"state"` // "ready", or "stale" while files are pending
	Generation uint64 `json:"generation"`
	Head       string `json:"head,omitempty"`
	Pending    int    `json:"pending"`
	Files      int    `json:"files"`
	lsp.About
}

func statusAnswer(st session.Status, owner attach.Owner) statusJSON {
	answer := statusJSON{"ready", st.Generation, st.Head, st.Pending, st.Indexed, aboutOf(&st, owner)}
	if st.Pending > 0 {
		answer.State = "stale"
	}
	return answer
}

// maxListed bounds the files that are listed under one reason; --json has them all.
const maxListed = 20

// others spells how many processes there are besides.
func others(n int) string {
	switch n {
	case 0:
		return "no other is"
	case 1:
		return "1 other is"
	}
	return fmt.Sprintf("%d others are", n)
}

// printStatus prints it for people.
func printStatus(a *app, st session.Status, owner attach.Owner) error {
	var b strings.Builder
	fmt.Fprintf(&b, "workspace  %s\n", oneLine(st.Root))
	fmt.Fprintf(&b, "index      %s (%s)\n", oneLine(st.Index), size(st.IndexBytes))
	if owner.PID != 0 {
		fmt.Fprintf(&b, "open in    process %d, to which %s attached\n", owner.PID, others(owner.Clients))
	}
	if st.Pending > 0 {
		fmt.Fprintf(&b, "pending    %s; ambit index brings it up to date\n", count(st.Pending, "file"))
	} else {
		fmt.Fprintf(&b, "pending    nothing, up to date\n")
	}
	fmt.Fprintf(&b, "indexed    %s (%s), %s\n", count(st.Indexed, "file"), size(st.Bytes), count(st.Chunks, "chunk"))
	names := slices.Collect(maps.Keys(st.Languages))
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(st.Languages[y], st.Languages[x]), cmp.Compare(x, y))
	})
	for _, name := range names {
		fmt.Fprintf(&b, "           %6d %s\n", st.Languages[name], name)
	}
	m := st.Memory
	fmt.Fprintf(&b, "embedded   %s, %d more remembered\n", count(m.Embedded, "chunk"), m.Kept)
	if m.Shelved > 0 || m.Recalled > 0 {
		fmt.Fprintf(&b, "shelf      %s of files (%s), %d came back\n", count(m.Shelved, "earlier state"), size(m.ShelfBytes), m.Recalled)
	}
	if m.Seed != "" {
		fmt.Fprintf(&b, "begun as   a copy of %s\n", oneLine(m.Seed))
	}
	if st.Masked > 0 {
		fmt.Fprintf(&b, "masked     %s\n", count(st.Masked, "secret"))
	}
	fmt.Fprintf(&b, "left out   %s\n", count(len(st.LeftOut), "file"))
	byReason := map[string][]string{}
	for _, l := range st.LeftOut {
		byReason[l.Reason] = append(byReason[l.Reason], l.Path)
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		paths := byReason[reason]
		fmt.Fprintf(&b, "           %s: %d\n", reason, len(paths))
		for _, path := range paths[:min(len(paths), maxListed)] {
			fmt.Fprintf(&b, "             %s\n", oneLine(path))
		}
		if more := len(paths) - maxListed; more > 0 {
			fmt.Fprintf(&b, "             … and %d more; ambit status --json lists them all\n", more)
		}
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}
