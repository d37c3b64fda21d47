package scheduler_test

import (
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"ambit/server/scheduler"
)

// TestTheHeapGrowsIntoHugePages uses memory after UseHugePages, where the system leaves the choice to
// the process; elsewhere UseHugePages has to say that it does nothing.
func TestTheHeapGrowsIntoHugePages(t *testing.T) {
	mode, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	leftToUs := err == nil && strings.Contains(string(mode), "[madvise]")
	const size = 64 << 20
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
