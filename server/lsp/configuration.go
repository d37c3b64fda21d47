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

	"ambit/server/config"
)

// section is the client's name for the settings.
const section = "ambit"

// object is a JSON object by field.
type object map[string]json.RawMessage

// settings is what the client says of settings. Later sources have the last word:
// initializationOptions, the client's configuration, that of the folder.
type settings struct {
	options object
	global  object
	scoped  map[string]object // by folder URI
	pulls   int               // how often the client was asked; only the latest answer counts

	problems map[string]string // what was last wrong with them, by folder URI

	known          chan struct{} // closed when the folders may be opened
	status         bool          // the client wants ambit/status
	clientCommands []string      // commands that the client carries out itself
}

// own are the options that are the wire's, not the index's. "trace" is an editor's.
var own = []string{"hover", "statusNotifications", "clientCommands", "trace"}

// readOptions reads initializationOptions.
func (s *server) readOptions(raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	var o object
	if err := json.Unmarshal(raw, &o); err != nil {
		return errors.New("not an object")
	}
	s.settings.options = o
	var problems []error
	read := func(name string, into any, allowed string) {
		if value, ok := o[name]; ok && json.Unmarshal(value, into) != nil {
			problems = append(problems, fmt.Errorf("%s: use %s", name, allowed))
		}
	}
	read("statusNotifications", &s.settings.status, "true or false")
	read("clientCommands", &s.settings.clientCommands, "a list of commands")
	s.readHover()
	return errors.Join(problems...)
}

// readHover sets whether hovers are answered.
func (s *server) readHover() {
	s.view.hover = true
	for _, o := range []object{s.settings.options, s.settings.global} {
		if value, ok := o["hover"]; ok && json.Unmarshal(value, &s.view.hover) != nil {
			s.log.Warn("setting ignored", "setting", "hover", "reason", "use true or false")
		}
	}
}

// settingsFor returns the settings of the folder at a root. What is wrong is logged
// and counts as not said.
func (s *server) settingsFor(uri, root string) *config.Settings {
	merged := object{}
	for _, o := range []object{s.settings.options, s.settings.global, s.settings.scoped[uri]} {
		maps.Copy(merged, o)
	}
	for _, name := range own {
		delete(merged, name)
	}
	client, _ := json.Marshal(merged) // it was read as JSON
	set, warnings, err := config.Load(config.Sources{
		UserFile: s.opts.UserFile, Workspace: root, Client: client, Flags: s.opts.Flags,
	})
	for i := range warnings {
		s.log.Info("setting without effect", "reason", warnings[i].Error())
	}
	problem := ""
	if err != nil {
		problem = err.Error()
	}
	if problem != s.settings.problems[uri] { // a folder that is opened anew asks again
		s.settings.problems[uri] = problem
		if problem != "" {
			s.log.Warn("setting ignored", "reason", problem)
		}
	}
	return &set
}

// pullConfiguration asks the client for its settings, if it answers that, and applies
// them.
func (s *server) pullConfiguration() {
	if !s.client.configuration {
		return
	}
	s.settings.pulls++
	pull := s.settings.pulls
	name := section
	items := []protocol.ConfigurationItem{{Section: &name}}
	var uris []string
	for _, f := range s.view.folders {
		scope := uri.URI(f.uri)
		items = append(items, protocol.ConfigurationItem{ScopeURI: &scope, Section: &name})
		uris = append(uris, f.uri)
	}
	s.spawn("configuration", func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, configurationTimeout)
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
				s.takeConfiguration(answers[0], uris, answers[1:])
			}
			s.applySettings()
			s.settingsKnown()
		})
	})
}

// settingsKnown lets the folders be opened, if they wait for the client's settings.
func (s *server) settingsKnown() {
	if !s.knowsSettings() {
		close(s.settings.known)
	}
}

// knowsSettings reports whether the folders may be opened.
func (s *server) knowsSettings() bool {
	select {
	case <-s.settings.known:
		return true
	default:
		return false
	}
}

// takeConfiguration remembers the client's settings.
func (s *server) takeConfiguration(global json.RawMessage, uris []string, scoped []json.RawMessage) {
	read := func(raw json.RawMessage) (o object) {
		if err := json.Unmarshal(raw, &o); err != nil {
			s.log.Warn("settings ignored", "reason", "not an object")
		}
		return o
	}
	s.settings.global = read(global)
	s.settings.scoped = map[string]object{}
	for i, raw := range scoped {
		s.settings.scoped[uris[i]] = read(raw)
	}
}

// didChangeConfiguration takes new settings: those that come along, or by asking.
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

// applySettings gives each folder its settings. A workspace is opened anew when they
// say how files are indexed; what an answer is like needs no more than the next
// question.
func (s *server) applySettings() {
	s.readHover()
	for _, f := range slices.Clone(s.view.folders) {
		set := s.settingsFor(f.uri, f.root)
		if old := f.settings.Swap(set); s.knowsSettings() && indexedOtherwise(*old, *set) {
			s.reopen(f)
		}
	}
	if s.loose != nil {
		s.loose.settings.Store(s.settingsFor("", ""))
	}
	s.moved()
}

// indexedOtherwise reports whether two settings differ in more than what a question
// brings along.
func indexedOtherwise(a, b config.Settings) bool {
	for _, s := range []*config.Settings{&a, &b} {
		s.Budget, s.DocumentsBudget, s.Format, s.Encoding = 0, 0, "", ""
	}
	return !reflect.DeepEqual(a, b)
}

// reopen closes the workspace of a folder and opens it anew. What is being asked of it
// is asked of the new one, see using.
func (s *server) reopen(f *folder) {
	s.log.Info("open anew", "folder", f.label(), "reason", "settings have changed")
	s.leaving[f.root] = f
	next := s.openFolder(f.uri, f.name, f.root)
	state := f.status.Load().State
	next.paused = state == Paused || state == Starting && f.paused
	f.next.Store(next)
	s.mu.Lock()
	if s.last != nil && s.last.folder == f {
		s.last = &asked{next, s.last.question}
	}
	s.mu.Unlock()
	f.cancel()
	s.view.folders = slices.Clone(s.view.folders)
	for i := range s.view.folders {
		if s.view.folders[i] == f {
			s.view.folders[i] = next
		}
	}
	docs := maps.Clone(s.view.docs)
	for name, d := range docs {
		if d.folder == f {
			moved := *d
			moved.folder = next
			docs[name] = &moved
		}
	}
	s.view.docs = docs
}
