package project

import (
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/indexer/lazy"
	"ambit/vectors/script"
)

// maxSentence bounds a sentence, in bytes.
const maxSentence = 160

// maxHead bounds the bytes of a file in which its first sentence is looked for.
const maxHead = 16 << 10

// Speakers returns the names of the files that speak for a directory, the surest first; a
// name may start with "*". Base is the name of the directory.
func Speakers(base string) []string {
	return []string{"doc.go", "package-info.java", "__init__.py", "lib.rs", "mod.rs", "main.rs", "README.md", "Readme.md", "readme.md", "README.rst", "README", "README.txt",
		"index.ts", "index.js", "index.mjs", base + ".go", base + ".py", base + ".rb", base + ".rs", base + ".ex", "main.go", "*.go"}
}

// About returns the first sentence that a document or the head of a source file says of
// what it belongs to, "" when it says nothing. Licences, badges and remarks for tools say
// nothing.
func About(name string, content []byte) string {
	if len(content) > maxHead {
		content = content[:maxHead]
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(string(content), ""), "\r\n", "\n")
	switch base := strings.ToLower(path.Base(name)); {
	case strings.HasPrefix(base, "readme"), strings.HasSuffix(base, ".md"), strings.HasSuffix(base, ".rst"):
		return aboutDocument(text)
	case strings.HasSuffix(base, ".py"):
		return sentence(firstOf(docstring(), text))
	case strings.HasSuffix(base, ".go"):
		return sentence(uncomment(firstOf(goPackage(), text)))
	case strings.HasSuffix(base, ".rs"):
		return sentence(uncomment(firstOf(rustModule(), text)))
	case strings.HasSuffix(base, ".java"), strings.HasSuffix(base, ".kt"):
		return sentence(uncomment(firstOf(javaPackage(), text)))
	}
	for _, c := range headComments(text) {
		if s := sentence(uncomment(c)); words(s) > 1 && !toolRemark().MatchString(c) {
			return s
		}
	}
	return ""
}

// Sentence returns the first sentence of a doc comment, with its comment marks or the quotes
// of a docstring, "" when it says nothing.
func Sentence(comment string) string {
	text := strings.ReplaceAll(strings.ToValidUTF8(comment, ""), "\r\n", "\n")
	if d := firstOf(docstring(), text); d != "" {
		text = d
	}
	if s := sentence(uncomment(text)); words(s) >= leastDocWords && !toolRemark().MatchString(s) {
		return s
	}
	return ""
}

// leastDocWords is the least number of words of a doc comment that says more than the name.
const leastDocWords = 3

var (
	docstring   = lazy.Regexp(`^(?:\s*(?:#[^\n]*)?\n)*[rRuU]?(?:"""|\'\'\')((?s:.*?))(?:"""|\'\'\')`)
	goPackage   = lazy.Regexp(`((?:^|\n)/\*(?s:.*?)\*/\n|(?:(?:^|\n)//[^\n]*)+\n)package `)
	rustModule  = lazy.Regexp(`^(?:\s*(?://[^!\n][^\n]*)?\n|#!\[[^\n]*\n)*((?:\s*//![^\n]*\n?)+|\s*/\*!(?s:.*?)\*/)`)
	javaPackage = lazy.Regexp(`(/\*\*(?s:[^*]|\*[^/])*\*/)\s*(?:@\w+[^\n]*\s*)*package `)
	// toolRemark is in comments that say nothing about the code.
	toolRemark = lazy.Regexp(`(?i)\b(?:copyright|(?:dual-)?licen[cs]ed?|all rights reserved|frozen_string_literal|eslint|clang-format|generated|SPDX-\w+|jshint)\b|^#!|-\*-|@ts-|<reference`)
	// beforeCode are lines that may stand above the comment about a file.
	beforeCode = lazy.Regexp(`^\s*(?:$|#!|["\']use strict["\']|<\?php|declare\(strict_types|--\s*$)`)
)

// headComments returns the comments above all code of a file.
func headComments(text string) []string {
	var out []string
	for text != "" && len(out) < maxComments {
		line, rest, _ := strings.Cut(text, "\n")
		trimmed := strings.TrimSpace(line)
		switch {
		case beforeCode().MatchString(line):
			text = rest
		case strings.HasPrefix(trimmed, "/*"):
			end := strings.Index(text, "*/")
			if end < 0 {
				return out
			}
			out = append(out, text[:end+2])
			_, text, _ = strings.Cut(text[end:], "\n")
		case lineComment(trimmed):
			start := text
			for lineComment(strings.TrimSpace(line)) {
				text = rest
				line, rest, _ = strings.Cut(text, "\n")
			}
			out = append(out, start[:len(start)-len(text)])
		default:
			return out
		}
	}
	return out
}

// maxComments bounds the comments above the code of a file.
const maxComments = 6

func lineComment(line string) bool {
	return strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "#!") && !directive().MatchString(line) || strings.HasPrefix(line, "--")
}

// directive is a line of the C preprocessor.
var directive = lazy.Regexp(`^#\s*(?:include|if|ifdef|ifndef|define|pragma|undef|else|endif|import|error)\b`)

var commentMarks = lazy.Regexp(`(?m)^[ \t]*(?:/\*+!?|\*+/|\*|//[/!]?|#+|--+(?:[ \t]*[|^])?)[ \t]?|\s*\*+/[ \t]*$`)

// uncomment returns the text of a comment without its marks, which in Haskell are also "-- |".
func uncomment(comment string) string { return commentMarks().ReplaceAllString(comment, "") }

var (
	frontMatter = lazy.Regexp(`^(?:---|\+\+\+)\n(?s:.*?)\n(?:---|\+\+\+)\n`)
	htmlComment = lazy.Regexp(`<!--(?s:.*?)-->`)
	fences      = lazy.Regexp("(?m)^[ \t]*(?:```|~~~)(?s:.*?)\n[ \t]*(?:```|~~~)[ \t]*$")
	image       = lazy.Regexp(`\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\](?:\([^)]*\)|\[[^\]]*\]))?`)
	link        = lazy.Regexp(`\[([^\]\[]+)\](?:\([^)]*\)|\[[^\]]*\])`)
	tag         = lazy.Regexp(`</?[A-Za-z][^>]*>`)
	noText      = lazy.Regexp(`^\s*(?:#|\.\. |\||[-=~*_^+]{3,}\s*$|>|\[!|[-*+] |\d+\. |\[[^\]]+\]:|:\w)`)
	underline   = lazy.Regexp(`^\s*(?:={2,}|-{2,}|~{2,}|\*{2,}|\^{2,})\s*$`)
)

// aboutDocument returns the first sentence of a document that is neither a heading, a list
// nor a badge.
func aboutDocument(text string) string {
	text = frontMatter().ReplaceAllString(text, "")
	text = htmlComment().ReplaceAllString(text, "")
	text = fences().ReplaceAllString(text, "")
	text = image().ReplaceAllString(text, "")
	text = tag().ReplaceAllString(text, " ")
	title := firstOf(firstTitle(), text)
	first := ""
	for i, paragraph := range strings.SplitN(text, "\n\n", maxParagraphs) {
		if i == maxParagraphs-1 {
			break
		}
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		first = cmp.Or(first, motto(lines))
		for len(lines) > 0 && (strings.TrimSpace(lines[0]) == "" || noText().MatchString(lines[0])) {
			lines = lines[1:]
		}
		if len(lines) == 0 || len(lines) > 1 && underline().MatchString(lines[1]) || strings.HasPrefix(lines[0], "    ") || strings.HasPrefix(lines[0], "\t") {
			continue
		}
		// Links that stand alone are a list of links.
		rest := strings.Join(lines, "\n")
		if strings.Trim(link().ReplaceAllString(rest, ""), " \n|•·*-") == "" {
			continue
		}
		switch s := sentence(rest); {
		case words(s) < leastWords || toolRemark().MatchString(s):
		case title != "" && strings.HasPrefix(strings.ToLower(strings.TrimLeft(strings.TrimPrefix(s, "The "), "`*_")), strings.ToLower(title)):
			return s
		case first == "":
			first = s
		}
	}
	return first
}

// motto returns the sentence of a block quote, with which many projects say what they are, ""
// for other paragraphs. A note or a warning is none.
func motto(lines []string) string {
	text := ""
	for _, l := range lines {
		quoted, ok := strings.CutPrefix(strings.TrimSpace(l), ">")
		if !ok {
			return ""
		}
		text += strings.TrimSpace(quoted) + "\n"
	}
	if s := sentence(text); !strings.HasPrefix(text, "[!") && !notice().MatchString(text) && words(s) >= leastWords {
		return s
	}
	return ""
}

// notice begins a block quote that is about something else than what a project is.
var notice = lazy.Regexp(`(?i)^\W*(?:note|warning|important|caution|tip|info|attention|deprecated|notice)\b`)

// firstTitle is the first word of the title of a document.
var firstTitle = lazy.Regexp(`^\s*(?:#+[ \t]*)?([\p{L}\p{N}]+)[^\n]*\n`)

// maxParagraphs bounds the paragraphs of a document in which its sentence is looked for: one
// that says what its title is comes before the others.
const maxParagraphs = 16

// leastWords is the least number of words of a sentence in a document: a shorter one is a
// label.
const leastWords = 4

var (
	sentenceEnd = lazy.Regexp(`[.!?:](?:["\')\]]*)(?:\s+|$)|[。！？：][」』）)]*`)
	emphasis    = lazy.Regexp("\\*\\*|__|``|:(?:class|func|mod|ref|doc|meth|attr|pypi):")
	docTag      = lazy.Regexp(`(?m)^\s*@\w+.*$|\{@\w+\s+(?:[^\s}]+\s+)?([^}]*)\}`)
	reference   = lazy.Regexp(`\[([\p{L}\p{N}][^\]\[]*)\]`)
	headingMark = lazy.Regexp(`^\s*(?:#+|=+)\s+[^\n]*\n`)
	// remark is a sentence that tells the reader what to do, or where the code comes from.
	remark      = lazy.Regexp(`(?i)^(?:do not|don't|if you|note|todo|fixme|warning|see)\b|\b(?:started out|originally|(?:copied|ported|adapted|forked|taken) (?:from|with))\b`)
	abbreviated = lazy.Regexp(`(?i)(?:\b[a-z]|e\.g|i\.e|etc|vs|cf)\.$`)
)

// words returns how many words a text on one line has. Two letters of a script without blanks
// between words count as one.
func words(text string) int {
	n, unspaced := 0, 0
	for w := range strings.FieldsSeq(text) {
		n++
		for _, r := range w {
			if script.Unspaced(r) && unicode.IsLetter(r) {
				unspaced++
			}
		}
	}
	return n + unspaced/2
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// firstEnd returns where the first sentence of a text on one line ends.
func firstEnd(text string) int {
	for _, end := range sentenceEnd().FindAllStringIndex(text, -1) {
		if !abbreviated().MatchString(strings.TrimSpace(text[:end[1]])) {
			return end[1]
		}
	}
	return len(text)
}

// sentence returns the first sentence of the first paragraph of a text that is no remark, on
// one line, without marks of Markdown.
func sentence(text string) string {
	text = docTag().ReplaceAllString(text, "$1")
	text = strings.TrimSpace(text)
	for headingMark().MatchString(text + "\n") {
		text = strings.TrimSpace(headingMark().ReplaceAllString(text+"\n", ""))
	}
	if title, rest, ok := strings.Cut(text, "\n"); ok && underline().MatchString(firstLine(rest)) {
		_, text, _ = strings.Cut(rest, "\n")
		if text = strings.TrimSpace(text); text == "" {
			text = title
		}
	}
	text, _, _ = strings.Cut(text, "\n\n")
	text = link().ReplaceAllString(image().ReplaceAllString(text, ""), "$1")
	text = reference().ReplaceAllString(text, "$1")
	text = emphasis().ReplaceAllString(tag().ReplaceAllString(text, ""), "")
	text = strings.Join(strings.Fields(text), " ")
	for {
		end := firstEnd(text)
		first := strings.TrimRight(strings.TrimSpace(text[:end]), ":：")
		if text = strings.TrimSpace(text[end:]); !remark().MatchString(first) {
			text = first
			break
		}
	}
	if len(text) <= maxSentence {
		return text
	}
	cut := maxSentence
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	if space := strings.LastIndexByte(text[:cut], ' '); space > maxSentence/2 {
		cut = space
	}
	return text[:cut] + "…"
}
