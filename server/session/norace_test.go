//go:build !race

package session_test

// equalSeeds is the number of seeds that prove each driver. A seed takes 60 ms.
const equalSeeds = 100

// killSeeds is the number of seeds of the proof with killed processes.
const killSeeds = 12

// damageSeeds is the number of damaged index files.
const damageSeeds = 60
