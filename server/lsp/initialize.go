package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"go.lsp.dev/protocol"

	"ambit/server/api"
	"ambit/server/location"
)

// client is the capabilities of the client.
type client struct {
	encoding api.PositionEncoding

	configuration  bool // answers workspace/configuration
	watchFiles     bool // takes a registration for file events
	watchSettings  bool // takes a registration for settings
	progress       bool // takes progress that the server begins
	showDocument   bool
	contentScheme  bool // shows documents of other schemes by workspace/textDocumentContent
	actionLiterals bool // takes code actions, not just commands
	markdown       bool // shows hovers in Markdown
}

// initializeParams are the parameters that ambit reads.
type initializeParams struct {
	ProcessID             *int
	RootPath              *string
	RootURI               *string
	WorkspaceFolders      []namedFolder
	InitializationOptions json.RawMessage
	Trace                 string
	Capabilities          struct {
		General   struct{ PositionEncodings []string }
		Workspace struct {
			Configuration          bool
			DidChangeConfiguration struct{ DynamicRegistration bool }
			DidChangeWatchedFiles  struct{ DynamicRegistration bool }
			TextDocumentContent    *struct{}
		}
		Window struct {
			WorkDoneProgress bool
			ShowDocument     struct{ Support bool }
		}
		TextDocument struct {
			Hover      struct{ ContentFormat []string }
			CodeAction struct{ CodeActionLiteralSupport *struct{} }
		}
	}
}

// initialize answers the first request with ambit's capabilities. The next message opens
// the folders, because only then may the server ask for the client's settings.
func (s *server) initialize(params json.RawMessage) (any, error) {
	var p initializeParams
	var wrong *json.UnmarshalTypeError
	switch err := json.Unmarshal(params, &p); {
	case errors.As(err, &wrong): // the other fields are read
		s.log.Warn("initialize", "field", wrong.Field, "reason", "a "+wrong.Value+" is not of its type")
	case err != nil:
		return nil, &api.FieldError{Field: "params", Reason: "use an object"}
	}
	c := p.Capabilities
	s.client = client{
		encoding:       negotiate(c.General.PositionEncodings),
		configuration:  c.Workspace.Configuration,
		watchFiles:     c.Workspace.DidChangeWatchedFiles.DynamicRegistration,
		watchSettings:  c.Workspace.DidChangeConfiguration.DynamicRegistration,
		progress:       c.Window.WorkDoneProgress,
		showDocument:   c.Window.ShowDocument.Support,
		contentScheme:  c.Workspace.TextDocumentContent != nil,
		actionLiterals: c.TextDocument.CodeAction.CodeActionLiteralSupport != nil,
		markdown:       slices.Index(c.TextDocument.Hover.ContentFormat, string(protocol.MarkupKindMarkdown)) == 0,
	}
	if p.ProcessID != nil {
		s.endWith(*p.ProcessID)
	}
	s.setTraceLevel(p.Trace)
	if err := s.readOptions(p.InitializationOptions); err != nil {
		s.log.Warn("initializationOptions ignored", "reason", err.Error())
	}
	s.named = foldersOf(p)
	s.phase = open
	return s.capabilities(), nil
}

// endWith ends the session when the process that started the server ends.
func (s *server) endWith(pid int) {
	if pid <= 0 {
		return
	}
	s.spawn("wait for the client's process", func(ctx context.Context) {
		if s.opts.Await(ctx, pid); ctx.Err() == nil {
			close(s.orphaned)
		}
	})
}

// foldersOf returns the folders that the client names.
func foldersOf(p initializeParams) []namedFolder {
	switch {
	case len(p.WorkspaceFolders) > 0:
		return p.WorkspaceFolders
	case p.RootURI != nil && *p.RootURI != "":
		return []namedFolder{{URI: *p.RootURI}}
	case p.RootURI == nil && p.RootPath != nil && *p.RootPath != "":
		return []namedFolder{{URI: location.URI(*p.RootPath, "")}}
	}
	return nil
}

// capabilities returns ambit's capabilities. Ambit runs beside the language's own server,
// so it offers nothing that such a server offers, such as diagnostics or completion.
func (s *server) capabilities() *protocol.InitializeResult {
	var actions protocol.CodeActionProvider = protocol.Boolean(true)
	if s.client.actionLiterals {
		actions = &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{copyKind, relatedKind}}
	}
	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "ambit"},
		Capabilities: protocol.ServerCapabilities{
			PositionEncoding: protocol.PositionEncodingKind(s.client.encoding),
			TextDocumentSync: &protocol.TextDocumentSyncOptions{OpenClose: new(true), Change: new(protocol.TextDocumentSyncKindIncremental), Save: protocol.Boolean(true)},
			HoverProvider:    protocol.Boolean(true),
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{
				WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: new(true)},
				Commands:                s.commandNames(),
			},
			CodeActionProvider: actions,
			Workspace: &protocol.WorkspaceOptions{
				WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
					Supported: new(true), ChangeNotifications: protocol.Boolean(true),
				},
				TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{contentScheme}},
			},
		},
	}
	if s.opts.Version != "" {
		result.ServerInfo.Version = protocol.NewOptional(s.opts.Version)
	}
	return result
}

// initialized opens the folders and asks for the client's file events and settings.
func (s *server) initialized(json.RawMessage) error {
	s.start(true)
	return nil
}

// start opens the folders, once: at initialized, or at the first other message of a
// client that does not send initialized. Only after initialized may the server ask for settings.
func (s *server) start(initialized bool) {
	if s.started {
		return
	}
	s.started = true
	if !initialized {
		s.client.configuration, s.client.watchFiles, s.client.watchSettings, s.client.progress = false, false, false, false
	}
	if s.client.watchFiles || s.client.watchSettings {
		s.spawn("registration", s.register)
	}
	if s.client.contentScheme {
		s.spawn("refresh", s.refresh)
	}
	for _, n := range s.named {
		s.addFolder(n)
	}
	if s.client.configuration {
		s.pullConfiguration()
	} else {
		s.settingsKnown()
	}
}

// register asks the client for events of changed files and settings.
func (s *server) register(ctx context.Context) {
	var all []protocol.Registration
	if s.client.watchFiles {
		all = append(all, protocol.Registration{
			ID: "ambit.files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles,
			RegisterOptions: []byte(`{"watchers":[{"globPattern":"**/*"}]}`),
		})
	}
	if s.client.watchSettings {
		all = append(all, protocol.Registration{
			ID: "ambit.settings", Method: protocol.MethodWorkspaceDidChangeConfiguration,
			RegisterOptions: []byte(`{"section":"ambit"}`),
		})
	}
	err := s.conn.Call(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: all}, nil)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("registration refused", "reason", err.Error())
	}
}

// negotiate returns the encoding to use with a client: UTF-8, which needs no conversion,
// if the client offers it, else the client's first.
func negotiate(offered []string) api.PositionEncoding {
	switch {
	case slices.Contains(offered, string(api.UTF8)):
		return api.UTF8
	case slices.Index(offered, string(api.UTF32)) == 0:
		return api.UTF32
	}
	return api.UTF16
}
