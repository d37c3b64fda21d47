package cli

import (
	"testing"

	"ambit/server/lsp"
	"ambit/server/scheduler"
)

// Opener opens the workspaces of ambit lsp.
var Opener lsp.Opener = lspOpener{new(scheduler.Limiter)}

// PrintEvaluation prints an evaluation as tables.
var PrintEvaluation = printEvaluation

// SetRelease makes this a release, as the linker does, until the test ends.
func SetRelease(t *testing.T, version string) {
	before := release
	release = version
	t.Cleanup(func() { release = before })
}
