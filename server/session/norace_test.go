//go:build !race

package session_test

// equalSeeds is how many seeds each driver is proved with: 60 ms each.
const equalSeeds = 100

// killSeeds is how many seeds are proved with processes that are killed.
const killSeeds = 12

// damageSeeds is how many times an index is damaged.
const damageSeeds = 60
