package cli

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"ambit/server/upgrade"
)

// upgradeCommand says whether there is a newer release. It is the only command that asks the
// network without an address in the settings of the user.
type upgradeCommand struct {
	Check bool   `help:"Ask for the latest release. Without it, nothing is asked."`
	From  string `placeholder:"URL" help:"Where the latest release has its SHA256SUMS."`
	JSON  bool   `name:"json" help:"Print JSON."`
}

// upgradeJSON is the output of upgrade --check --json.
type upgradeJSON struct {
	Version string `json:"version"` // of this ambit, as version --json says
	Latest  string `json:"latest"`
	Newer   bool   `json:"newer"` // false for an ambit that is no release
	From    string `json:"from"`
}

// Help shows an example.
func (*upgradeCommand) Help() string {
	return `The request names neither this machine nor this version, and nothing is installed.

    ambit upgrade --check --from https://HOST/releases/latest/download`
}

// Run prints which release is the latest.
func (c *upgradeCommand) Run(a *app) error {
	if !c.Check {
		return usagef("ambit does not upgrade itself; ambit upgrade --check says whether there is a newer release, and the package manager installs it")
	}
	answer := upgradeJSON{Version: strings.TrimPrefix(buildVersion().Version, "v"), From: cmp.Or(c.From, upgrade.Address)}
	if answer.From == "" {
		return errors.New("the address of the releases is not known yet; name one: ambit upgrade --check --from https://HOST/PATH, where the release has its SHA256SUMS")
	}
	latest, err := upgrade.Latest(a.ctx, answer.From)
	if err != nil {
		return err
	}
	answer.Latest, answer.Newer = latest, upgrade.Newer(latest, answer.Version)
	if c.JSON {
		return printJSON(a.out, &answer)
	}
	text := fmt.Sprintf("ambit %s is the latest release; this is %s", answer.Latest, answer.Version)
	if answer.Newer {
		text = fmt.Sprintf("ambit %s is newer than this, %s; it is at %s", answer.Latest, answer.Version, answer.From)
	}
	_, err = fmt.Fprintln(a.out, text)
	return err
}
