package cli

import (
	"fmt"
	"strings"
	"time"

	"ambit/server/api"
)

// patience is the time before the first line of progress: most commands find the index
// up to date and finish earlier.
const patience = 500 * time.Millisecond

// A bar moves smoothly at barInterval; a user can read lines at lineInterval.
const (
	barInterval  = 100 * time.Millisecond
	lineInterval = time.Second
)

const barWidth = 24

// progress shows the progress of an indexing run on standard error: a bar on a terminal,
// otherwise a line every second. It is for one goroutine.
type progress struct {
	a     *app
	quiet bool
	start time.Time
	last  time.Time // of the latest line or bar
	drawn bool      // there is a bar on the line
}

func newProgress(a *app, quiet bool) *progress {
	return &progress{a: a, quiet: quiet, start: time.Now()}
}

// show prints the progress, at most once per interval.
func (p *progress) show(s api.Progress) {
	now := time.Now()
	interval := lineInterval
	if p.a.errIsTerminal {
		interval = barInterval
	}
	if p.quiet || now.Sub(p.start) < patience || now.Sub(p.last) < interval {
		return
	}
	p.last = now
	text := progressText(s, now.Sub(p.start))
	if p.a.errIsTerminal {
		p.drawn = true
		fmt.Fprintf(p.a.err, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintf(p.a.err, "ambit: %s\n", text)
}

// step shows the part of a command that is done, from 0 to 1, on a terminal only.
func (p *progress) step(done float64, doing string) {
	now := time.Now()
	if p.quiet || !p.a.errIsTerminal || now.Sub(p.start) < patience || now.Sub(p.last) < barInterval {
		return
	}
	p.last, p.drawn = now, true
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", barText(done, now.Sub(p.start), doing))
}

// end removes the bar.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprint(p.a.err, "\r\x1b[K")
		p.drawn = false
	}
}

// progressText returns the progress on one line of at most 80 columns.
func progressText(s api.Progress, elapsed time.Duration) string {
	if s.Total == 0 || s.Phase != "indexing" {
		return s.Phase
	}
	done := float64(s.Done) / float64(s.Total)
	if s.TotalBytes > 0 {
		done = float64(s.Bytes) / float64(s.TotalBytes)
	}
	return s.Phase + " " + barText(done, elapsed, fmt.Sprintf("%d of %d files", s.Done, s.Total))
}

// barText returns a bar with the part that is done, from 0 to 1, and the time that is left.
func barText(done float64, elapsed time.Duration, doing string) string {
	full := max(0, min(int(done*barWidth), barWidth))
	text := fmt.Sprintf("[%s%s] %3.0f %%  %s", strings.Repeat("#", full), strings.Repeat(".", barWidth-full), 100*done, doing)
	if done > 0.02 && done < 1 {
		text += fmt.Sprintf("  %s left", roughly(time.Duration(float64(elapsed)*(1-done)/done)))
	}
	return text
}

// roughly returns a rounded duration, "3 min".
func roughly(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", max(1, d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%.0f min", max(1, d.Minutes()))
	}
	return fmt.Sprintf("%.1f h", d.Hours())
}

// size returns a number of bytes, "1.2 kB".
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}
