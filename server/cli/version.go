package cli

import (
	"fmt"
	"runtime/debug"
)

// The linker sets these in a release, with -X.
var (
	release string // the version, 1.2.3
	commit  string // the whole hash
)

// versionCommand prints the version.
type versionCommand struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// versionJSON is the output of version --json.
type versionJSON struct {
	Version string `json:"version"` // of the release or the module; "(devel)" when it has none
	Commit  string `json:"commit,omitempty"`
	// Modified means that the checkout differed from the commit.
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// Run prints the version.
func (c *versionCommand) Run(a *app) error {
	v := buildVersion()
	if c.JSON {
		return printJSON(a.out, &v)
	}
	text := "ambit " + v.Version
	if v.Commit != "" {
		text += " " + v.Commit
	}
	_, err := fmt.Fprintf(a.out, "%s (%s)\n", text, v.Go)
	return err
}

// buildVersion returns the version of this build.
func buildVersion() versionJSON {
	v := versionJSON{Version: "unknown"}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version, v.Go = info.Main.Version, info.GoVersion
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				v.Commit = setting.Value
			case "vcs.modified":
				v.Modified = setting.Value == "true"
			}
		}
	}
	if release != "" {
		v.Version, v.Commit, v.Modified = release, commit, false
	}
	return v
}
