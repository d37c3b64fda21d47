package languages

import (
	"path"

	"ambit/vectors/record"
)

// editorExtensions are the extensions of languages by the names that the Language
// Server Protocol gives them, for documents that were never saved.
var editorExtensions = map[string]string{
	"go": ".go", "python": ".py", "typescript": ".ts", "typescriptreact": ".tsx", "javascript": ".js", "javascriptreact": ".jsx",
	"rust": ".rs", "java": ".java", "ruby": ".rb", "c": ".c", "cpp": ".cpp", "markdown": ".md", "csharp": ".cs", "php": ".php",
	"shellscript": ".sh", "kotlin": ".kt", "swift": ".swift", "scala": ".scala", "lua": ".lua", "haskell": ".hs",
}

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
