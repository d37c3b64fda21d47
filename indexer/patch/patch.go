// Package patch reads unified diffs, as git and diff write them.
//
// Parse is a pure function of the text and never fails on a part of it: what is no diff, such
// as the message of a commit above it, is skipped. Fit tells which side of a diff a file has.
package patch

import (
	"slices"
	"strconv"
	"strings"
)

// File is what a diff changes in one file. A path is "" on the side that has no file.
type File struct {
	Old, New string // relative to where the diff was made; "a/" and "b/" are cut
	Binary   bool
	Hunks    []Hunk
	git      bool // it has a line "diff --git"
}

// Hunk is one changed place, with the lines around it.
type Hunk struct {
	OldStart, NewStart int // the first lines, from 1
	Lines              []Line
}

// Line is a line of a hunk. Op is ' ' for a line of both sides, '-' of the old and '+' of the
// new one.
type Line struct {
	Op   byte
	Text string // without its end
}

// Side is the side of a diff that a file has.
type Side byte

// The sides.
const (
	New   Side = '+' // the file is as after the change
	Old   Side = '-' // the file is as before the change
	Other Side = 0   // neither
)

// Parse returns the changes of a diff, none when the text has no diff.
func Parse(text string) []File {
	var files []File
	var hunk *Hunk
	oldLeft, newLeft := 0, 0 // lines of the hunk that are still to come
	header := false          // between "diff --git" and the first hunk
	last := func() *File { return &files[len(files)-1] }
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if hunk != nil && (oldLeft > 0 || newLeft > 0) {
			op := byte(' ')
			if line != "" {
				op, line = line[0], line[1:]
			}
			switch op {
			case ' ':
				oldLeft, newLeft = oldLeft-1, newLeft-1
			case '-':
				oldLeft--
			case '+':
				newLeft--
			case '\\': // no newline at the end of the file
				continue
			default:
				hunk = nil // cut off
				continue
			}
			hunk.Lines = append(hunk.Lines, Line{op, line})
			continue
		}
		switch {
		case strings.HasPrefix(line, "diff --git "):
			old, next := gitPaths(line[len("diff --git "):])
			files, header, hunk = append(files, File{Old: old, New: next, git: true}), true, nil
		case header && strings.HasPrefix(line, "rename from "):
			last().Old = unquote(line[len("rename from "):])
		case header && strings.HasPrefix(line, "rename to "):
			last().New = unquote(line[len("rename to "):])
		case header && strings.HasPrefix(line, "new file mode"):
			last().Old = ""
		case header && strings.HasPrefix(line, "deleted file mode"):
			last().New = ""
		case header && (strings.HasPrefix(line, "Binary files ") || line == "GIT binary patch"):
			last().Binary = true
		case strings.HasPrefix(line, "--- "):
			if !header {
				files = append(files, File{})
			}
			last().Old = side(line[4:])
			header = true
		case header && strings.HasPrefix(line, "+++ "):
			last().New = side(line[4:])
		case len(files) > 0 && strings.HasPrefix(line, "@@ "):
			h, oldN, newN, ok := hunkHead(line)
			if !ok {
				continue
			}
			f := last()
			f.Hunks = append(f.Hunks, h)
			hunk, oldLeft, newLeft, header = &f.Hunks[len(f.Hunks)-1], oldN, newN, false
		}
	}
	// A text such as "--- a remark" is no file.
	return slices.DeleteFunc(files, func(f File) bool { return f.Old == "" && f.New == "" || !f.git && len(f.Hunks) == 0 })
}

// gitPaths splits "a/x b/x". Names with blanks are told by both being the same.
func gitPaths(s string) (old, next string) {
	if n := len(s) / 2; len(s) > 4 && s[n] == ' ' && strings.TrimPrefix(s[:n], "a/") == strings.TrimPrefix(s[n+1:], "b/") {
		return cutSide(s[:n]), cutSide(s[n+1:])
	}
	old, next, _ = strings.Cut(s, " ")
	return cutSide(unquote(old)), cutSide(unquote(next))
}

// side returns the path of a line "--- a/x" or "+++ b/x", without the time that diff adds.
func side(s string) string {
	s, _, _ = strings.Cut(s, "\t")
	if s = unquote(strings.TrimSpace(s)); s == "/dev/null" {
		return ""
	}
	return cutSide(s)
}

// cutSide cuts the prefix by which git marks a side.
func cutSide(s string) string {
	if len(s) > 2 && s[1] == '/' && strings.IndexByte("abciwo", s[0]) >= 0 {
		return s[2:]
	}
	return s
}

// unquote returns a path that git has quoted.
func unquote(s string) string {
	if strings.HasPrefix(s, `"`) {
		if t, err := strconv.Unquote(s); err == nil {
			return t
		}
	}
	return s
}

// hunkHead reads "@@ -1,2 +3,4 @@".
func hunkHead(line string) (h Hunk, oldN, newN int, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 || f[1][0] != '-' || f[2][0] != '+' {
		return h, 0, 0, false
	}
	h.OldStart, oldN, ok = lineRange(f[1][1:])
	if !ok {
		return h, 0, 0, false
	}
	h.NewStart, newN, ok = lineRange(f[2][1:])
	return h, oldN, newN, ok
}

// lineRange reads "3,4" or "3", which is one line.
func lineRange(s string) (start, n int, ok bool) {
	first, count, several := strings.Cut(s, ",")
	start, err := strconv.Atoi(first)
	if err != nil || start < 0 {
		return 0, 0, false
	}
	if n = 1; several {
		if n, err = strconv.Atoi(count); err != nil || n < 0 {
			return 0, 0, false
		}
	}
	return start, n, true
}

// Fit returns the side of the changes that a file has by its lines: the one whose lines
// stand where the hunks say.
func (f *File) Fit(lines []string) Side {
	for _, s := range []Side{New, Old} {
		if !slices.ContainsFunc(f.Hunks, func(h Hunk) bool { return !h.stands(lines, s) }) {
			return s
		}
	}
	return Other
}

// stands reports whether the lines of a side of a hunk are in a file where they should be.
func (h *Hunk) stands(lines []string, s Side) bool {
	at := h.NewStart
	if s == Old {
		at = h.OldStart
	}
	for _, l := range h.Lines {
		if l.Op != ' ' && l.Op != byte(s) {
			continue
		}
		if at < 1 || at > len(lines) || strings.TrimRight(lines[at-1], "\r") != l.Text {
			return false
		}
		at++
	}
	return true
}

// Touched returns the lines of a side that the change touches, ascending: its own lines,
// and for lines that the side lacks the one before and the one behind them.
func (f *File) Touched(s Side) []int {
	var out []int
	for _, h := range f.Hunks {
		at := h.NewStart
		if s == Old {
			at = h.OldStart
		}
		for i, l := range h.Lines {
			switch {
			case l.Op == ' ':
				at++
			case l.Op == byte(s):
				out = append(out, at)
				at++
			case i > 0 && h.Lines[i-1].Op == l.Op, replaced(h.Lines, i, s):
			default: // lines of the other side only
				out = append(out, max(1, at-1), max(1, at))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// replaced reports whether the run of lines around line i has lines of a side.
func replaced(lines []Line, i int, s Side) bool {
	for k := i; k < len(lines) && lines[k].Op != ' '; k++ {
		if lines[k].Op == byte(s) {
			return true
		}
	}
	for k := i; k >= 0 && lines[k].Op != ' '; k-- {
		if lines[k].Op == byte(s) {
			return true
		}
	}
	return false
}
