package cli

import (
	"ambit/server/lsp"
	"ambit/server/scheduler"
)

// Opener opens the workspaces of ambit lsp.
var Opener lsp.Opener = lspOpener{new(scheduler.Limiter)}

// PrintEvaluation prints an evaluation as tables.
var PrintEvaluation = printEvaluation
