package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"ambit/server/api"
	"ambit/server/config"
)

// section is the client's name for the settings.
const section = "ambit"

// object is a JSON object by field.
type object map[string]json.RawMessage

// settings are the client's settings. The order of precedence, lowest first, is
// initializationOptions, the client's configuration, the folder's configuration.
type settings struct {
	options api.InitializeOptions
	initial object // initializationOptions
	global  object
	scoped  map[string]object // by folder URI
	pulls   int               // requests for the configuration; only the latest answer counts

	problems map[string]string // the latest problem with the settings, by folder URI

	known   chan struct{} // closed when the folders may be opened
	isKnown bool
}

// ownOptions are the options that are not settings of the index. "trace" is an editor's.
var ownOptions = []string{"hover", "statusNotifications", "clientCommands", "trace"}

// readOptions reads initializationOptions.
func (s *server) readOptions(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if json.Unmarshal(raw, &s.settings.initial) != nil {
		return errors.New("not an object")
	}
	s.readHover()
	return api.Decode(raw, &s.settings.options)
}

// readHover sets whether hovers are answered.
func (s *server) readHover() {
	s.view.hover = true
	for _, o := range []object{s.settings.initial, s.settings.global} {
		if value, ok := o["hover"]; ok && json.Unmarshal(value, &s.view.hover) != nil {
			s.log.Warn("setting ignored", "setting", "hover", "reason", "use true or false")
		}
	}
}

// settingsFor returns the settings of the folder at a root. It logs and ignores invalid
// ones.
func (s *server) settingsFor(uri, root string) *config.Settings {
	merged := object{}
	for _, o := range []object{s.settings.initial, s.settings.global, s.settings.scoped[uri]} {
		maps.Copy(merged, o)
	}
	for _, name := range ownOptions {
		delete(merged, name)
	}
	client, _ := json.Marshal(merged) // its values came from JSON
	set, warnings, err := config.Load(config.Sources{
		UserFile: s.opts.UserFile, Workspace: root, Client: client,
	})
	for i := range warnings {
		s.log.Info("setting without effect", "reason", warnings[i].Error())
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != s.settings.problems[uri] { // a folder that is opened again has the same problem
		s.settings.problems[uri] = problem
		if problem != "" {
			s.log.Warn("setting ignored", "reason", problem)
		}
	}
	return &set
}

// pullConfiguration asks the client for its settings, if the client supports that, and
// applies them.
func (s *server) pullConfiguration() {
	if !s.client.configuration {
		return
	}
	s.settings.pulls++
	pull := s.settings.pulls
	name := section
	items := []protocol.ConfigurationItem{{Section: &name}}
	folders := s.view.folders
	for _, f := range folders {
		items = append(items, protocol.ConfigurationItem{ScopeURI: new(uri.URI(f.uri)), Section: &name})
	}
	s.spawn("configuration", func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, clientTimeout)
		defer cancel()
		var answers []json.RawMessage
		err := s.conn.Call(ctx, protocol.MethodWorkspaceConfiguration, &protocol.ConfigurationParams{Items: items}, &answers)
		if err == nil && len(answers) != len(items) {
			err = fmt.Errorf("%d answers to %d questions", len(answers), len(items))
		}
		s.post(func() {
			if pull != s.settings.pulls {
				return
			}
			if err != nil {
				s.log.Warn("no settings from the client", "reason", err.Error())
			} else {
				s.takeConfiguration(answers[0], folders, answers[1:])
			}
			s.applySettings()
			s.settingsKnown()
		})
	})
}

// settingsKnown releases the folders that wait for the client's settings.
func (s *server) settingsKnown() {
	if !s.settings.isKnown {
		s.settings.isKnown = true
		close(s.settings.known)
	}
}

// takeConfiguration stores the client's settings, the global ones and those of folders.
func (s *server) takeConfiguration(global json.RawMessage, folders []*folder, scoped []json.RawMessage) {
	read := func(raw json.RawMessage) (o object) {
		if err := json.Unmarshal(raw, &o); err != nil {
			s.log.Warn("settings ignored", "reason", "not an object")
		}
		return o
	}
	s.settings.global = read(global)
	s.settings.scoped = map[string]object{}
	for i, raw := range scoped {
		s.settings.scoped[folders[i].uri] = read(raw)
	}
}

// didChangeConfiguration asks the client for its settings, or reads the parameters.
func (s *server) didChangeConfiguration(params json.RawMessage) error {
	if s.client.configuration {
		s.pullConfiguration()
		return nil
	}
	var p struct{ Settings object }
	if err := json.Unmarshal(params, &p); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	if raw, ok := p.Settings[section]; ok {
		s.takeConfiguration(raw, nil, nil)
	} else if len(p.Settings) > 0 {
		s.settings.global = p.Settings
	}
	s.applySettings()
	return nil
}

// applySettings updates the settings of each folder. It opens a workspace again when the
// change affects the index; other settings apply to the next question.
func (s *server) applySettings() {
	s.readHover()
	for _, f := range slices.Clone(s.view.folders) {
		set := s.settingsFor(f.uri, f.root)
		if old := f.settings.Swap(set); s.settings.isKnown && indexedOtherwise(*old, *set) {
			s.reopen(f)
		}
	}
	if f := s.view.fallback; f != nil {
		f.settings.Store(s.settingsFor("", ""))
	}
	s.changed()
}

// indexedOtherwise reports whether two settings differ in how files are indexed.
func indexedOtherwise(a, b config.Settings) bool {
	for _, s := range []*config.Settings{&a, &b} {
		s.Budget, s.DocumentsBudget, s.Format, s.Encoding = 0, 0, "", ""
	}
	return !reflect.DeepEqual(a, b)
}

// reopen closes the workspace of a folder and opens it again. Questions under way move
// to the new workspace, see using.
func (s *server) reopen(f *folder) {
	s.log.Info("open again", "folder", f.label(), "reason", "settings have changed")
	s.leaving[f.root] = f
	next := s.openFolder(f.uri, f.name, f.root)
	state := f.state.Load().State
	next.paused = state == api.StatePaused || state == api.StateStarting && f.paused
	f.next.Store(next)
	s.mu.Lock()
	if s.last != nil && s.last.folder == f {
		s.last = &asked{next, s.last.question}
	}
	s.mu.Unlock()
	f.cancel()
	s.view.folders = slices.Clone(s.view.folders)
	s.view.folders[slices.Index(s.view.folders, f)] = next
	s.reassign()
}
