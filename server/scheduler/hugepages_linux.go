package scheduler

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/sys/unix"
)

// hugePagesFile says in brackets for which memory the system uses huge pages.
const hugePagesFile = "/sys/kernel/mm/transparent_hugepage/enabled"

// UseHugePages has the next bytes of the heap lie in huge pages where the system leaves that to
// each process, as Ubuntu's does. It reports whether it did. In a virtual machine a page that is
// used for the first time can cost more than what is written to it: the pages of 4 kB took a sixth
// of the CPU time of a search in 200,000 files.
//
// The runtime of Go has no setting for it. So UseHugePages allocates the bytes without using them,
// marks them and gives them back: the heap grows into the lowest free addresses first. It collects
// garbage, lifts the limit of memory meanwhile, and is for a process that ends soon, because a
// huge page stays in memory while a part of it is used.
func UseHugePages(bytes int) bool {
	if mode, err := os.ReadFile(hugePagesFile); err != nil || !strings.Contains(string(mode), "[madvise]") {
		return false
	}
	process.mu.Lock() // it sets the limit after a collection
	defer process.mu.Unlock()
	limit := debug.SetMemoryLimit(math.MaxInt64) // or the bytes, which take no memory, are collected twice
	room := make([]byte, bytes)
	err := unix.Madvise(room, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(room)
	debug.FreeOSMemory()
	debug.SetMemoryLimit(limit)
	return err == nil
}
