package githist

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// Blob is a regular file of a commit.
type Blob struct {
	Path string // relative to the root of the repository
	ID   string // the same for the same bytes
	Size int64  // -1 when the contents are not there
}

// Files returns the regular files of a commit below the root, by path.
func (r *Repository) Files(ctx context.Context, commit string) ([]Blob, error) {
	text, err := output(ctx, r.wt, "ls-tree", "-r", "-l", "-z", commit)
	if err != nil {
		return nil, err
	}
	var files []Blob
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta) // mode, type, id, size
		if len(f) != 4 || f[1] != "blob" || !strings.HasPrefix(f[0], "100") {
			continue // a symbolic link or a submodule
		}
		size, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil {
			size = -1 // a partial clone lacks it
		}
		files = append(files, Blob{path, f[2], size})
	}
	return files, nil
}

// Contents reads blobs through one process of git. It is for one goroutine.
type Contents struct {
	cmd  *exec.Cmd
	said *message
	in   io.WriteCloser
	out  *bufio.Reader
	done bool // git has ended
}

// Contents starts git, which ends with [Contents.Close] or with ctx.
func (r *Repository) Contents(ctx context.Context) (*Contents, error) {
	cmd, said, err := command(ctx, r.wt, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Contents{cmd: cmd, said: said, in: in, out: bufio.NewReaderSize(out, 1<<16)}, nil
}

// Read returns the bytes of a blob.
func (c *Contents) Read(id string) ([]byte, error) {
	if _, err := io.WriteString(c.in, id+"\n"); err != nil {
		return nil, c.failed(err)
	}
	head, err := c.out.ReadString('\n')
	if err != nil {
		return nil, c.failed(err)
	}
	f := strings.Fields(head) // id, type, size
	if len(f) != 3 || f[1] != "blob" {
		return nil, fmt.Errorf("git cat-file: %s", strings.TrimSpace(head))
	}
	size, err := strconv.Atoi(f[2])
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %s", strings.TrimSpace(head))
	}
	content := make([]byte, size+1) // and a newline
	if _, err := io.ReadFull(c.out, content); err != nil {
		return nil, c.failed(err)
	}
	return content[:size:size], nil
}

// failed returns the error of a process that ended too early.
func (c *Contents) failed(err error) error {
	waitErr := c.Close()
	if line := c.said.line(); line != "" {
		err = errors.New(line)
	} else if waitErr != nil {
		err = waitErr
	}
	return fmt.Errorf("git cat-file: %w", err)
}

// Close ends git. It may be called twice.
func (c *Contents) Close() error {
	if c.done {
		return nil
	}
	c.done = true
	c.in.Close()
	return c.cmd.Wait()
}
