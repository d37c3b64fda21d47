package eval

import (
	"ambit/server/api"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// reader shows pieces as far as a budget of tokens goes.
type reader struct {
	corpus  *corpus
	counter *tokens.Counter
	budget  int
}

// read shows the pieces in their order. A piece that does not fit is cut at a line, and what
// an earlier piece has shown is not shown again. Headings cost nothing, unlike those of an
// answer of ambit.
func (r *reader) read(found []piece) *shown {
	s := &shown{}
	for _, p := range found {
		f := r.corpus.files[p.path]
		if f == nil {
			continue
		}
		for _, l := range p.lines {
			for line := l.First; line <= l.Last && line <= len(f.lines.starts); line++ {
				if s.lines[p.path][line] {
					continue
				}
				cost := r.counter.Count(lineText(f, line))
				if s.tokens+cost > r.budget {
					return s
				}
				s.tokens += cost
				s.add(p.path, line)
			}
		}
	}
	return s
}

// lineText returns a line with its end.
func lineText(f *codeFile, line int) string {
	s := f.lines.span(record.Lines{First: line, Last: line})
	return string(f.content[s.Start:s.End])
}

// answered returns what an answer of ambit shows.
func answered(a *api.Answer) *shown {
	s := &shown{tokens: a.Tokens}
	for i := range a.Sources {
		for _, l := range a.Sources[i].Ranges {
			for line := l[0]; line <= l[1]; line++ {
				s.add(a.Sources[i].Path, line)
			}
		}
	}
	return s
}

// matchPieces returns the results of a search in their order.
func matchPieces(m *api.Matches) []piece {
	list := make([]piece, 0, len(m.Results))
	for i := range m.Results {
		x := &m.Results[i]
		p := piece{x.Path, []record.Lines{{First: x.StartLine, Last: x.EndLine}}}
		for _, l := range x.Also {
			p.lines = append(p.lines, record.Lines{First: l[0], Last: l[1]})
		}
		list = append(list, p)
	}
	return list
}

// sourcePieces returns the sources of an answer in their order.
func sourcePieces(a *api.Answer) []piece {
	list := make([]piece, 0, len(a.Sources))
	for i := range a.Sources {
		p := piece{path: a.Sources[i].Path}
		for _, l := range a.Sources[i].Ranges {
			p.lines = append(p.lines, record.Lines{First: l[0], Last: l[1]})
		}
		list = append(list, p)
	}
	return list
}
