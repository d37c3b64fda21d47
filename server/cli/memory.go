package cli

import "runtime/debug"

// gcPercent lets a short-lived process collect its garbage late: what is loaded of
// the index lives until the end anyway, and collecting beside it costs time only.
const gcPercent = 400

// lspGCPercent is for a process that lives as long as an editor: memory counts. Most
// of its heap are arrays without pointers, which cost a collection nothing.
const lspGCPercent = 40

// tuneMemory sets the collector up for a process that answers once.
func tuneMemory() { debug.SetGCPercent(gcPercent) }
