// Package githist reads from git how often files change, and which change
// together.
//
// It starts `git log`, whose work is bounded by numbers of commits and bytes and by no
// clock, so that the same repository has the same history on a busy machine. Git executes
// nothing of the workspace: hooks, pagers, external diffs, text conversions, signature
// programs, file system monitors and the network are off under all settings of the
// repository. [Head] starts no process.
//
// [Read] counts. An evaluation reads more of a [Repository]: its commits with their messages,
// the files of a past commit, and the lines that a commit changed. It writes nothing there.
//
// A directory outside of a repository has an empty history. The history of a machine
// without git, or of a repository that git refuses because it belongs to another user
// (safe.directory), is empty and says so.
package githist

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ambit/vectors/record"
)

const renameLimit = 400 // files; with more git looks for exact renames only

// limits bound the work of git.
type limits struct {
	// commits bounds the history that is read. Older commits say little about the files
	// that belong together now.
	commits int
	// walked bounds the commits of the repository among which git looks for those that
	// change files below a folder. Git looks at some 20,000 a second.
	walked int
	bytes  int64 // of the log's output
}

var usual = limits{commits: 2000, walked: 50_000, bytes: 256 << 20}

// Read returns the change frequency and the co-changes of the files below root, and the subjects of
// the commits of few files, with secrets masked. Root may be the top of a repository or lie in it. Paths are relative to root;
// files outside of root count towards the size of a commit and are dropped. Merge
// commits are skipped, since their parents have the changes. Renames are followed as
// far as git detects them (at least half of the text is equal); files that no longer exist
// are dropped. Frequencies count back from the time of HEAD's commit, so one commit has one
// history.
//
// The history is empty when root is in no repository or the repository has no commit.
// It is empty and says why when git is missing or fails. Read takes as long as git does;
// it returns an error only when ctx ends: its cause.
func Read(ctx context.Context, root string) (record.History, error) {
	return read(ctx, root, time.Time{}, usual)
}

// read is Read with limits and with the end of the windows of the frequencies; zero means
// the time of HEAD's commit.
func read(ctx context.Context, root string, now time.Time, most limits) (record.History, error) {
	wt, ok := findWorktree(root)
	if !ok {
		return record.History{}, context.Cause(ctx)
	}
	head := wt.head()
	if head == "" {
		return record.History{}, context.Cause(ctx)
	}
	var err error
	if now.IsZero() {
		now, err = commitTime(ctx, wt, head)
	}
	c, cut := newCounter(wt.prefix, now), ""
	if err == nil {
		cut, err = readLog(ctx, wt, head, most, c)
	}
	switch {
	case ctx.Err() != nil:
		return record.History{}, context.Cause(ctx)
	case err != nil:
		return record.History{Head: head, Cut: "all commits: " + err.Error()}, nil
	}
	h := c.history()
	maskSubjects(h.Subjects)
	h.Head, h.Cut = head, cut
	return h, nil
}

// commitTime returns when a commit was committed.
func commitTime(ctx context.Context, wt worktree, commit string) (time.Time, error) {
	var out bytes.Buffer
	err := run(ctx, wt, nil, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	}, "log", "-1", "--format=%ct", "--no-show-signature", "--no-color", commit, "--")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(out.String()), 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("git log: commit time %q", out.String())
	}
	return time.Unix(seconds, 0), nil
}

// readLog runs git and adds each commit to c, the newest first. It returns which commits
// are left out because of the limits, "" for none.
func readLog(ctx context.Context, wt worktree, head string, most limits, c *counter) (cut string, err error) {
	var walked string // the commits among which git looks, one a line
	if wt.prefix != "" {
		if walked, cut, err = walk(ctx, wt, head, most.walked); err != nil || walked == "" {
			return cut, err
		}
	}
	err = run(ctx, wt, strings.NewReader(walked), func(log io.Reader) error {
		err := parseLog(bufio.NewReaderSize(log, 1<<16), most.bytes, func(cm *commit) error {
			if c.commits == most.commits {
				cut = fmt.Sprintf("commits before the last %d", c.commits)
				return errEnough
			}
			c.add(cm)
			return nil
		})
		if errors.Is(err, errLong) {
			cut = fmt.Sprintf("commits before the last %d, whose log has %d MB", c.commits, most.bytes>>20)
			return errEnough
		}
		return err
	}, logArgs(wt, head, most.commits+1)...)
	return cut, err
}

// walk returns the last commits of the repository, and which it leaves out.
func walk(ctx context.Context, wt worktree, head string, most int) (commits, cut string, err error) {
	var out bytes.Buffer
	err = run(ctx, wt, nil, func(r io.Reader) error {
		_, err := out.ReadFrom(r)
		return err
	}, "rev-list", "--no-merges", fmt.Sprintf("-n%d", most+1), head, "--")
	lines := slices.Collect(strings.Lines(out.String()))
	if len(lines) > most {
		lines, cut = lines[:most], fmt.Sprintf("commits before the last %d of the repository", most)
	}
	return strings.Join(lines, ""), cut, err
}

// errEnough is returned by a reader that needs no more of what git prints.
var errEnough = errors.New("enough is read")

// maxMessage bounds what is kept of git's messages.
const maxMessage = 4 << 10

// run runs git and calls read with what it prints.
func run(ctx context.Context, wt worktree, in io.Reader, read func(io.Reader) error, args ...string) error {
	cmd, said, err := command(ctx, wt, args...)
	if err != nil {
		return err
	}
	cmd.Stdin = in
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := read(out)
	if readErr != nil {
		cmd.Cancel() // git may wait for a reader
	}
	err = cmd.Wait()
	switch {
	case errors.Is(readErr, errEnough):
		return nil
	case readErr == nil && err != nil:
		return fmt.Errorf("git %s: %s", args[0], cmp.Or(said.line(), err.Error()))
	}
	return readErr
}

// command returns git, ready to start, and its messages. Each "-c" undoes a setting by which
// a repository could start a program, read from the network or change the output.
func command(ctx context.Context, wt worktree, args ...string) (*exec.Cmd, *message, error) {
	git, err := exec.LookPath("git")
	if err != nil {
		return nil, nil, ErrNoGit
	}
	cmd := exec.CommandContext(ctx, git, append([]string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat", "-c", "diff.external=",
		"-c", "log.showSignature=false", "-c", "log.follow=false", "-c", "log.showRoot=true", "-c", "diff.relative=false",
		"-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit",
	}, args...)...)
	said := new(message)
	cmd.Dir, cmd.Stderr = wt.root, said
	cmd.Env = environment(os.Environ())
	cmd.WaitDelay = time.Second // for a program that git left behind
	return cmd, said, nil
}

// message is what git says of a failure. It keeps the first bytes of what is written.
type message struct{ text []byte }

// Write implements [io.Writer].
func (m *message) Write(p []byte) (int, error) {
	m.text = append(m.text, p[:min(len(p), maxMessage-len(m.text))]...)
	return len(p), nil
}

// line returns the first line, "" for none.
func (m *message) line() string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(m.text)), "\n")
	return line
}

// logArgs returns the arguments of git's log of the last commits. Each "--no-"
// undoes a setting too.
func logArgs(wt worktree, head string, commits int) []string {
	args := []string{
		"log", "-z", "--format=%x01%ct %s", "--name-status", wt.similarity(), fmt.Sprintf("-l%d", renameLimit), fmt.Sprintf("-n%d", commits),
		"--no-merges", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-color", "--no-decorate", "--no-mailmap", "--encoding=UTF-8",
	}
	if wt.prefix == "" {
		return append(args, head, "--")
	}
	// Of the commits that git reads, those that change files below root, each with all of
	// its files.
	return append(args, "--no-walk=unsorted", "--stdin", "--full-diff", "--", ".")
}

// environment returns env without git's variables, except those that name the user's
// own settings, and with variables that keep git quiet and offline.
func environment(env []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		switch {
		case name == "GIT_CONFIG_GLOBAL", name == "GIT_CONFIG_SYSTEM", name == "GIT_CONFIG_NOSYSTEM", name == "GIT_CEILING_DIRECTORIES":
		case strings.HasPrefix(strings.ToUpper(name), "GIT_"), name == "LC_ALL":
			continue
		}
		kept = append(kept, kv)
	}
	return append(kept, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1")
}

// Head returns the commit that is checked out where root lies, in hexadecimal, or
// "" when there is none: no repository, no commit yet, or refs in a format other
// than files and packed-refs. It reads a few small files.
func Head(root string) string {
	wt, ok := findWorktree(root)
	if !ok {
		return ""
	}
	return wt.head()
}

// worktree is the place of root in a repository.
type worktree struct {
	root   string // absolute, without symbolic links
	prefix string // root as seen from the top: "" or ending in "/"
	dir    string // .git, or the linked worktree's own directory in it
	common string // the .git that linked worktrees share
}

// findWorktree looks for .git in root and above it.
//
// Source: gitrepository-layout(5), for .git as a file and commondir.
func findWorktree(root string) (wt worktree, ok bool) {
	root, err := filepath.Abs(root)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return worktree{}, false
	}
	for top := root; ; top = filepath.Dir(top) {
		if dir, ok := gitDir(top); ok {
			wt = worktree{root: root, dir: dir, common: dir}
			if rel, err := filepath.Rel(top, root); err == nil && rel != "." {
				wt.prefix = filepath.ToSlash(rel) + "/"
			}
			if p := readSmall(filepath.Join(dir, "commondir")); p != "" {
				wt.common = absolute(p, dir)
			}
			return wt, true
		}
		if top == filepath.Dir(top) {
			return worktree{}, false
		}
	}
}

// gitDir returns .git in top, or the directory that the file .git names.
func gitDir(top string) (dir string, ok bool) {
	dir = filepath.Join(top, ".git")
	if target, isFile := strings.CutPrefix(readSmall(dir), "gitdir:"); isFile {
		dir = absolute(strings.TrimSpace(target), top)
	}
	fi, err := os.Stat(filepath.Join(dir, "HEAD"))
	return dir, err == nil && fi.Mode().IsRegular()
}

func absolute(p, from string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(from, p)
}

// maxRefs bounds the symbolic refs that are followed; git stops at 5 too.
const maxRefs = 5

func (wt worktree) head() string {
	text := readSmall(filepath.Join(wt.dir, "HEAD"))
	for range maxRefs {
		ref, isRef := strings.CutPrefix(text, "ref:")
		if !isRef {
			return objectName(text)
		}
		ref = strings.TrimSpace(ref)
		if !filepath.IsLocal(filepath.FromSlash(ref)) || !strings.HasPrefix(ref, "refs/") {
			return ""
		}
		text = cmp.Or(readSmall(filepath.Join(wt.dir, ref)), readSmall(filepath.Join(wt.common, ref)), wt.packed(ref))
	}
	return ""
}

// packed looks a ref up in packed-refs.
func (wt worktree) packed(ref string) string {
	f, err := os.Open(filepath.Join(wt.common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, found := strings.CutSuffix(lines.Text(), " "+ref); found {
			return name
		}
	}
	return ""
}

// similarity returns the option for renames: those of at least half of the text, in a partial
// clone only exact ones, which git finds without the contents.
func (wt worktree) similarity() string {
	if wt.isPartial() {
		return "-M100%"
	}
	return "-M50%"
}

// isPartial reports whether the clone is one without all objects.
func (wt worktree) isPartial() bool {
	found, _ := filepath.Glob(filepath.Join(escapeGlob(wt.common), "objects", "pack", "*.promisor"))
	return len(found) > 0
}

// escapeGlob makes filepath.Glob take p literally.
func escapeGlob(p string) string {
	if os.PathSeparator == '\\' {
		return p // no escapes there, and no "*" or "?" in a path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(p)
}

// objectName returns s when it is a SHA-1 or SHA-256 in hexadecimal, else "".
func objectName(s string) string {
	if len(s) != 40 && len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}

// readSmall returns the text of a file of a few lines, trimmed, or "".
func readSmall(file string) string {
	const maxSmall = 8 << 10
	fi, err := os.Stat(file)
	if err != nil || !fi.Mode().IsRegular() || fi.Size() > maxSmall {
		return ""
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
