package retrieve

import (
	"strings"
	"unicode"

	"ambit/indexer/lazy"
)

// passage is a part of a long question, such as an issue with its logs.
type passage struct {
	kind passageKind
	text string
}

// passageKind says what a passage tells about the answer.
type passageKind uint8

// The kinds of passages.
const (
	passageTitle passageKind = iota // the first line
	passageProse
	passageSpan  // a code span, or a quoted message
	passageCode  // a fenced block: the reporter uses the API, and declares names of their own
	passageTrace // a stack trace, a log, output of a program
	passageDiff
	nPassageKinds
)

// maxReportBytes bounds what is read of a question, so that a pasted log costs little.
const maxReportBytes = 32 << 10

// readReport cuts a question into passages and leaves out its noise: what the template of
// an issue asks for (versions, platforms, checklists, comments for the writer), pictures
// and addresses. The first line is the title; a question of one line is nothing else.
func readReport(raw string) []passage {
	rd := reportReader{}
	raw = htmlComment().ReplaceAllString(raw, "\n")
	for line := range strings.Lines(strings.TrimSpace(raw)) {
		rd.line(strings.TrimRight(line, "\r\n"))
	}
	rd.closeFence()
	return rd.passages
}

// reportReader holds the state between the lines of a report.
type reportReader struct {
	passages []passage
	titled   bool     // the title was read
	fence    string   // of the open block, "" for none
	info     string   // what stands after the opening fence
	block    []string // lines of the open block
	noise    int      // level of the open section that says nothing about the code, 0 for none
}

// What a line of a report is.
var (
	htmlComment  = lazy.Regexp(`(?s)<!--.*?(?:-->|$)`)
	fencePattern = lazy.Regexp("^\\s*(?:>\\s*)*(```+|~~~+)\\s*([^`\\s]*)")
	heading      = lazy.Regexp(`^\s*(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*]+)\*\*:?|__([^_]+)__:?|([A-Z][A-Za-z /]{2,40}):)\s*$`)
	summaryTag   = lazy.Regexp(`<summary>\s*(.*?)\s*(?:</summary>|$)`)
	checkItem    = lazy.Regexp(`^\s*[-*+]\s*\[[ xX]\]`)
	picture      = lazy.Regexp(`!\[[^\]]*\]\([^)]*\)|<img[^>]*>`)
	linkPattern  = lazy.Regexp(`\[([^\]]*)\]\((?:https?:|#|mailto:)[^)]*\)`)
	address      = lazy.Regexp(`(?:https?|ftp|file)://[^\s)>\]"'` + "`" + `]+`)
	repository   = lazy.Regexp(`/(?:blob|tree|raw|src|edit)/[^/\s]+/([^\s)>\]"'#?]+)(?:#L(\d+))?`)
	htmlTag      = lazy.Regexp(`</?(?:details|summary|p|br|b|i|em|strong|sub|sup|kbd|code|pre|table|tr|td|th|ul|ol|li|div|span|a)(?:\s[^>]*)?/?>`)
	codeSpan     = lazy.Regexp("``?([^`\n]+)``?")
	versionLine  = lazy.Regexp(`^[\s>*+-]*(?:[\w@/.()-]+[\s:=*,-]*){0,6}v?\d+\.\d+(?:[.\w+-]*)(?:\s*\([^)]*\))?[\s.]*$`)
	logLine      = lazy.Regexp(`^\s*(?:\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|level=|ts=|[-d][rwx-]{9}|\[(?:INFO|DEBUG|WARN|WARNING|ERROR|TRACE)\]|(?:INFO|DEBUG|WARNING|TRACE)\b)`)
	tracePattern = lazy.Regexp(`(?m)^Traceback |^\s*File ".+", line \d+|^\s*at .+[:(].*\d+\)?|^goroutine \d+|panicked at|^\s*#\d+ |^\s*from .+:\d+:in |^\S+:\d+:in |stack backtrace|\.go:\d+ \+0x`)
	diffPattern  = lazy.Regexp(`(?m)^diff --git |^@@ -\d+|^--- \S+\n\+\+\+ `)
	tableRow     = lazy.Regexp(`^\s*\|.*\|\s*$`)
	consoleLine  = lazy.Regexp(`^\s*(?:\$|>|#|%|PS>)\s+\S`)
)

// noiseSections are the first words of headings of templates under which nothing is said
// about the code.
var noiseSections = lazy.Regexp(`(?i)^(?:your |my |the |full |relevant |\w+ )?(?:environment|versions?\b|system\b|platform|os\b|operating system|installed|checklist|check list|code of conduct|contact|debug(?:ging)? info|diagnostics?|specs?\b|setup info|python version|node version|are you willing|contribution|(?:issue )?submission|package versions|dependencies|browsers?\b|host info|machine|hardware|who can help|provide verbose|\w+ (?:version|info|information)s?$)`)

// emptyHeadings are the words of headings of templates, which say nothing themselves.
var emptyHeadings = lazy.Regexp(`(?i)^(?:\W*(?:describe|description|the|bug|issue|problem|to|reproduc\w*|steps?|how|expected|actual|current|behaviou?rs?|results?|outcome|additional|context|screenshots?|summary|code|example|sample|minimal|complete|verifiable|logs?|output|possible|solution|proposed|proposal|feature|request|report|what|happen(?:s|ed|ing)?|did|do|does|you|is|was|your|expect(?:ed)?|to|see|instead|use|case|motivation|other|information|info|and|or|of|a|an|any|link|details?|related|for|this|here|please|question|in|it|be|should|would|which|alternatives?|considered|comments?|error|message|background|why|would|like)\W*)+$`)

// line reads one line.
func (rd *reportReader) line(line string) {
	if m := fencePattern().FindStringSubmatch(line); m != nil && (rd.fence == "" || strings.HasPrefix(m[1], rd.fence) && m[2] == "") {
		if rd.fence != "" {
			rd.closeFence()
		} else {
			rd.fence, rd.info = m[1], strings.ToLower(m[2])
		}
		return
	}
	switch {
	case rd.fence != "":
		rd.block = append(rd.block, line)
		return
	case strings.TrimSpace(line) == "":
		return
	case !rd.titled:
		rd.titled = true
		rd.prose(strings.TrimLeft(line, "# "), passageTitle)
		return
	}
	if text, level := headingOf(line); level > 0 {
		rd.heading(text, level)
		return
	}
	if strings.Contains(line, "</details>") && rd.noise == levelDetails {
		rd.noise = 0
	}
	switch {
	case rd.noise > 0, checkItem().MatchString(line), versionLine().MatchString(line) && len(line) < 80:
	case tracePattern().MatchString(line), logLine().MatchString(line), tableRow().MatchString(line):
		rd.add(passageTrace, line)
	case strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"):
		rd.add(passageCode, line)
	default:
		rd.prose(line, passageProse)
	}
}

// The levels of headings that are no Markdown ones.
const (
	levelDetails = 1 // <summary>: the section ends with </details>
	levelBold    = 8 // a line in bold, or one that ends in a colon
)

// headingOf returns the text of a heading and its level, 0 for other lines.
func headingOf(line string) (text string, level int) {
	if m := summaryTag().FindStringSubmatch(line); m != nil {
		return m[1], levelDetails
	}
	m := heading().FindStringSubmatch(line)
	if m == nil {
		return "", 0
	}
	if m[1] != "" {
		line = strings.TrimSpace(line)
		return m[1], levelDetails + len(line) - len(strings.TrimLeft(line, "#"))
	}
	return m[2] + m[3] + m[4], levelBold
}

// heading begins a section. One inside of noise is noise.
func (rd *reportReader) heading(text string, level int) {
	if rd.noise > 0 && level > rd.noise {
		return
	}
	rd.noise = 0
	switch text = strings.TrimLeftFunc(htmlTag().ReplaceAllString(text, ""), notLetter); {
	case noiseSections().MatchString(text):
		rd.noise = level
	case !emptyHeadings().MatchString(text):
		rd.prose(text, passageProse)
	}
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

// prose adds a line of text and, apart, its code spans.
func (rd *reportReader) prose(line string, kind passageKind) {
	line = picture().ReplaceAllString(line, " ")
	line = linkPattern().ReplaceAllString(line, "$1 ")
	line = htmlTag().ReplaceAllString(line, " ")
	line = address().ReplaceAllStringFunc(line, func(a string) string {
		if m := repository().FindStringSubmatch(a); m != nil {
			if m[2] != "" {
				return m[1] + ":" + m[2]
			}
			return m[1]
		}
		return " "
	})
	for _, m := range codeSpan().FindAllStringSubmatch(line, -1) {
		rd.add(passageSpan, m[1])
	}
	if kind == passageProse {
		line = codeSpan().ReplaceAllString(line, " ")
	}
	rd.add(kind, line)
}

// closeFence adds the open block by what it holds.
func (rd *reportReader) closeFence() {
	text := strings.Join(rd.block, "\n")
	info := rd.info
	rd.fence, rd.info, rd.block = "", "", nil
	switch {
	case strings.TrimSpace(text) == "":
	case info == "diff" || info == "patch" || diffPattern().MatchString(text):
		rd.add(passageDiff, text)
	case tracePattern().MatchString(text), isLog(text, info):
		rd.add(passageTrace, text)
	case rd.noise == 0:
		rd.add(passageCode, text)
	}
}

// isLog reports whether a block is what a program printed.
func isLog(text, info string) bool {
	switch info {
	case "console", "shell-session", "text", "txt", "log", "logs", "output", "pytb", "traceback", "plain":
		return true
	case "":
	default:
		return false
	}
	lines, logs := 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		lines++
		if logLine().MatchString(line) || consoleLine().MatchString(line) {
			logs++
		}
	}
	return logs*2 >= lines
}

// add appends a passage; one that follows another of its kind continues it.
func (rd *reportReader) add(kind passageKind, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if n := len(rd.passages); n > 0 && rd.passages[n-1].kind == kind && kind != passageTitle {
		rd.passages[n-1].text += "\n" + text
		return
	}
	rd.passages = append(rd.passages, passage{kind, text})
}
