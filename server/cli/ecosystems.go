package cli

import (
	"fmt"
	"strings"

	"ambit/server/api"
)

// listEcosystems writes where the sources of dependencies are.
func listEcosystems(b *strings.Builder, all []api.Ecosystem) {
	for i := range all {
		e := &all[i]
		fmt.Fprintf(b, "depends    %s: %d found, %d missing\n", e.Name, len(e.Found), len(e.Missing))
		if e.Std != nil {
			fmt.Fprintf(b, "           standard library %s  %s\n", oneLine(e.Std.Version), oneLine(e.Std.Dir))
		}
		for _, p := range e.Found {
			fmt.Fprintf(b, "           %s  %s\n", named(p), oneLine(p.Dir))
		}
		for _, p := range e.Missing {
			fmt.Fprintf(b, "           %s  missing\n", named(p))
		}
		if len(e.Missing) > 0 {
			fmt.Fprintf(b, "           %s brings what is missing\n", e.Remedy)
		}
		for _, r := range e.Refused {
			fmt.Fprintf(b, "           %s  not read: %s\n", oneLine(r.What), oneLine(r.Reason))
		}
	}
}

// named returns the name of a package with its version.
func named(p api.Package) string {
	if p.Version == "" {
		return oneLine(p.Name)
	}
	return oneLine(p.Name + "@" + p.Version)
}
