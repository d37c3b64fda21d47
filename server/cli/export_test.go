package cli

import "ambit/server/lsp"

// Opener is what ambit lsp opens workspaces with.
var Opener lsp.Opener = opener{}
