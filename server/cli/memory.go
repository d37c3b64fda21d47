package cli

import "runtime/debug"

// gcPercent makes a short-lived process collect garbage late: the loaded part of the
// index lives until the end, so collecting only costs time.
const gcPercent = 400

// lspGCPercent is for a process that lives as long as an editor, where memory counts. Most
// of its heap is arrays without pointers, which a collection does not scan.
const lspGCPercent = 40

// tuneMemory tunes the collector for a process that answers once.
func tuneMemory() { debug.SetGCPercent(gcPercent) }
