package assemble

import (
	"strings"

	"ambit/indexer/languages"
)

// comment returns text as one line in the comment syntax of language, "\n"
// included. A blank breaks a closing mark inside text.
func comment(language, text string) string {
	opening, closing := languages.CommentMarks(language)
	if opening != "" {
		opening += " "
	}
	if closing != "" {
		text = strings.ReplaceAll(text, closing, closing[:1]+" "+closing[1:])
		closing = " " + closing
	}
	return opening + text + closing + "\n"
}
