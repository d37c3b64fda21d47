package mcp

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ambit/server/api"
)

const (
	// maxOpen bounds the workspaces that are open at once.
	maxOpen = 8
	// firstPatience is how long a call waits for the first index of a workspace. Then it is
	// answered from what is indexed, and says so: clients give up after a minute.
	firstPatience = 30 * time.Second
)

// workspaces opens each workspace once, on first use.
type workspaces struct {
	o     Options
	ctx   context.Context // ends with the server
	end   context.CancelFunc
	group sync.WaitGroup

	mu   sync.Mutex // guards open
	open map[string]*opened
}

// opened is a workspace that opens or is open.
type opened struct {
	ready   chan struct{} // closed when the fields below are set
	indexed chan struct{} // closed when the index has been brought up to date once
	api.Workspace
	err error
}

func newWorkspaces(o Options) *workspaces {
	w := &workspaces{o: o, open: map[string]*opened{}}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// close ends the work and closes all workspaces.
func (w *workspaces) close() error {
	w.end()
	w.group.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, o := range w.open {
		<-o.ready
		if o.Workspace != nil {
			errs = append(errs, o.Workspace.Close())
		}
	}
	return errors.Join(errs...)
}

// find returns the workspace that a call names: one of the roots of the server, or a
// directory in one.
func (w *workspaces) find(ctx context.Context, named string) (api.Workspace, error) {
	root, err := w.root(named)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	o := w.open[root]
	if o == nil && len(w.open) >= maxOpen {
		w.mu.Unlock()
		return nil, fmt.Errorf("%d workspaces are open, more than that is too many; start another ambit mcp for %s", maxOpen, root)
	}
	if o == nil {
		o = &opened{ready: make(chan struct{}), indexed: make(chan struct{})}
		w.open[root] = o
		w.group.Go(func() { w.live(root, o) })
	}
	w.mu.Unlock()
	select {
	case <-o.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if o.err != nil {
		return nil, o.err
	}
	soon, cancel := context.WithTimeout(ctx, firstPatience)
	defer cancel()
	select {
	case <-o.indexed:
	case <-soon.Done():
	}
	return o, context.Cause(ctx)
}

// live opens a workspace and follows its files until the server ends.
func (w *workspaces) live(root string, o *opened) {
	o.Workspace, o.err = w.o.Opener.Open(w.ctx, root)
	if o.err != nil {
		w.mu.Lock()
		delete(w.open, root) // the next call tries again
		w.mu.Unlock()
		close(o.ready)
		return
	}
	close(o.ready)
	w.group.Go(func() {
		defer close(o.indexed)
		if _, err := o.Index(w.ctx, nil); err != nil && w.ctx.Err() == nil {
			w.o.Logger.Error("index", "root", root, "reason", err.Error())
		}
	})
	if err := o.Run(w.ctx, func(api.State) {}); err != nil && w.ctx.Err() == nil {
		w.o.Logger.Error("index", "root", root, "reason", err.Error())
	}
}

// root returns the root of the workspace that a call names by a directory in it.
func (w *workspaces) root(named string) (string, error) {
	roots := w.o.Roots
	if len(roots) == 0 {
		own, err := w.o.Opener.Root()
		if err != nil {
			return "", err
		}
		roots = []string{own}
	}
	if named == "" {
		return roots[0], nil
	}
	dir, err := w.o.Opener.Resolve(named)
	if err != nil {
		return "", err
	}
	best := ""
	for _, r := range roots {
		if rel, err := filepath.Rel(r, dir); err == nil && filepath.IsLocal(rel) && len(r) > len(best) {
			best = r
		}
	}
	if best == "" {
		return "", fmt.Errorf("%s is in none of the workspaces of this server (%s); start it with --root %s to add it", dir, strings.Join(roots, ", "), dir)
	}
	return best, nil
}
