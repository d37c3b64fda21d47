//go:build race

package session_test

// equalSeeds is small because a seed takes five times as long under the race detector.
// `make test` runs more seeds without it.
const equalSeeds = 20

const killSeeds = 2

const damageSeeds = 20
