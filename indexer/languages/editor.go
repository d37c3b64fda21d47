package languages

import (
	"path"

	"ambit/vectors/record"
)

// editorExtensions are the extensions of languages by the names that the Language Server
// Protocol gives them, for documents that were never saved. Most are those of the tables.
var editorExtensions = func() map[string]string {
	m := map[string]string{"typescriptreact": ".tsx", "javascriptreact": ".jsx", "shellscript": ".sh", "markdown": ".md"}
	for _, r := range table {
		m[r.name] = r.extensions[0]
	}
	for _, r := range patternTable {
		if len(r.extensions) > 0 {
			m[r.name] = r.extensions[0]
		}
	}
	return m
}()

// ParseDocument is [Parse] for a document of an editor, which has a language by the
// Language Server Protocol. The language counts where the path has no extension.
func ParseDocument(p record.Path, language string, content []byte) Outline {
	ext, known := editorExtensions[language]
	if !known || path.Ext(string(p)) != "" {
		return Parse(p, content)
	}
	o := Parse(p+record.Path(ext), content)
	o.Path = p
	return o
}
