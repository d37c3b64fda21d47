package githist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

var (
	// ErrNoGit means that there is no program git.
	ErrNoGit = errors.New("git is not installed")
	// ErrNoRepository is returned by [Open] for a directory outside of a repository.
	ErrNoRepository = errors.New("not in a git repository")
	// ErrNoCommit is returned by [Open] for a repository without a commit.
	ErrNoCommit = errors.New("the repository has no commit")
	// ErrShallow is returned by [Open] for a clone without its earlier commits.
	ErrShallow = errors.New("a shallow clone lacks its earlier commits")
	// ErrPartial is the error of contents that a partial clone lacks.
	ErrPartial = errors.New("a partial clone lacks the contents of its earlier commits")
)

// Repository is the history of the git repository around a directory. Its methods only read
// the repository, and are safe for concurrent use.
type Repository struct {
	wt   worktree
	head string
}

// Open opens the repository around root. It returns [ErrNoGit], [ErrNoRepository],
// [ErrNoCommit] or [ErrShallow] when the history cannot be read.
func Open(ctx context.Context, root string) (*Repository, error) {
	wt, ok := findWorktree(root)
	if !ok {
		return nil, ErrNoRepository
	}
	r := &Repository{wt, wt.head()}
	if r.head == "" { // or the refs are in a format that only git reads
		text, err := output(ctx, wt, "rev-parse", "--verify", "--quiet", "HEAD")
		if r.head = objectName(strings.TrimSpace(text)); r.head == "" {
			if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
				return nil, err
			}
			return nil, ErrNoCommit
		}
	}
	if info, err := os.Stat(filepath.Join(wt.common, "shallow")); err == nil && info.Size() > 0 {
		return nil, ErrShallow
	}
	return r, nil
}

// output returns what git prints.
func output(ctx context.Context, wt worktree, args ...string) (string, error) {
	var text strings.Builder
	err := run(ctx, wt, nil, func(r io.Reader) error {
		_, err := io.Copy(&text, r)
		return err
	}, args...)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return text.String(), err
}

// maxDiff bounds the diff of a working tree, in bytes.
const maxDiff = 4 << 20

// WorkingDiff returns the diff of the tracked files below root against HEAD, with paths
// relative to root. It returns [ErrNoGit], [ErrNoRepository] or [ErrNoCommit] when there is
// none, and an error for one above 4 MB.
func WorkingDiff(ctx context.Context, root string) (string, error) {
	wt, ok := findWorktree(root)
	if !ok {
		return "", ErrNoRepository
	}
	if wt.head() == "" {
		if text, err := output(ctx, wt, "rev-parse", "--verify", "--quiet", "HEAD"); objectName(strings.TrimSpace(text)) == "" {
			if errors.Is(err, ErrNoGit) || ctx.Err() != nil {
				return "", err
			}
			return "", ErrNoCommit
		}
	}
	text, err := output(ctx, wt, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", "--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", "-U3", "-M", "HEAD", "--")
	if err == nil && len(text) > maxDiff {
		err = fmt.Errorf("the diff of the working tree has %d bytes, more than %d; pass the part that matters", len(text), maxDiff)
	}
	return text, err
}

// Prefix returns the directory of the repository as seen from its top: "" or ending in "/".
func (r *Repository) Prefix() string { return r.wt.prefix }

// Borrowed is a repository in another directory that has the objects of a [Repository] and
// any of its commits as its HEAD. Nothing of it lies in the other repository.
type Borrowed struct{ head string }

// Borrow makes a repository in dir, an existing directory. Its files are not checked out.
//
// Source: gitrepository-layout(5), for objects/info/alternates and *.promisor.
func (r *Repository) Borrow(dir string) (*Borrowed, error) {
	git := filepath.Join(dir, ".git")
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
	if len(r.head) > 40 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = sha256\n"
	}
	b := &Borrowed{filepath.Join(git, "HEAD")}
	for _, sub := range []string{filepath.Join("objects", "info"), filepath.Join("objects", "pack"), "refs"} {
		if err := os.MkdirAll(filepath.Join(git, sub), 0o700); err != nil {
			return nil, err
		}
	}
	files := map[string]string{
		filepath.Join(git, "objects", "info", "alternates"): filepath.Join(r.wt.common, "objects") + "\n",
		filepath.Join(git, "config"):                        config,
	}
	if r.wt.isPartial() {
		files[filepath.Join(git, "objects", "pack", "borrowed.promisor")] = "" // it is partial too
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return b, b.SetHead(r.head)
}

// SetHead makes a commit the HEAD.
func (b *Borrowed) SetHead(commit string) error {
	if objectName(commit) == "" {
		return fmt.Errorf("%q names no commit", commit)
	}
	return os.WriteFile(b.head, []byte(commit+"\n"), 0o600)
}
