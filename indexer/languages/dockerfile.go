package languages

import (
	"bytes"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// parseDockerfile reads a Dockerfile: stages, which go on to the next one, with the arguments
// and variables that they declare, and what names stages and variables.
//
// The grammar of Dockerfiles that there is knows no here-document and no comment between the
// lines of an instruction; docs/languages.md has the numbers.
func parseDockerfile(r *patternRow, path record.Path, content []byte) Outline {
	s := dockerScan{text: content, escape: '\\', variables: map[string]bool{}, stage: -1, left: searchPasses * len(content)}
	if m := dockerEscape().FindSubmatch(content); m != nil {
		s.escape = m[1][0]
	}
	for at := 0; at < len(content); {
		at = s.line(at)
	}
	s.closeStage(len(content))
	s.references()
	return Outline{Path: path, Content: content, Language: r.name, Decls: s.decls, Refs: sortedRefs(s.refs), Breaks: s.breaks, Comments: s.comments}
}

var (
	dockerEscape      = lazy.Regexp(`(?i)^(?:#[^\n]*\n)*#[ \t]*escape[ \t]*=[ \t]*([\\` + "`" + `])`)
	dockerDirective   = lazy.Regexp(`(?i)^#[ \t]*(?:syntax|escape|check)[ \t]*=`)
	dockerInstruction = lazy.Regexp(`^[ \t]*(?:(?i:ONBUILD)[ \t]+)?([A-Za-z]+)[ \t]`)
	dockerRemark      = lazy.Regexp(`(?m)^[ \t]*#.*$`)
	dockerFrom        = lazy.Regexp(`(?i)^[ \t]*FROM\s+(?:\\\s+|--\S+\s+)*(\S+)(?:[\s\\]+AS[\s\\]+([^\s#]+))?`)
	dockerStageUse    = lazy.Regexp(`(?i)(?:--from=|--mount=\S*?\bfrom=)([\w.-]+)`)
	dockerVariable    = lazy.Regexp(`\$(?:\{([A-Za-z_]\w*)|([A-Za-z_]\w*))`)
	dockerAssigned    = lazy.Regexp(`(?:^|[\s\\])([A-Za-z_]\w*)(=(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s\\]|\\\S)*)|(?:[\s\\]|$))`)
	dockerHeredoc     = lazy.Regexp(`<<-?["']?([A-Za-z_]\w*)["']?`)
)

// dockerScan holds the state of one call of parseDockerfile.
type dockerScan struct {
	text      []byte
	escape    byte
	decls     []Decl
	refs      []Ref
	comments  []record.Span
	above     []record.Span   // the comments right above the line
	stage     int             // the index of the open stage, -1 for none
	variables map[string]bool // declared by ARG and ENV
	code      []record.Span   // instructions
	left      int             // bytes that may be searched for the ends of here-documents
	breaks    []int
}

// line reads a comment, a blank line or an instruction at the start of a line. It returns the
// offset of the next line.
func (s *dockerScan) line(at int) int {
	end := lineEnd(s.text, at)
	switch n := firstNonBlank(s.text[at:end]); {
	case n < 0:
		s.above = nil
		return end
	case s.text[at+n] == '#':
		s.comments = append(s.comments, record.Span{Start: at + n, End: end})
		s.above = append(s.above, record.Span{Start: at + n, End: end})
		if dockerDirective().Match(s.text[at+n : end]) {
			s.above = nil
		}
		return end
	default:
		at += n
	}
	end = s.instructionEnd(at)
	span := record.Span{Start: at, End: at + len(bytes.TrimRight(s.text[at:end], " \t\r\n"))}
	if m := dockerInstruction().FindSubmatch(s.text[at:end]); m != nil {
		s.code = append(s.code, span)
		s.instruction(strings.ToUpper(string(m[1])), span)
	}
	s.above = nil
	return end
}

// instructionEnd returns the end of the instruction at an offset, with its here-documents.
// Comments and blank lines can stand between its lines.
func (s *dockerScan) instructionEnd(at int) int {
	var end int
	first := at
	for {
		end = lineEnd(s.text, at)
		line := bytes.TrimRight(s.text[at:end], " \t\r\n")
		n := firstNonBlank(line)
		switch {
		case at > first && (n < 0 || line[n] == '#'):
			if n >= 0 {
				s.comments = append(s.comments, record.Span{Start: at + n, End: end})
			}
		case n < 0 || line[len(line)-1] != s.escape:
			return s.documents(first, end)
		}
		if at = end; at >= len(s.text) {
			return end
		}
	}
}

// documents returns the end of the here-documents of an instruction.
func (s *dockerScan) documents(first, end int) int {
	m := dockerInstruction().FindSubmatch(s.text[first:end])
	if m == nil {
		return end
	}
	switch strings.ToUpper(string(m[1])) {
	case "RUN", "COPY", "ADD":
	default:
		return end
	}
	if s.left < 0 {
		return end
	}
	for _, m := range dockerHeredoc().FindAllSubmatch(s.text[first:end], -1) {
		if end = s.documentEnd(end, m[1]); s.left < 0 {
			break
		}
	}
	return end
}

// documentEnd returns the end of the here-document that starts at an offset: behind the line
// with its mark, or the offset when there is none.
func (s *dockerScan) documentEnd(start int, mark []byte) int {
	for at := start; at < len(s.text); {
		next := lineEnd(s.text, at)
		if bytes.Equal(bytes.TrimSpace(s.text[at:next]), mark) {
			return next
		}
		at = next
	}
	s.left -= len(s.text) - start
	return start
}

// instruction adds what an instruction declares.
func (s *dockerScan) instruction(name string, span record.Span) {
	if s.stage >= 0 {
		s.breaks = append(s.breaks, span.Start)
	}
	switch name {
	case "FROM":
		s.from(span)
	case "ARG", "ENV":
		s.assignments(span, name == "ENV")
	}
}

// from begins a stage.
func (s *dockerScan) from(span record.Span) {
	m := dockerFrom().FindSubmatchIndex(s.text[span.Start:span.End])
	if m == nil {
		return
	}
	if s.stage >= 0 {
		s.breaks = s.breaks[:len(s.breaks)-1]
	}
	d := s.declaration(record.KindModule, span)
	s.closeStage(d.Span.Start)
	image, name := 2, 2
	if m[4] >= 0 {
		name = 4
	}
	d.NameSpan = record.Span{Start: span.Start + m[name], End: span.Start + m[name+1]}
	d.Name = string(s.text[d.NameSpan.Start:d.NameSpan.End])
	written, _, _ := bytes.Cut(s.text[span.Start+m[image]:span.Start+m[image+1]], []byte(":"))
	if name != image && !bytes.ContainsAny(written, "/$@") {
		s.use(span.Start+m[image], span.Start+m[image]+len(written), len(s.decls))
	}
	s.stage = len(s.decls)
	s.decls = append(s.decls, d)
}

// use adds a use of a stage. A stage can also be named by its number.
func (s *dockerScan) use(start, end, decl int) {
	if name := string(s.text[start:end]); strings.Trim(name, "0123456789") != "" {
		s.refs = append(s.refs, Ref{Name: name, Kind: record.EdgeReads, Span: record.Span{Start: start, End: end}, Decl: decl})
	}
}

// closeStage ends the open stage before an offset.
func (s *dockerScan) closeStage(end int) {
	if s.stage < 0 {
		return
	}
	d := &s.decls[s.stage]
	d.Span.End = d.Span.Start + len(bytes.TrimRight(s.text[d.Span.Start:end], " \t\r\n"))
	d.Body = record.Span{Start: d.Header.End, End: d.Span.End}
}

// declaration returns a declaration with the comment right above it.
func (s *dockerScan) declaration(kind record.Kind, span record.Span) Decl {
	d := Decl{Kind: kind, Parent: -1, Exported: true, Span: span, Header: span, Body: record.Span{Start: span.End, End: span.End}}
	if n := len(s.above); n > 0 {
		start := s.above[0].Start
		d.Doc = record.Span{Start: start, End: start + len(bytes.TrimRight(s.text[start:s.above[n-1].End], " \t\r\n"))}
		d.Span.Start = start
	}
	return d
}

// assignments adds the names that ARG or ENV sets. The old form of ENV sets one name, without
// "=".
func (s *dockerScan) assignments(span record.Span, env bool) {
	head := len("ARG")
	text := dockerRemark().ReplaceAllFunc(s.text[span.Start+head:span.End], func(line []byte) []byte { return bytes.Repeat([]byte{' '}, len(line)) })
	for n, m := range dockerAssigned().FindAllSubmatchIndex(text, -1) {
		old := env && !bytes.HasPrefix(text[m[3]:m[5]], []byte("="))
		if old && n > 0 {
			break
		}
		at := record.Span{Start: span.Start + head + m[2], End: span.Start + head + m[1]}
		if old {
			at.End = span.End
		}
		at.End = at.Start + len(bytes.TrimRight(s.text[at.Start:at.End], " \t\r\n\\"))
		d := Decl{Kind: record.KindVariable, Exported: true, Parent: s.stage, Span: at, Header: at, Body: record.Span{Start: at.End, End: at.End}}
		if n == 0 {
			d = s.declaration(record.KindVariable, span)
			d.Parent = s.stage
			d.Header.End, d.Span.End = at.End, at.End
			d.Body = record.Span{Start: at.End, End: at.End}
		}
		d.NameSpan = record.Span{Start: at.Start, End: at.Start + m[3] - m[2]}
		d.Name = string(s.text[d.NameSpan.Start:d.NameSpan.End])
		s.variables[d.Name] = true
		s.decls = append(s.decls, d)
		if old {
			break
		}
	}
}

// references adds the uses of stages and of the variables that the file declares.
func (s *dockerScan) references() {
	for _, span := range s.code {
		text := s.text[span.Start:span.End]
		for _, m := range dockerStageUse().FindAllSubmatchIndex(text, -1) {
			start := span.Start + m[2]
			s.use(start, span.Start+m[3], innermost(s.decls, start))
		}
		for _, m := range dockerVariable().FindAllSubmatchIndex(text, -1) {
			k := 2
			if m[k] < 0 {
				k = 4
			}
			start, end := span.Start+m[k], span.Start+m[k+1]
			name, decl := string(s.text[start:end]), innermost(s.decls, start)
			if s.variables[name] && (decl < 0 || s.decls[decl].Name != name) { // not PATH=/x:$PATH
				s.refs = append(s.refs, Ref{Name: name, Kind: record.EdgeReads, Span: record.Span{Start: start, End: end}, Decl: decl})
			}
		}
	}
}
