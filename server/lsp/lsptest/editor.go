package lsptest

// Client describes an editor to the server.
type Client struct {
	Encodings []string
	Folders   []string // URIs
	RootURI   any      // instead of Folders: a string or nil
	Options   any      // initializationOptions
	ProcessID any
	Trace     string
	Bare      bool // without optional capabilities
	NoContent bool // cannot show documents of other schemes
}

// Initialize begins a session and returns the server's capabilities.
func (e *Editor) Initialize(c Client) Object {
	e.t.Helper()
	capabilities := Object{}
	if !c.Bare {
		dynamic := Object{"dynamicRegistration": true}
		workspace := Object{
			"configuration": true, "didChangeConfiguration": dynamic, "didChangeWatchedFiles": dynamic,
			"workspaceFolders": true, "textDocumentContent": Object{},
		}
		if c.NoContent {
			delete(workspace, "textDocumentContent")
		}
		capabilities = Object{
			"workspace": workspace,
			"window":    Object{"workDoneProgress": true, "showDocument": Object{"support": true}},
			"textDocument": Object{
				"hover": Object{"contentFormat": []string{"markdown", "plaintext"}},
				"codeAction": Object{"codeActionLiteralSupport": Object{
					"codeActionKind": Object{"valueSet": []string{"source"}},
				}},
			},
		}
	}
	if c.Encodings != nil {
		capabilities["general"] = Object{"positionEncodings": c.Encodings}
	}
	params := Object{"processId": c.ProcessID, "rootUri": c.RootURI, "capabilities": capabilities}
	if c.Folders != nil {
		folders := []Object{}
		for _, uri := range c.Folders {
			folders = append(folders, Object{"uri": uri, "name": "folder"})
		}
		params["workspaceFolders"] = folders
	}
	if c.Options != nil {
		params["initializationOptions"] = c.Options
	}
	if c.Trace != "" {
		params["trace"] = c.Trace
	}
	var result struct{ Capabilities Object }
	if err := e.Call("initialize", params, &result); err != nil {
		e.t.Fatalf("initialize: %v", err)
	}
	return result.Capabilities
}

// Begin begins a session with initialize and initialized.
func (e *Editor) Begin(c Client) Object {
	e.t.Helper()
	capabilities := e.Initialize(c)
	e.Notify("initialized", Object{})
	return capabilities
}

// Finish ends the session with shutdown and exit, and returns the error of the server.
func (e *Editor) Finish() error {
	e.t.Helper()
	if err := e.Call("shutdown", nil, nil); err != nil {
		e.t.Errorf("shutdown: %v", err)
	}
	e.Notify("exit", nil)
	return e.Wait()
}

// Open opens a document.
func (e *Editor) Open(uri, language, text string) {
	e.Notify("textDocument/didOpen", Object{"textDocument": Object{
		"uri": uri, "languageId": language, "version": 1, "text": text,
	}})
}

// Change sends changes of a document, see [Edit] and [Whole].
func (e *Editor) Change(uri string, version int, changes ...Object) {
	e.Notify("textDocument/didChange", Object{
		"textDocument": Object{"uri": uri, "version": version}, "contentChanges": append([]Object{}, changes...),
	})
}

// Edit is a change of a range.
func Edit(line, character, endLine, endCharacter int, text string) Object {
	return Object{"range": Range(line, character, endLine, endCharacter), "text": text}
}

// Range is a range of a document.
func Range(line, character, endLine, endCharacter int) Object {
	return Object{"start": Position(line, character), "end": Position(endLine, endCharacter)}
}

// Position is a place in a document.
func Position(line, character int) Object { return Object{"line": line, "character": character} }

// Whole is a change of the whole document.
func Whole(text string) Object { return Object{"text": text} }

// CloseDocument closes a document.
func (e *Editor) CloseDocument(uri string) {
	e.Notify("textDocument/didClose", Object{"textDocument": Object{"uri": uri}})
}

// At is the argument of commands about a place.
func At(uri string, line, character int) Object {
	return Object{"textDocument": Object{"uri": uri}, "position": Position(line, character)}
}

// GoCommand sends workspace/executeCommand.
func (e *Editor) GoCommand(name string, argument any) *Pending {
	params := Object{"command": name}
	if argument != nil {
		params["arguments"] = []any{argument}
	}
	return e.Go("workspace/executeCommand", params)
}

// Command carries out a command and decodes its result.
func (e *Editor) Command(name string, argument, result any) error {
	return e.GoCommand(name, argument).Await(result)
}
