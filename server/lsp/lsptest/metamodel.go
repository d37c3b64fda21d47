package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Model is the official meta model of the protocol: what every message looks like.
type Model struct {
	structures    map[string]*structure
	enumerations  map[string]*enumeration
	aliases       map[string]*typ
	requests      map[string]*method
	notifications map[string]*method
	properties    map[string]map[string]property // of structures, with those they extend
}

type method struct {
	Method           string
	MessageDirection string
	Params           *typ
	Result           *typ
}

type structure struct {
	Name       string
	Properties []property
	Extends    []*typ
	Mixins     []*typ
}

type property struct {
	Name     string
	Type     *typ
	Optional bool
}

type enumeration struct {
	Name                 string
	Type                 struct{ Name string }
	Values               []struct{ Value any }
	SupportsCustomValues bool
}

// typ is a type of the model. Value is a type for a map, a literal for the others.
type typ struct {
	Kind    string
	Name    string
	Element *typ
	Items   []*typ
	Value   json.RawMessage
}

// LoadModel reads the model, testdata/protocol/metaModel.json of the repository.
func LoadModel(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Requests, Notifications []*method
		Structures              []*structure
		Enumerations            []*enumeration
		TypeAliases             []struct {
			Name string
			Type *typ
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read the meta model %s: %w", path, err)
	}
	m := &Model{
		structures: map[string]*structure{}, enumerations: map[string]*enumeration{}, aliases: map[string]*typ{},
		requests: map[string]*method{}, notifications: map[string]*method{}, properties: map[string]map[string]property{},
	}
	for _, r := range file.Requests {
		m.requests[r.Method] = r
	}
	for _, n := range file.Notifications {
		m.notifications[n.Method] = n
	}
	for _, s := range file.Structures {
		m.structures[s.Name] = s
	}
	for _, e := range file.Enumerations {
		m.enumerations[e.Name] = e
	}
	for _, a := range file.TypeAliases {
		m.aliases[a.Name] = a.Type
	}
	for name := range m.structures {
		m.properties[name] = m.propertiesOf(name)
	}
	return m, nil
}

// propertiesOf returns the properties of a structure and of those it extends.
func (m *Model) propertiesOf(name string) map[string]property {
	all := map[string]property{}
	s := m.structures[name]
	for _, base := range slices.Concat(s.Extends, s.Mixins) {
		for n, p := range m.propertiesOf(base.Name) {
			all[n] = p
		}
	}
	for _, p := range s.Properties {
		all[p.Name] = p
	}
	return all
}

// Message is one message of a session.
type Message struct {
	FromServer bool
	Raw        bool // sent as it is by a test that means it; not checked
	Data       []byte
}

// envelope is what all messages have.
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

// Check returns what is wrong with the messages of a session, in their order: shape,
// direction, answers without question and questions without answer. Methods of our
// own are those with the prefix "ambit/".
func (m *Model) Check(session []Message) []string {
	var problems []string
	pending := map[bool]map[string][]string{true: {}, false: {}} // who asked → id → methods
	bars := progress{begun: map[string]bool{}, asked: map[string]string{}}
	for _, message := range session {
		var e envelope
		if err := json.Unmarshal(message.Data, &e); err != nil {
			if !message.Raw {
				problems = append(problems, fmt.Sprintf("no message: %v: %.200s", err, message.Data))
			}
			continue
		}
		for _, problem := range m.checkOne(message, &e, pending) {
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

func (m *Model) checkOne(message Message, e *envelope, pending map[bool]map[string][]string) []string {
	asked := pending[message.FromServer]
	switch {
	case message.Raw && e.Method == nil:
		return nil
	case e.Method == nil && len(e.ID) == 0:
		return []string{"neither method nor id"}
	case e.Method == nil:
		return m.checkAnswer(message, e, pending[!message.FromServer])
	case message.Raw:
		if idPattern.Match(e.ID) && e.JSONRPC == "2.0" {
			asked[string(e.ID)] = append(asked[string(e.ID)], "") // its answer is looked at for its shape only
		}
		return nil
	}
	var problems []string
	if e.JSONRPC != "2.0" {
		problems = append(problems, "jsonrpc is not 2.0")
	}
	if len(e.Result) > 0 || e.Error != nil {
		problems = append(problems, "question and answer at once")
	}
	kinds := m.notifications
	if len(e.ID) > 0 {
		kinds = m.requests
		asked[string(e.ID)] = append(asked[string(e.ID)], *e.Method)
	}
	d := kinds[*e.Method]
	if d == nil {
		if !strings.HasPrefix(*e.Method, "ambit/") {
			problems = append(problems, "unknown method")
		}
		return problems
	}
	want := "clientToServer"
	if message.FromServer {
		want = "serverToClient"
	}
	if d.MessageDirection != "both" && d.MessageDirection != want {
		problems = append(problems, "wrong direction")
	}
	params, present := decode(e.Params)
	switch {
	case d.Params != nil:
		problems = append(problems, m.check(d.Params, params, "params")...)
	case present && params != nil:
		if o, ok := params.(map[string]any); !ok || len(o) > 0 {
			problems = append(problems, "params not allowed")
		}
	}
	return problems
}

func (m *Model) checkAnswer(message Message, e *envelope, asked map[string][]string) []string {
	var problems []string
	id := string(e.ID)
	name := ""
	if names := asked[id]; len(names) > 0 {
		name, asked[id] = names[0], names[1:]
	} else if !(id == "null" && e.Error != nil) {
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
	if d := m.requests[name]; d != nil && d.Result != nil && len(e.Result) > 0 {
		result, _ := decode(e.Result)
		problems = append(problems, m.check(d.Result, result, "result")...)
	}
	return problems
}

// decode returns JSON with its numbers as they are written.
func decode(raw json.RawMessage) (v any, present bool) {
	if len(raw) == 0 {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	return v, true
}

// idPattern is what the id of a request may be.
var idPattern = regexp.MustCompile(`^(-?\d+|".*")$`)

var uriPattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

func base(name string, v any) bool {
	integer := func(low, high float64) bool {
		n, ok := v.(json.Number)
		if !ok {
			return false
		}
		f, err := n.Float64()
		return err == nil && f == math.Trunc(f) && f >= low && f <= high
	}
	switch name {
	case "integer":
		return integer(math.MinInt32, math.MaxInt32)
	case "uinteger":
		return integer(0, math.MaxInt32)
	case "decimal":
		_, ok := v.(json.Number)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "null":
		return v == nil
	case "URI", "DocumentUri":
		s, ok := v.(string)
		return ok && uriPattern.MatchString(s)
	}
	_, ok := v.(string)
	return ok
}

// check returns what is wrong with a value of a type.
func (m *Model) check(t *typ, v any, at string) []string {
	no := func(what string) []string { return []string{fmt.Sprintf("%s: not %s: %.60v", at, what, v)} }
	switch t.Kind {
	case "base":
		if !base(t.Name, v) {
			return no(t.Name)
		}
		return nil
	case "reference":
		return m.checkReference(t, v, at)
	case "array":
		list, ok := v.([]any)
		if !ok {
			return no("an array")
		}
		var problems []string
		for i, x := range list {
			problems = append(problems, m.check(t.Element, x, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return problems
	case "map":
		o, ok := v.(map[string]any)
		if !ok {
			return no("a map")
		}
		var value typ
		_ = json.Unmarshal(t.Value, &value) // the model was read
		var problems []string
		for k, x := range o {
			problems = append(problems, m.check(&value, x, at+"."+k)...)
		}
		return problems
	case "and":
		var problems []string
		for _, item := range t.Items {
			problems = append(problems, slices.DeleteFunc(m.check(item, v, at), func(p string) bool { return strings.HasSuffix(p, unknownProperty) })...)
		}
		return problems
	case "or":
		var best []string
		for i, item := range t.Items {
			problems := m.check(item, v, at)
			if i == 0 || len(problems) < len(best) {
				best = problems
			}
		}
		return best
	case "tuple":
		list, ok := v.([]any)
		if !ok || len(list) != len(t.Items) {
			return no("a tuple")
		}
		var problems []string
		for i, item := range t.Items {
			problems = append(problems, m.check(item, list[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
		return problems
	case "literal":
		var literal struct{ Properties []property }
		_ = json.Unmarshal(t.Value, &literal) // the model was read
		properties := map[string]property{}
		for _, p := range literal.Properties {
			properties[p.Name] = p
		}
		return m.checkObject(properties, v, at)
	}
	want, _ := decode(t.Value) // a literal of a string, a number or a bool
	if v != want {
		return no(fmt.Sprint(want))
	}
	return nil
}

const unknownProperty = "unknown property"

func (m *Model) checkObject(properties map[string]property, v any, at string) []string {
	o, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: not an object: %.60v", at, v)}
	}
	var problems []string
	for name, p := range properties {
		x, ok := o[name]
		switch {
		case ok:
			problems = append(problems, m.check(p.Type, x, at+"."+name)...)
		case !p.Optional:
			problems = append(problems, at+"."+name+": missing")
		}
	}
	for name := range o {
		if _, ok := properties[name]; !ok {
			problems = append(problems, at+"."+name+": "+unknownProperty)
		}
	}
	return problems
}

func (m *Model) checkReference(t *typ, v any, at string) []string {
	switch {
	case t.Name == "LSPAny":
		return nil
	case t.Name == "LSPObject" || m.structures[t.Name] != nil && len(m.properties[t.Name]) == 0:
		if _, ok := v.(map[string]any); !ok {
			return []string{at + ": not an object"}
		}
		return nil
	case m.structures[t.Name] != nil:
		return m.checkObject(m.properties[t.Name], v, at)
	case m.enumerations[t.Name] != nil:
		return m.checkEnumeration(m.enumerations[t.Name], v, at)
	}
	return m.check(m.aliases[t.Name], v, at)
}

func (m *Model) checkEnumeration(e *enumeration, v any, at string) []string {
	if !base(e.Type.Name, v) {
		return []string{fmt.Sprintf("%s: not a value of %s: %.60v", at, e.Name, v)}
	}
	if e.SupportsCustomValues {
		return nil
	}
	for _, value := range e.Values {
		if fmt.Sprint(value.Value) == fmt.Sprint(v) {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s: %v is not in %s", at, v, e.Name)}
}
