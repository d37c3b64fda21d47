package cli

import (
	"ambit/server/lsp"
	"ambit/server/scheduler"
)

// Opener is what ambit lsp opens workspaces with.
var Opener lsp.Opener = lspOpener{new(scheduler.Limiter)}
