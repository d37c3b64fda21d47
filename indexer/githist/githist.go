// Package githist reads from git how often files change, and which change
// together.
//
// It starts one `git log`, with a timeout. Git executes nothing of the workspace: hooks,
// pagers, external diffs, text conversions, signature programs, file system monitors
// and the network are off under all settings of the repository. [Head] starts no process.
//
// A directory outside of a repository has an empty history, and so has every directory
// on a machine without git, and a repository that git refuses because it belongs to
// another user (safe.directory).
package githist

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ambit/vectors/record"
)

const (
	// maxCommits bounds the history that is read. Older commits say little about the
	// files that belong together now.
	maxCommits = 2000
	// timeout ends the log of a huge repository; 2,000 commits of a middling one take
	// less than a second.
	timeout = 10 * time.Second

	maxLogBytes = 256 << 20 // of the log's output; a longer output is an error
	renameLimit = 400       // files; with more git looks for exact renames only
)

// Read returns the change frequency and the co-changes of the files below root,
// which may be the top of a repository or lie in it. Paths are relative to root;
// files outside of root count towards the size of a commit and are dropped. Merge
// commits are skipped, since their parents have the changes. Renames are followed as
// far as git detects them (at least half of the text is equal); files that no longer exist
// are dropped.
//
// The history is empty when root is in no repository, the repository has no commit,
// git is missing or refuses, or the log takes more than 10 seconds. Read returns an
// error only when ctx ends: its cause.
func Read(ctx context.Context, root string) (record.History, error) {
	return read(ctx, root, time.Now(), timeout, maxCommits)
}

// read is Read with a given present time and limits.
func read(ctx context.Context, root string, now time.Time, timeout time.Duration, maxCommits int) (record.History, error) {
	head := ""
	wt, ok := findWorktree(root)
	if ok {
		head = wt.head()
	}
	if head == "" {
		return record.History{}, context.Cause(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := newCounter(wt.prefix, now)
	if err := readLog(limited, wt, maxCommits, c); err != nil {
		return record.History{}, context.Cause(ctx)
	}
	h := c.history()
	h.Head = head
	return h, nil
}

// readLog runs git and adds each commit to c, the newest first.
func readLog(ctx context.Context, wt worktree, maxCommits int, c *counter) error {
	git, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, git, logArgs(wt, maxCommits)...)
	cmd.Dir = wt.root
	cmd.Env = environment(os.Environ())
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	parseErr := parseLog(bufio.NewReaderSize(io.LimitReader(out, maxLogBytes), 1<<16), c.add)
	if parseErr != nil {
		cmd.Cancel() // git may wait for a reader
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("git log: %w", err)
	}
	return parseErr
}

// logArgs returns the arguments of git. Each "-c" and each "--no-" undoes a setting by
// which a repository could start a program, read from the network or change the output.
func logArgs(wt worktree, maxCommits int) []string {
	similarity := "-M50%"
	if wt.isPartial() {
		similarity = "-M100%" // by object ids: a partial clone lacks the contents
	}
	args := []string{
		"--no-pager", "--no-optional-locks", "--literal-pathspecs",
		"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-c", "core.pager=cat", "-c", "diff.external=",
		"-c", "log.showSignature=false", "-c", "log.follow=false", "-c", "log.showRoot=true", "-c", "diff.relative=false",
		"-c", "protocol.allow=never", "-c", "safe.bareRepository=explicit",
		"log", "-z", "--format=%x01%ct", "--name-status", similarity, fmt.Sprintf("-l%d", renameLimit), fmt.Sprintf("-n%d", maxCommits),
		"--no-merges", "--no-ext-diff", "--no-textconv", "--no-show-signature", "--no-notes", "--no-color", "--no-decorate", "--no-mailmap", "HEAD",
	}
	if wt.prefix != "" {
		// The commits that change files below root, each with all of its files.
		args = append(args, "--full-history", "--full-diff")
	}
	if args = append(args, "--"); wt.prefix != "" {
		args = append(args, ".")
	}
	return args
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
