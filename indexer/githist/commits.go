package githist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Commit is one commit of [Repository.Commits].
type Commit struct {
	ID      string
	Parents []string
	When    time.Time // when it was committed
	Message string
	Changes []Change // none for a merge
}

// Change is one file that a commit changes.
type Change struct {
	Status byte   // A, D, M, R, T, …
	Same   bool   // renamed or copied with all of its text
	Path   string // after the commit, relative to the root of the repository; "" outside of it
	From   string // before it, when the status is R or C; otherwise Path
}

// maxLog bounds the bytes of a log with messages.
const maxLog = 256 << 20

// Commits returns the last commits that change files below the root, at most so many, the
// latest first, without those before since.
func (r *Repository) Commits(ctx context.Context, since time.Time, most int) ([]Commit, error) {
	args := []string{
		"log", "-z", "--format=%x01%H%x00%P%x00%ct%x00%B", "--name-status", r.wt.similarity(), fmt.Sprintf("-l%d", renameLimit), fmt.Sprintf("-n%d", most),
		"--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-color", "--no-decorate", "--no-mailmap", "--encoding=UTF-8",
	}
	if !since.IsZero() {
		args = append(args, fmt.Sprintf("--since=%d", since.Unix()))
	}
	args = append(args, r.head, "--")
	if r.wt.prefix != "" {
		args = append(args[:len(args)-2], "--full-diff", r.head, "--", ".")
	}
	var commits []Commit
	err := run(ctx, r.wt, nil, func(log io.Reader) (err error) {
		commits, err = parseCommits(log, r.wt.prefix)
		return err
	}, args...)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return commits, err
}

// parseCommits parses the output of git's log. Fields end in NUL. A commit has "\x01" with
// its id, its parents, its time and its message, then for each file the status and one path,
// or two when the file was renamed. A newline stands before the first status.
func parseCommits(log io.Reader, prefix string) (commits []Commit, err error) {
	r := bufio.NewReaderSize(io.LimitReader(log, maxLog), 1<<16)
	next := func() string {
		if err != nil {
			return ""
		}
		var field string
		if field, err = r.ReadString(0); errors.Is(err, io.EOF) && field != "" {
			err = nil
		}
		return strings.TrimSuffix(field, "\x00")
	}
	for {
		field := next()
		if errors.Is(err, io.EOF) {
			return commits, nil
		}
		if err != nil {
			return commits, err
		}
		if id, ok := strings.CutPrefix(field, "\x01"); ok {
			c := Commit{ID: id, Parents: strings.Fields(next())}
			seconds, badTime := strconv.ParseInt(next(), 10, 64)
			c.When, c.Message = time.Unix(seconds, 0).UTC(), strings.ToValidUTF8(next(), "\ufffd")
			if err == nil && badTime != nil {
				err = badTime
			}
			if err != nil {
				return commits, unexpected(err)
			}
			commits = append(commits, c)
			continue
		}
		status := strings.TrimPrefix(field, "\n")
		if len(commits) == 0 || status == "" {
			return commits, fmt.Errorf("git log: field %.40q out of place", field)
		}
		ch := Change{Status: status[0], Same: status[1:] == "100"}
		from := ""
		if ch.Status == 'R' || ch.Status == 'C' {
			from = next()
		}
		ch.Path = next()
		if ch.From = ch.Path; from != "" {
			ch.From = from
		}
		if err != nil {
			return commits, unexpected(err)
		}
		ch.Path, ch.From = below(ch.Path, prefix), below(ch.From, prefix)
		last := &commits[len(commits)-1]
		last.Changes = append(last.Changes, ch)
	}
}

// below returns a path relative to the directory prefix, "" for one outside of it.
func below(path, prefix string) string {
	inside, ok := strings.CutPrefix(path, prefix)
	if !ok {
		return ""
	}
	return inside
}

// LineRange is a run of lines of a file, 1-based and inclusive. An insertion is the line
// before it alone, 0 at the top of the file.
type LineRange struct {
	First, Last int
	Insertion   bool
}

// Changed returns, for the files of the parent of a commit, the lines that the commit
// replaces or deletes and the places where it inserts, in order. It returns [ErrPartial] when
// the contents are not there.
func (r *Repository) Changed(ctx context.Context, parent, commit string) (map[string][]LineRange, error) {
	changed := map[string][]LineRange{}
	err := run(ctx, r.wt, nil, func(patch io.Reader) error {
		return parsePatch(patch, r.wt.prefix, changed)
	}, "diff-tree", "-r", "-p", "-U0", r.wt.similarity(), fmt.Sprintf("-l%d", renameLimit), "--src-prefix=a/", "--dst-prefix=b/",
		"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules", "--no-relative", parent, commit, "--")
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil && r.wt.isPartial():
		return nil, ErrPartial
	}
	return changed, err
}

// parsePatch adds the lines of the hunks of a patch without context.
func parsePatch(patch io.Reader, prefix string, changed map[string][]LineRange) error {
	r := bufio.NewReaderSize(io.LimitReader(patch, maxLog), 1<<16)
	file, skip := "", 0
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch {
		case skip > 0 && !strings.HasPrefix(line, `\`): // "\ No newline at end of file"
			skip--
		case strings.HasPrefix(line, "diff "):
			file = ""
		case strings.HasPrefix(line, "--- "):
			file = below(oldName(line[4:]), prefix)
		case strings.HasPrefix(line, "@@ -"):
			first, n, rest := hunkSide(line[4:])
			_, added, _ := hunkSide(strings.TrimPrefix(rest, "+"))
			skip = n + added
			if file == "" {
				continue
			}
			if n == 0 {
				changed[file] = append(changed[file], LineRange{first, first, true})
			} else {
				changed[file] = append(changed[file], LineRange{first, first + n - 1, false})
			}
		}
	}
}

// readLine returns the beginning of a line and reads all of it.
func readLine(r *bufio.Reader) (string, error) {
	part, err := r.ReadSlice('\n')
	line := string(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if errors.Is(err, io.EOF) && line != "" {
		err = nil
	}
	return strings.TrimSuffix(line, "\n"), err
}

// oldName reads the name after "--- ": a/path, perhaps quoted as in C, with a tab behind it
// when it has blanks. It is "" for /dev/null.
func oldName(text string) string {
	text = strings.TrimSuffix(text, "\t")
	if strings.HasPrefix(text, `"`) {
		unquoted, err := strconv.Unquote(text)
		if err != nil {
			return ""
		}
		text = unquoted
	}
	name, ok := strings.CutPrefix(text, "a/")
	if !ok {
		return ""
	}
	return name
}

// hunkSide reads "12,3 rest" or "12 rest", which means one line.
func hunkSide(text string) (first, n int, rest string) {
	text, rest, _ = strings.Cut(text, " ")
	start, count, counted := strings.Cut(text, ",")
	first, _ = strconv.Atoi(start)
	if n = 1; counted {
		n, _ = strconv.Atoi(count)
	}
	return first, n, rest
}
