package lsp

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/server/rpc"
)

// phase is where a session is in its life.
type phase int

const (
	fresh    phase = iota // only initialize is answered
	open                  // initialize is answered
	shutdown              // only exit is handled
)

// server is one session. Only the goroutine that handles messages uses its fields, but
// for those below the mutex and those that are safe for concurrent use. Requests run on
// a view. Other goroutines use post.
type server struct {
	conn   *rpc.Conn
	opener Opener
	opts   Options
	log    *slog.Logger
	trace  atomic.Int32 // a traceLevel

	ctx     context.Context // of everything that outlives a message
	cancel  context.CancelFunc
	group   sync.WaitGroup
	tasks   chan func()
	running chan struct{} // holds a token for each request that has a place
	// orphaned is closed when the process that started the server has ended.
	orphaned chan struct{}

	phase     phase
	client    client
	named     []namedFolder // the folders of initialize
	started   bool          // the folders of initialize have been added
	settings  settings
	view      view
	docBytes  int                // of the texts of view.docs
	leaving   map[string]*folder // by root: closed by the client, perhaps still closing
	nextToken atomic.Int64       // of progress that the server begins

	changes atomic.Uint64 // how often answers may have changed
	stale   chan struct{} // holds a value when answers may have changed since the last comparison

	mu           sync.Mutex // guards all fields below
	requests     map[jsonrpc2.ID]*request
	requestBytes int     // of the parameters of requests
	last         *asked  // the client's latest question
	shown        []shown // answer documents that the client may show, the oldest first
}

// view is the state of the session for one request. It is immutable.
type view struct {
	docs     map[string]*document // by URI as the client spells it
	folders  []*folder            // in the client's order
	fallback *folder              // of documents that belong to no folder; nil when there are none
	hover    bool
}

func newServer(ctx context.Context, c *rpc.Conn, opener Opener, o Options) *server {
	s := &server{
		conn: c, opener: opener, opts: o,
		tasks:    make(chan func()),
		running:  make(chan struct{}, maxRunning),
		orphaned: make(chan struct{}),
		leaving:  map[string]*folder{},
		requests: map[jsonrpc2.ID]*request{},
		client:   client{encoding: api.UTF16},
		view:     view{hover: true},
		stale:    make(chan struct{}, 1),
		settings: settings{known: make(chan struct{}), problems: map[string]string{}},
	}
	s.ctx, s.cancel = context.WithCancel(ctx)
	s.log = slog.New(slog.NewMultiHandler(&logHandler{s: s}, o.Logger.Handler())).With("system", "lsp")
	return s
}

// end stops everything and waits for it.
func (s *server) end() {
	s.mu.Lock()
	for _, r := range s.requests {
		r.cancel()
	}
	s.mu.Unlock()
	s.cancel()
	done := make(chan struct{})
	go func() { // work under way may post tasks, or wait for room to write
		for {
			select {
			case <-s.tasks:
			case <-done:
				return
			}
		}
	}()
	if !wait(&s.group) {
		s.log.Debug("some work has not ended")
	}
	close(done)
}

// post runs f on the goroutine that handles messages, unless the session ends first.
func (s *server) post(f func()) {
	select {
	case s.tasks <- f:
	case <-s.ctx.Done():
	}
}

// spawn starts work that lasts longer than a message. It must not be called when the
// session has ended.
func (s *server) spawn(name string, f func(ctx context.Context)) {
	s.group.Go(func() { s.guard(name, func() { f(s.ctx) }) })
}

// methods are the requests that run beside others. Each has a file of its own.
var methods = map[string]func(*server, context.Context, *request) (any, error){
	protocol.MethodTextDocumentHover:            (*server).hover,
	protocol.MethodTextDocumentCodeAction:       (*server).codeAction,
	protocol.MethodWorkspaceExecuteCommand:      (*server).executeCommand,
	protocol.MethodWorkspaceTextDocumentContent: (*server).textDocumentContent,
}

// notifications are handled in order.
var notifications = map[string]func(*server, json.RawMessage) error{
	protocol.MethodInitialized:                        (*server).initialized,
	protocol.MethodSetTrace:                           (*server).setTrace,
	protocol.MethodTextDocumentDidOpen:                (*server).didOpen,
	protocol.MethodTextDocumentDidChange:              (*server).didChange,
	protocol.MethodTextDocumentDidSave:                (*server).didSave,
	protocol.MethodTextDocumentDidClose:               (*server).didClose,
	protocol.MethodWorkspaceDidChangeConfiguration:    (*server).didChangeConfiguration,
	protocol.MethodWorkspaceDidChangeWatchedFiles:     (*server).didChangeWatchedFiles,
	protocol.MethodWorkspaceDidChangeWorkspaceFolders: (*server).didChangeWorkspaceFolders,
	protocol.MethodWindowWorkDoneProgressCancel:       (*server).workDoneProgressCancel,
	protocol.MethodCancelRequest:                      (*server).cancelRequest,
}

// notification handles a notification. Unknown ones are ignored.
func (s *server) notification(method string, params []byte) {
	if s.phase != open {
		return
	}
	if method != protocol.MethodInitialized && !strings.HasPrefix(method, "$/") {
		s.start(false)
	}
	handle, ok := notifications[method]
	if !ok {
		return
	}
	if err := handle(s, params); err != nil {
		s.log.Warn("notification ignored", "method", method, "reason", err.Error())
	}
}

// request answers initialize and shutdown, and starts the other requests.
func (s *server) request(id jsonrpc2.ID, method string, params []byte) {
	refuse := func(code jsonrpc2.Code, reason string) { s.conn.Reply(id, nil, jsonrpc2.NewError(code, reason)) }
	switch {
	case method == protocol.MethodInitialize && s.phase == fresh:
		result, err := s.initialize(params)
		s.conn.Reply(id, result, err)
		return
	case method == protocol.MethodInitialize:
		refuse(jsonrpc2.InvalidRequest, "initialize came before")
		return
	case s.phase == fresh:
		refuse(jsonrpc2.ServerNotInitialized, "initialize must come first")
		return
	case s.phase == shutdown:
		refuse(jsonrpc2.InvalidRequest, "the server is shut down")
		return
	case method == protocol.MethodShutdown:
		s.shutdown(id)
		return
	}
	s.start(false)
	handle, ok := methods[method]
	if !ok {
		refuse(jsonrpc2.MethodNotFound, "ambit has no method "+method)
		return
	}
	r := &request{s: s, id: id, method: method, params: params, view: s.view, changes: s.changes.Load()}
	if err := s.admit(r); err != nil {
		s.conn.Reply(id, nil, err)
		return
	}
	s.group.Go(func() { r.run(handle) })
}

// shutdown cancels all work and answers when the folders have closed.
func (s *server) shutdown(id jsonrpc2.ID) {
	s.phase = shutdown
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.requests))
	s.mu.Unlock()
	for _, r := range all {
		r.finish(nil, jsonrpc2.NewError(codeServerCancelled, "the server shuts down"))
	}
	folders := s.view.all()
	for _, f := range folders {
		f.cancel()
	}
	s.group.Go(func() {
		for _, f := range folders {
			select {
			case <-f.closed:
			case <-s.ctx.Done():
			}
		}
		s.conn.Reply(id, nil, nil)
	})
}

// all returns the folders and the fallback.
func (v *view) all() []*folder {
	if v.fallback == nil {
		return v.folders
	}
	return append(slices.Clip(v.folders), v.fallback)
}
