//go:build race

package session_test

// equalSeeds is small where each seed takes five times as long; `make test` runs more
// without the race detector.
const equalSeeds = 20

const killSeeds = 2

const damageSeeds = 20
