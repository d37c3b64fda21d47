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
	"time"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/location"
	"ambit/vectors/record"
)

// folder is one folder of the client and its workspace, which opens in the background;
// requests wait for it.
type folder struct {
	uri      string // as the client spells it; "" of the fallback
	name     string
	root     string // absolute path; "" of the fallback
	settings atomic.Pointer[config.Settings]

	ctx     context.Context // ends when the folder is to be closed
	cancel  context.CancelFunc
	opened  chan struct{} // closed after the first try to open the workspace
	closed  chan struct{} // closed when the workspace is closed
	state   atomic.Pointer[api.State]
	changed chan struct{} // holds a value when the state has changed
	silent  chan struct{} // closed after the last state for the client

	next   atomic.Pointer[folder] // the same folder opened again with other settings
	paused bool                   // Run begins paused, as its predecessor was
	bar    atomic.Pointer[string] // token of the progress of its index; nil for none

	mu        sync.Mutex    // guards all fields below
	workspace api.Workspace // nil until it is open
	err       error         // of the latest try to open it
	users     sync.WaitGroup
	barred    bool // new users are refused: the workspace is closing
}

// namedFolder is a folder as the client names it.
type namedFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// errFolderClosed is the cause with which the requests to a closed folder end.
var errFolderClosed = jsonrpc2.NewError(codeServerCancelled, "the folder was closed")

// addFolder opens a folder of the client. It ignores folders that are not on disk, the
// root of the file system, and a folder that is open already.
func (s *server) addFolder(n namedFolder) {
	root, ok := location.File(n.URI)
	switch {
	case !ok:
		s.log.Info("folder ignored", "uri", n.URI, "reason", "not on disk")
		return
	case filepath.Dir(root) == root:
		s.warn("the root of the file system is not a workspace; open a folder in it")
		return
	case slices.ContainsFunc(s.view.folders, func(f *folder) bool { return f.root == root }):
		return
	case len(s.view.folders) >= maxFolders:
		s.warn(fmt.Sprintf("%d folders are open; %s is not, close some", maxFolders, n.URI))
		return
	}
	s.view.folders = append(slices.Clip(s.view.folders), s.openFolder(n.URI, n.Name, root))
	s.reassign()
	s.changed()
}

// removeFolder closes a folder of the client.
func (s *server) removeFolder(f *folder) {
	s.view.folders = slices.DeleteFunc(slices.Clone(s.view.folders), func(g *folder) bool { return g == f })
	s.leaving[f.root] = f
	s.mu.Lock()
	if s.last != nil && s.last.folder == f {
		s.last = nil
	}
	s.mu.Unlock()
	f.cancel()
	s.reassign()
	s.changed()
}

// openFolder starts to open a workspace, after its predecessor with the same root has
// closed. The client gets the last state of the predecessor first.
func (s *server) openFolder(uri, name, root string) *folder {
	f := &folder{
		uri: uri, name: name, root: root,
		opened: make(chan struct{}), closed: make(chan struct{}), changed: make(chan struct{}, 1), silent: make(chan struct{}),
	}
	f.settings.Store(s.settingsFor(uri, root))
	f.state.Store(&api.State{Folder: uri, State: api.StateStarting})
	f.ctx, f.cancel = context.WithCancel(s.ctx)
	predecessor := s.leaving[root]
	delete(s.leaving, root)
	s.group.Go(func() {
		defer s.post(func() { // drop the reference to a closed workspace
			if s.leaving[root] == f {
				delete(s.leaving, root)
			}
		})
		defer func() { <-f.silent }()
		defer close(f.closed)
		defer f.cancel()
		if predecessor != nil {
			<-predecessor.closed
		}
		select {
		case <-s.settings.known:
		case <-f.ctx.Done():
		}
		s.live(f)
	})
	s.group.Go(func() {
		defer close(f.silent)
		if predecessor != nil {
			<-predecessor.silent
		}
		s.guard("folder state", func() { s.follow(f) })
	})
	return f
}

// live opens the workspace of a folder, runs it and closes it.
func (s *server) live(f *folder) {
	w := s.openPatiently(f)
	if w == nil {
		return
	}
	adopted := make(chan struct{})
	s.post(func() {
		f.set(w, nil)
		if f.paused {
			w.Pause()
		}
		for _, d := range s.view.docs {
			if d.folder == f {
				w.SetDocument(d.Document)
			}
		}
		close(adopted)
	})
	select {
	case <-adopted:
		err := errPanic
		s.guard("run", func() { err = w.Run(f.ctx, f.observe) })
		if err != nil {
			s.indexFailed(f, "index", err)
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

// The times between tries to open a workspace: each is twice as long as the one before.
const (
	firstReopen = time.Second
	lastReopen  = time.Minute
)

// openPatiently opens the workspace of f. What makes that fail, such as a full disk or a
// directory that nobody may write to, often passes: it tries again until the folder is
// closed, and then returns nil. Requests get the error of the latest try meanwhile.
func (s *server) openPatiently(f *folder) api.Workspace {
	var known string
	for pause := firstReopen; ; pause = min(2*pause, lastReopen) {
		w, err := s.openWorkspace(f)
		if err == nil {
			return w
		}
		f.set(nil, failed("%v", err))
		if err.Error() != known {
			known = err.Error()
			s.indexFailed(f, "open", err)
		}
		select {
		case <-time.After(pause):
		case <-f.ctx.Done():
			return nil
		}
	}
}

// set sets the outcome of a try to open the workspace.
func (f *folder) set(w api.Workspace, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workspace, f.err = w, err
	if !f.isOpen() {
		close(f.opened)
	}
}

// indexFailed logs an error and makes it the state of the folder, unless the folder is
// being closed.
func (s *server) indexFailed(f *folder, action string, err error) {
	if f.ctx.Err() == nil {
		s.log.Error(action, "folder", f.label(), "reason", err.Error())
		f.observe(api.State{State: api.StateFailed, Message: err.Error()})
	}
}

// openWorkspace opens the workspace of f. It returns errPanic after a panic.
func (s *server) openWorkspace(f *folder) (w api.Workspace, err error) {
	err = errPanic
	s.guard("open", func() {
		w, err = s.opener.Open(f.ctx, f.root, OpenOptions{Settings: *f.settings.Load(), Logger: s.log, Tell: s.warn})
	})
	return w, err
}

// using calls do with the workspace of a folder as soon as the workspace is open, and with
// a context that also ends with the folder. When do fails and the folder was opened again
// with other settings meanwhile, using calls do with the new workspace, so that the
// client does not have to ask again.
func using[T any](ctx context.Context, r *request, f *folder, do func(context.Context, api.Workspace) (T, error)) (answer T, err error) {
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

// use waits until the workspace of f is open and returns it, with a context that also
// ends with the folder. The caller calls the returned function when it is done.
func (f *folder) use(ctx context.Context, r *request) (context.Context, api.Workspace, func(), error) {
	if !f.isOpen() {
		r.report("opening the index", -1)
		select {
		case <-f.opened:
		case <-f.ctx.Done():
			return nil, nil, nil, errFolderClosed
		case <-ctx.Done():
			return nil, nil, nil, context.Cause(ctx)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return nil, nil, nil, f.err
	}
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

// isOpen reports whether workspace or err has been set.
func (f *folder) isOpen() bool {
	select {
	case <-f.opened:
		return true
	default:
		return false
	}
}

// ready returns the workspace when it is open, else nil. It is for the goroutine that
// handles messages, which must not wait.
func (f *folder) ready() api.Workspace {
	if f.ctx.Err() != nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.workspace
}

// label names the folder in the log.
func (f *folder) label() string {
	if f.root == "" {
		return "documents without a folder"
	}
	return f.root
}

// assign returns the folder of a document and its path there. A document outside of all
// folders, and an untitled one when there are no folders, belongs to the fallback, which
// assign opens on first use. File is "" for an untitled document.
func (s *server) assign(uri, file string) (*folder, record.Path) {
	if file == "" && len(s.view.folders) > 0 {
		return s.view.folders[0], record.Path(uri)
	}
	if f, path := s.view.folderOf(file); f != nil {
		return f, path
	}
	if s.view.fallback == nil {
		s.view.fallback = s.openFolder("", "", "")
	}
	if file == "" {
		return s.view.fallback, record.Path(uri)
	}
	return s.view.fallback, record.Path(strings.TrimPrefix(filepath.ToSlash(file), "/"))
}

// folderOf returns the folder that a file is in, the innermost of several, and its
// path there; nil when it is in none.
func (v *view) folderOf(file string) (best *folder, path record.Path) {
	for _, f := range v.folders {
		if p, ok := location.Below(f.root, file); ok && (best == nil || len(f.root) > len(best.root)) {
			best, path = f, p
		}
	}
	return best, path
}

// reassign moves open documents to the folders that they belong to now.
func (s *server) reassign() {
	for _, d := range s.view.docs {
		f, path := s.assign(d.uri, d.file)
		if f == d.folder {
			continue
		}
		if w := d.folder.ready(); w != nil {
			w.CloseDocument(d.Path)
		}
		next := *d.Document
		next.Path = path
		s.setDocument(&document{d.uri, d.file, f, &next})
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
		root, _ := location.File(n.URI)
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
