// Command ambit answers, for a symbol or a question, with the code that belongs
// with it. Everything it does is in package cli.
package main

import (
	"os"

	"ambit/server/cli"
)

//go:generate go test -run TestTheThirdPartyLicences -update .

func main() { os.Exit(cli.Main()) }
