package lsp_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ambit/server/lsp/lsptest"
)

// generator makes messages of a client from the model, valid and invalid ones.
type generator struct {
	model  *lsptest.Model
	random *rand.Rand
	uris   []string // of documents and folders
	words  []string // other strings
	token  int
}

// newGenerator returns a generator that makes the same messages for the same seed.
func newGenerator(m *lsptest.Model, seed uint64) *generator {
	return &generator{model: m, random: rand.New(rand.NewPCG(seed, 0)), uris: []string{"file:///w/x"}, words: []string{"", "x"}}
}

// maxDepth bounds the nesting of values.
const maxDepth = 5

// message returns a message of a method that does not end the session; a request gets the
// id. With wrong, one place of the message is invalid.
func (g *generator) message(id int, wrong bool) []byte {
	m := lsptest.Object{"jsonrpc": "2.0"}
	kinds := g.model.Requests
	if g.random.IntN(2) == 0 {
		kinds = g.model.Notifications
	} else {
		m["id"] = id
	}
	d := kinds[g.pick(slices.DeleteFunc(slices.Sorted(maps.Keys(kinds)), func(name string) bool {
		return name == "initialize" || name == "shutdown" || name == "exit" || kinds[name].MessageDirection == "serverToClient"
	}))]
	m["method"] = d.Method
	if d.Params != nil {
		params := g.value(d.Params, 0)
		if wrong {
			params = g.spoilt(params)
		}
		m["params"] = params
	}
	return g.spell(m)
}

// command returns a workspace/executeCommand with fields of commands and with valid or
// invalid values.
func (g *generator) command(id int, names, fields []string) []byte {
	argument := lsptest.Object{}
	for range g.random.IntN(5) {
		argument[g.pick(fields)] = g.any(2)
	}
	if g.random.IntN(2) == 0 {
		argument["textDocument"] = lsptest.Object{"uri": g.pick(g.uris)}
		argument["position"] = lsptest.Position(g.random.IntN(3), g.random.IntN(9))
	}
	if g.random.IntN(3) == 0 {
		argument["query"] = g.pick(g.words)
	}
	return g.spell(lsptest.Object{"jsonrpc": "2.0", "id": id, "method": "workspace/executeCommand", "params": lsptest.Object{
		"command": g.pick(names), "arguments": []any{g.perhapsSpoilt(argument)},
	}})
}

func (g *generator) spell(m lsptest.Object) []byte {
	data, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("marshal a generated message: %v", err)) // it has only types of JSON
	}
	return data
}

func (g *generator) pick(from []string) string { return from[g.random.IntN(len(from))] }

func (g *generator) perhapsSpoilt(v any) any {
	if g.random.IntN(4) == 0 {
		return g.spoilt(v)
	}
	return v
}

// any returns a value of any kind.
func (g *generator) any(depth int) any {
	switch n := g.random.IntN(9); {
	case n == 0:
		return nil
	case n == 1:
		return g.random.IntN(2) == 0
	case n == 2:
		return g.pick(g.words)
	case n == 3:
		return g.pick(g.uris)
	case n == 4:
		return g.number(math.MinInt32)
	case n == 5:
		return json.RawMessage([]string{"1.5", "-1", "1e300", "99999999999999999999", "2147483648"}[g.random.IntN(5)])
	case n == 6:
		return strings.Repeat("ä", g.random.IntN(200))
	case depth >= maxDepth:
		return 7
	case n == 7:
		return []any{g.any(depth + 1), g.any(depth + 1)}
	}
	return lsptest.Object{g.pick(g.words): g.any(depth + 1), "uri": g.pick(g.uris)}
}

func (g *generator) number(low int) int {
	return max(low, []int{0, 1, 2, 3, 9, 100, math.MaxInt32, -1, math.MinInt32}[g.random.IntN(9)])
}

// spoilt returns v with one value in it replaced or removed.
func (g *generator) spoilt(v any) any {
	switch v := v.(type) {
	case lsptest.Object:
		if len(v) == 0 || g.random.IntN(5) == 0 {
			return g.any(0)
		}
		name := g.pick(slices.Sorted(maps.Keys(v)))
		if g.random.IntN(3) == 0 {
			delete(v, name)
		} else {
			v[name] = g.spoilt(v[name])
		}
		return v
	case []any:
		if len(v) == 0 || g.random.IntN(5) == 0 {
			return g.any(0)
		}
		i := g.random.IntN(len(v))
		v[i] = g.spoilt(v[i])
		return v
	}
	return g.any(0)
}

// value returns a value of a type.
func (g *generator) value(t *lsptest.Type, depth int) any {
	switch t.Kind {
	case "base":
		return g.base(t.Name)
	case "reference":
		return g.reference(t.Name, depth)
	case "array":
		list := []any{}
		for range g.random.IntN(3) {
			if depth < maxDepth {
				list = append(list, g.value(t.Element, depth+1))
			}
		}
		return list
	case "or":
		return g.value(t.Items[g.random.IntN(len(t.Items))], depth+1)
	case "and":
		all := lsptest.Object{}
		for _, item := range t.Items {
			if o, ok := g.value(item, depth+1).(lsptest.Object); ok {
				maps.Copy(all, o)
			}
		}
		return all
	case "tuple":
		list := []any{}
		for _, item := range t.Items {
			list = append(list, g.value(item, depth+1))
		}
		return list
	case "map", "literal":
		return lsptest.Object{}
	}
	return t.Value // of a string, a number or a bool
}

func (g *generator) base(name string) any {
	switch name {
	case "integer":
		return g.number(math.MinInt32)
	case "uinteger":
		return g.number(0)
	case "decimal":
		return 0.5
	case "boolean":
		return g.random.IntN(2) == 0
	case "null":
		return nil
	case "URI", "DocumentUri":
		return g.pick(g.uris)
	}
	return g.pick(g.words)
}

func (g *generator) reference(name string, depth int) any {
	t := g.model.Types[name]
	switch {
	case name == "LSPAny":
		return g.any(depth)
	case name == "ProgressToken": // two requests must not share one
		g.token++
		return fmt.Sprintf("generated %d", g.token)
	case t.Kind == "enumeration":
		return t.Values[g.random.IntN(len(t.Values))]
	case t.Kind != "structure":
		return g.value(t, depth+1)
	}
	o := lsptest.Object{}
	for _, p := range t.Properties {
		if !p.Optional || depth < maxDepth && g.random.IntN(3) == 0 {
			o[p.Name] = g.value(p.Type, depth+1)
		}
	}
	return o
}
