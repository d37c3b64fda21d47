package languages

import (
	"path"

	"ambit/vectors/record"
)

// editorExtensions maps the language names of the Language Server Protocol to extensions,
// for documents that were never saved. Most names are those of the tables.
var editorExtensions = func() map[string]string {
	m := map[string]string{"typescriptreact": ".tsx", "javascriptreact": ".jsx", "shellscript": ".sh", "markdown": ".md"}
	for _, r := range table {
		m[r.name] = r.extensions[0]
	}
	for _, r := range markups {
		m[r.language] = r.extensions[0]
	}
	for _, r := range patternTable {
		if len(r.extensions) > 0 {
			m[r.name] = r.extensions[0]
		}
	}
	return m
}()

// ParseDocument is [Parse] for a document of an editor. language is the name that the
// Language Server Protocol gives it; it decides only if the path has no extension.
func ParseDocument(p record.Path, language string, content []byte) Outline {
	ext, known := editorExtensions[language]
	if !known || path.Ext(string(p)) != "" {
		return Parse(p, content)
	}
	o := Parse(p+record.Path(ext), content)
	o.Path = p
	return o
}
