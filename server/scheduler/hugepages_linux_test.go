package scheduler_test

import (
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"ambit/server/scheduler"
)

// TestTheHeapGrowsIntoHugePages uses memory after UseHugePages, where the system leaves the choice to
// the process; elsewhere UseHugePages has to say that it does nothing.
func TestTheHeapGrowsIntoHugePages(t *testing.T) {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	leftToUs := err == nil && strings.Contains(string(mode), "[madvise]")
	const size = 64 << 20
	if leftToUs && !hasHugePages(t, size) {
		t.Skip("the memory of this machine is in too many pieces for huge pages now")
	}
	debug.FreeOSMemory() // the heap grows into the garbage of the tests before first
	before := hugeBytes(t)
	if got := scheduler.UseHugePages(2 * size); got != leftToUs {
		t.Fatalf("UseHugePages = %v, want %v: the system says %q, %v", got, leftToUs, mode, err)
	}
	var used [][]byte
	for range size >> 20 {
		b := make([]byte, 1<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		used = append(used, b)
	}
	if got := hugeBytes(t) - before; leftToUs && got < size/2 {
		t.Errorf("%d of %d bytes are in huge pages", got, size)
	}
	runtime.KeepAlive(used)
}

// hasHugePages reports whether the system gives memory outside of the heap in huge pages.
func hasHugePages(t *testing.T, size int) bool {
	t.Helper()
	before := hugeBytes(t)
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	if err := unix.Madvise(memory, unix.MADV_HUGEPAGE); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < size; i += 4096 {
		memory[i] = 1
	}
	return hugeBytes(t)-before >= size/2
}

// hugeBytes returns how much of the memory of this process is in huge pages.
func hugeBytes(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`AnonHugePages: *(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
