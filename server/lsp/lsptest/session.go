package lsptest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Message is one message of a session.
type Message struct {
	FromServer bool
	Raw        bool // deliberately invalid; not checked
	Data       []byte
}

// envelope has the fields of all messages.
type envelope struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    *int64  `json:"code"`
		Message *string `json:"message"`
	} `json:"error"`
}

// Check returns the problems of a session's messages, in their order: shape, direction,
// answers without request and requests without answer. Ambit's own methods have the
// prefix "ambit/".
func (m *Model) Check(session []Message) (problems []string) {
	pending := map[bool]map[string][]string{true: {}, false: {}} // from the server → id → methods
	bars := progress{begun: map[string]bool{}, asked: map[string]string{}}
	for _, message := range session {
		var e envelope
		if err := json.Unmarshal(message.Data, &e); err != nil {
			if !message.Raw {
				problems = append(problems, fmt.Sprintf("not a message: %v: %.200s", err, message.Data))
			}
			continue
		}
		for _, problem := range m.checkMessage(message, &e, pending) {
			problems = append(problems, fmt.Sprintf("from server %t: %s: %.300s", message.FromServer, problem, message.Data))
		}
		if problem := bars.check(message.FromServer, &e); problem != "" {
			problems = append(problems, fmt.Sprintf("progress: %s: %.300s", problem, message.Data))
		}
	}
	for id, names := range pending[false] {
		for _, name := range names {
			problems = append(problems, fmt.Sprintf("never answered: %s, id %s", name, id))
		}
	}
	return problems
}

// CheckServer returns the problems of the server in a session with a real editor: all
// problems of [Model.Check] except those of the editor's messages and of requests without
// an answer when the editor ended.
func (m *Model) CheckServer(session []Message) []string {
	return slices.DeleteFunc(m.Check(session), func(problem string) bool {
		return strings.HasPrefix(problem, "from server false") || strings.HasPrefix(problem, "never answered")
	})
}

// idPattern is the form of the id of a request.
var idPattern = regexp.MustCompile(`^(-?\d+|".*")$`)

func (m *Model) checkMessage(message Message, e *envelope, pending map[bool]map[string][]string) (problems []string) {
	asked := pending[message.FromServer]
	switch {
	case message.Raw && e.Method == nil:
		return nil
	case e.Method == nil && len(e.ID) == 0:
		return []string{"neither method nor id"}
	case e.Method == nil:
		return m.checkAnswer(e, pending[!message.FromServer])
	case message.Raw:
		if idPattern.Match(e.ID) && e.JSONRPC == "2.0" {
			asked[string(e.ID)] = append(asked[string(e.ID)], "") // only the envelope of its answer is checked
		}
		return nil
	}
	if e.JSONRPC != "2.0" {
		problems = append(problems, "jsonrpc is not 2.0")
	}
	if len(e.Result) > 0 || e.Error != nil {
		problems = append(problems, "question and answer at once")
	}
	methods := m.Notifications
	if len(e.ID) > 0 {
		methods = m.Requests
		asked[string(e.ID)] = append(asked[string(e.ID)], *e.Method)
	}
	d, ok := methods[*e.Method]
	if !ok {
		if !strings.HasPrefix(*e.Method, "ambit/") {
			problems = append(problems, "unknown method")
		}
		return problems
	}
	if want := map[bool]string{false: "clientToServer", true: "serverToClient"}[message.FromServer]; d.MessageDirection != "both" && d.MessageDirection != want {
		problems = append(problems, "wrong direction")
	}
	params, _ := decode(e.Params)
	if d.Params != nil {
		return append(problems, m.check(d.Params, params, "params")...)
	}
	if o, ok := params.(map[string]any); params != nil && (!ok || len(o) > 0) {
		problems = append(problems, "params not allowed")
	}
	return problems
}

func (m *Model) checkAnswer(e *envelope, asked map[string][]string) (problems []string) {
	id, name := string(e.ID), ""
	if names := asked[id]; len(names) > 0 {
		name, asked[id] = names[0], names[1:]
	} else if id != "null" || e.Error == nil {
		problems = append(problems, "an answer to nothing")
	}
	if e.JSONRPC != "2.0" {
		problems = append(problems, "jsonrpc is not 2.0")
	}
	if (len(e.Result) > 0) == (e.Error != nil) {
		problems = append(problems, "not exactly one of result and error")
	}
	if e.Error != nil && (e.Error.Code == nil || e.Error.Message == nil) {
		problems = append(problems, "an error without code or message")
	}
	if d := m.Requests[name]; d.Result != nil && len(e.Result) > 0 {
		result, _ := decode(e.Result)
		problems = append(problems, m.check(d.Result, result, "result")...)
	}
	return problems
}
