// Package cli is the command line of ambit.
package cli

// Main runs the command that the process was started with and returns its exit
// code.
func Main() int { return 2 }
