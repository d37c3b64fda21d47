package languages

import "slices"

// capture is a captured node.
type capture struct {
	index      uint16 // of the capture name
	node       uint32
	start, end uint32
}

const (
	// maxSteps bounds the tries for the patterns of one root: a list of a thousand children
	// and a pattern of two children give half a million pairs. The matcher keeps the matches
	// that it finds within the bound.
	maxSteps = 1 << 14
	// stepsPerNode bounds the tries in a file by its size, so that a file of long lists
	// takes linear time. Code written by people takes about 2.
	stepsPerNode = 64
)

// matcher matches a query against the nodes of one file.
type matcher struct {
	nodes   []node
	emit    func(p *pattern, found []capture)
	pattern *pattern  // the current pattern
	found   []capture // the captures of the current attempt
	last    []capture // the captures of the previous match of the same pattern and root
	waiting []frame   // frames to go on with when an inner node has matched
	steps   int       // tries that are left for this root
	hits    int       // matches of this root
}

// frame is the unmatched rest of a step in the node at: the children of the step from
// index k on, which match nodes from index from on, and after them the waiting frame up
// (-1 for none).
type frame struct {
	step     *step
	at, from uint32
	k, up    int32
}

// match calls emit with the captures of each match, ordered by the root of the
// match, then by pattern. The captures are valid inside emit only.
func (c *compiled) match(nodes []node, emit func(p *pattern, found []capture)) {
	m := matcher{nodes: nodes, emit: emit}
	total := stepsPerNode*len(nodes) + maxSteps
	for i := range nodes {
		for _, p := range c.bySymbol[nodes[i].symbol] {
			m.found = m.found[:0]
			if len(p.root.children) == 0 && len(p.root.without) == 0 { // the fast path of most matches
				m.capture(p.root, uint32(i))
				emit(p, m.found)
			} else if total > 0 {
				m.pattern, m.hits, m.steps = p, 0, min(maxSteps, total)
				total -= m.steps
				m.enter(p.root, uint32(i), frame{up: -1})
				total += max(m.steps, 0)
			}
		}
	}
}

func (m *matcher) capture(s *step, at uint32) {
	for _, c := range s.captures {
		n := &m.nodes[at]
		m.found = append(m.found, capture{c, at, n.start, n.end})
	}
}

// done emits the captures, unless the previous match has the same.
func (m *matcher) done() {
	if m.hits > 0 && slices.Equal(m.last, m.found) {
		return
	}
	m.hits++
	m.last = append(m.last[:0], m.found...)
	m.emit(m.pattern, m.found)
}

// enter matches a step with a node that fits it, and then the frame that follows.
func (m *matcher) enter(s *step, at uint32, then frame) {
	mark := len(m.found)
	if s.symbol == oneOf {
		m.capture(s, at)
		for _, choice := range s.choices {
			if m.fits(choice, at) {
				m.enter(choice, at, then)
			}
		}
		m.found = m.found[:mark]
		return
	}
	for _, f := range s.without {
		if m.hasField(at, f) {
			return
		}
	}
	m.capture(s, at)
	if len(s.children) == 0 {
		m.children(then)
	} else {
		m.waiting = append(m.waiting, then)
		m.children(frame{step: s, at: at, from: at + 1, up: int32(len(m.waiting) - 1)})
		m.waiting = m.waiting[:len(m.waiting)-1]
	}
	m.found = m.found[:mark]
}

// children matches the rest of a frame in every possible way.
func (m *matcher) children(f frame) {
	if f.step == nil {
		m.done()
		return
	}
	end := m.nodes[f.at].next
	if int(f.k) == len(f.step.children) {
		if !f.step.closed || !m.anyNamed(f.from, end) {
			m.children(m.waiting[f.up])
		}
		return
	}
	child := f.step.children[f.k]
	hits := m.hits
	for j := f.from; j < end && m.steps > 0; j = m.nodes[j].next {
		m.steps--
		n := &m.nodes[j]
		if (child.field == 0 || n.field() == child.field) && m.fits(child, j) {
			m.enter(child, j, frame{f.step, f.at, n.next, f.k + 1, f.up})
			if child.optional && m.hits > hits {
				return
			}
		}
		if child.anchored && (n.named() || !child.named && child.symbol >= 0) {
			break
		}
	}
	if child.optional && m.hits == hits {
		m.children(frame{f.step, f.at, f.from, f.k + 1, f.up})
	}
}

// anyNamed reports whether one of the siblings in [from, end) is named.
func (m *matcher) anyNamed(from, end uint32) bool {
	for j := from; j < end; j = m.nodes[j].next {
		if m.nodes[j].named() {
			return true
		}
	}
	return false
}

// fits reports whether a node has the type of a step.
func (m *matcher) fits(s *step, at uint32) bool {
	n := &m.nodes[at]
	switch s.symbol {
	case anyNode:
		return true
	case anyNamed:
		return n.named()
	case oneOf:
		return slices.ContainsFunc(s.choices, func(c *step) bool { return m.fits(c, at) })
	}
	return int(n.symbol) == s.symbol && n.named() == s.named
}

func (m *matcher) hasField(at uint32, field uint16) bool {
	for j := at + 1; j < m.nodes[at].next; j = m.nodes[j].next {
		if m.nodes[j].field() == field {
			return true
		}
	}
	return false
}

// breaks appends the starts of the named children of a node. It descends into children
// that are larger than breaksBytes.
func breaks(nodes []node, at uint32, out []int) []int {
	for j := at + 1; j < nodes[at].next; {
		n := &nodes[j]
		if n.named() {
			out = append(out, int(n.start))
		}
		if n.end-n.start > breaksBytes {
			j++
		} else {
			j = n.next
		}
	}
	return out
}

// breaksBytes is the size above which the starts of the statements of a body are breaks.
// A body of 400 tokens is always larger.
const breaksBytes = 1000
