package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/config"
)

// folder is one folder of the client and the workspace that answers for it. The
// workspace opens in the background; who asks waits for it.
type folder struct {
	uri      string // as the client spells it; "" of the loose folder
	name     string
	root     string // absolute path; "" of the loose folder
	settings atomic.Pointer[config.Settings]

	ctx    context.Context // ends when the folder is to be closed
	cancel context.CancelFunc
	opened chan struct{} // closed when workspace or err is set
	closed chan struct{} // closed when the workspace is closed
	status atomic.Pointer[Status]
	moved  chan struct{} // holds a value when the status has changed
	told   chan struct{} // closed when nothing more is told of the status

	workspace Workspace // valid once opened
	err       error     // why it did not open

	next   atomic.Pointer[folder] // that was opened in its place, with other settings
	paused bool                   // Run is to begin paused, as that of the folder before

	mu     sync.Mutex // guards all fields below
	users  sync.WaitGroup
	barred bool // nobody may use the workspace any more
}

// namedFolder is a folder as the client names it.
type namedFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// errFolderClosed is the cause with which the requests to a closed folder end.
var errFolderClosed = jsonrpc2.NewError(codeServerCancelled, "the folder was closed")

// addFolder opens a folder of the client. What ambit cannot index is left alone: what
// is not on disk, the root of the file system, a folder that is there already.
func (s *server) addFolder(n namedFolder) {
	root, ok := filePath(n.URI)
	switch {
	case !ok:
		s.log.Info("folder ignored", "uri", n.URI, "reason", "not on disk")
		return
	case filepath.Dir(root) == root:
		s.warn("the root of the file system is not a workspace; open a folder in it")
		return
	case slices.ContainsFunc(s.view.folders, func(f *folder) bool { return f.root == root }):
		return
	}
	f := s.openFolder(n.URI, n.Name, root)
	s.view.folders = append(slices.Clip(s.view.folders), f)
	s.rehome()
	s.moved()
}

// removeFolder closes a folder of the client.
func (s *server) removeFolder(f *folder) {
	s.view.folders = slices.DeleteFunc(slices.Clone(s.view.folders), func(g *folder) bool { return g == f })
	s.closeFolder(f)
	s.rehome()
	s.moved()
}

// closeFolder ends the requests to a folder and closes its workspace.
func (s *server) closeFolder(f *folder) {
	s.leaving[f.root] = f
	s.mu.Lock()
	if s.last != nil && s.last.folder == f {
		s.last = nil
	}
	s.mu.Unlock()
	f.cancel()
}

// openFolder starts to open a workspace, after the one before it of the same root has
// closed. The client is told of it after it was told the last of the one before.
func (s *server) openFolder(uri, name, root string) *folder {
	f := &folder{
		uri: uri, name: name, root: root,
		opened: make(chan struct{}), closed: make(chan struct{}), moved: make(chan struct{}, 1),
		told: make(chan struct{}),
	}
	f.settings.Store(s.settingsFor(uri, root))
	f.status.Store(&Status{State: Starting})
	f.ctx, f.cancel = context.WithCancel(s.ctx)
	before := s.leaving[root]
	delete(s.leaving, root)
	s.group.Go(func() {
		defer s.post(func() { // nothing keeps a workspace that is closed
			if s.leaving[root] == f {
				delete(s.leaving, root)
			}
		})
		defer func() { <-f.told }()
		defer close(f.closed)
		defer f.cancel()
		if before != nil {
			<-before.closed
		}
		select {
		case <-s.settings.known:
		case <-f.ctx.Done():
		}
		s.live(f)
	})
	s.group.Go(func() {
		defer close(f.told)
		if before != nil {
			<-before.told
		}
		s.guard("folder status", func() { s.follow(f) })
	})
	return f
}

// live opens the workspace of a folder, runs it and closes it.
func (s *server) live(f *folder) {
	w, err := s.openWorkspace(f)
	if err != nil {
		f.err = failed("%v", err)
		close(f.opened)
		if f.ctx.Err() == nil {
			s.log.Error("open", "folder", f.label(), "reason", err.Error())
			f.observe(Status{State: Failed, Message: err.Error()})
		}
		<-f.ctx.Done()
		return
	}
	adopted := make(chan struct{})
	s.post(func() {
		f.workspace = w
		if f.paused {
			w.Pause()
		}
		for _, d := range s.view.docs {
			if d.folder == f {
				w.SetBuffer(d.buffer)
			}
		}
		close(f.opened)
		close(adopted)
	})
	select {
	case <-adopted:
		err := errPanic
		s.guard("run", func() { err = w.Run(f.ctx, f.observe) })
		if err != nil && f.ctx.Err() == nil {
			s.log.Error("index", "folder", f.label(), "reason", err.Error())
			f.observe(Status{State: Failed, Message: err.Error()})
		}
		<-f.ctx.Done()
	case <-s.ctx.Done():
	}
	f.mu.Lock()
	f.barred = true
	f.mu.Unlock()
	f.users.Wait()
	if err := w.Close(); err != nil {
		s.log.Error("close", "folder", f.label(), "reason", err.Error())
	}
}

// openWorkspace opens the workspace of f; a panic there is an error.
func (s *server) openWorkspace(f *folder) (w Workspace, err error) {
	err = errPanic
	s.guard("open", func() {
		w, err = s.opener.Open(f.ctx, f.root, OpenOptions{Settings: *f.settings.Load(), Logger: s.log, Tell: s.warn})
	})
	return w, err
}

// using calls do with the workspace of a folder as soon as that is open, and with a
// context that ends with the folder too. When the folder is opened anew meanwhile, do
// is called again with its new workspace: nobody asks twice because settings changed.
func using[T any](ctx context.Context, r *request, f *folder, do func(context.Context, Workspace) (T, error)) (answer T, err error) {
	for {
		answer, err = func() (answer T, err error) {
			ctx, w, release, err := f.use(ctx, r)
			if err != nil {
				return answer, err
			}
			defer release()
			return do(ctx, w)
		}()
		next := f.next.Load()
		if err == nil || next == nil || ctx.Err() != nil {
			return answer, err
		}
		f = next
	}
}

// use waits until the workspace of f is open and returns it, with a context that ends
// with the folder too. The caller calls release when it is done.
func (f *folder) use(ctx context.Context, r *request) (context.Context, Workspace, func(), error) {
	select {
	case <-f.opened:
	default:
		r.report("opening the index", -1)
		select {
		case <-f.opened:
		case <-f.ctx.Done():
			return nil, nil, nil, errFolderClosed
		case <-ctx.Done():
			return nil, nil, nil, context.Cause(ctx)
		}
	}
	if f.err != nil {
		return nil, nil, nil, f.err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.barred || f.ctx.Err() != nil {
		return nil, nil, nil, errFolderClosed
	}
	f.users.Add(1)
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(f.ctx, func() { cancel(errFolderClosed) })
	return ctx, f.workspace, func() {
		stop()
		cancel(nil)
		f.users.Done()
	}, nil
}

// ready returns the workspace when it is open. It is for those who handle messages in
// order and must not wait.
func (f *folder) ready() Workspace {
	select {
	case <-f.opened:
		if f.ctx.Err() == nil {
			return f.workspace
		}
	default:
	}
	return nil
}

// label names the folder in the log.
func (f *folder) label() string {
	if f.root == "" {
		return "documents without a folder"
	}
	return f.root
}

// home returns the folder of a document and its path there. A document of no folder,
// and an untitled one when there is no folder, lives in the loose folder, which is
// opened for the first.
func (s *server) home(uri, path string) (*folder, string) {
	if path == "" && len(s.view.folders) > 0 {
		return s.view.folders[0], uri
	}
	if f, rel := s.view.folderOf(path); f != nil {
		return f, rel
	}
	if s.loose == nil {
		s.loose = s.openFolder("", "", "")
	}
	if path == "" {
		return s.loose, uri
	}
	return s.loose, strings.TrimPrefix(filepath.ToSlash(path), "/")
}

// folderOf returns the folder that a file is in, the innermost of several, and its
// path there; nil when it is in none.
func (v *view) folderOf(path string) (best *folder, rel string) {
	if path == "" {
		return nil, ""
	}
	for _, f := range v.folders {
		if r, ok := below(f.root, path); ok && (best == nil || len(f.root) > len(best.root)) {
			best, rel = f, r
		}
	}
	return best, rel
}

// rehome moves the open documents whose folder is another one now.
func (s *server) rehome() {
	for _, d := range s.view.docs {
		f, path := s.home(d.uri, d.path)
		if f == d.folder {
			continue
		}
		if w := d.folder.ready(); w != nil {
			w.CloseBuffer(d.buffer.Path)
		}
		b := *d.buffer
		b.Path = path
		s.setDocument(&document{uri: d.uri, path: d.path, folder: f, buffer: &b})
	}
}

// didChangeWorkspaceFolders opens and closes folders.
func (s *server) didChangeWorkspaceFolders(params json.RawMessage) error {
	var p struct {
		Event struct{ Added, Removed []namedFolder }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return fmt.Errorf("read the folders: %w", err)
	}
	for _, n := range p.Event.Removed {
		root, _ := filePath(n.URI)
		for _, f := range s.view.folders {
			if f.root == root {
				s.removeFolder(f)
			}
		}
	}
	for _, n := range p.Event.Added {
		s.addFolder(n)
	}
	s.pullConfiguration()
	return nil
}
