package retrieve

import (
	"path"

	"ambit/indexer/deps"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxGeneratedFiles bounds the generated files of the workspace of which a question knows: the larger
// projects have some hundreds.
const maxGeneratedFiles = 2000

// generatedModule is the module of a [wanted] that stands for the generated files of a directory of
// the workspace, whose path is in the place of the importing file.
const generatedModule = ""

// addGenerated makes the generated files of the workspace known, which the index leaves out. The next view
// has them without their symbols: their paths are enough to tell which imports mean them.
func (b *beyond) addGenerated() {
	b.generated = map[string][]record.Path{}
	n := 0
	for p := range b.ix.Files.Generated() {
		language := languages.Language(p)
		if language == "" {
			continue
		}
		if n++; n > maxGeneratedFiles {
			break
		}
		dir := path.Dir(string(p))
		b.generated[dir] = append(b.generated[dir], p)
		b.fresh = append(b.fresh, record.FileRecord{File: record.File{Path: p, Language: language}, Graph: record.FileGraph{Path: p, Language: language}})
	}
}

// find finds the files that declare one of the names in a module or among generated files.
func (b *beyond) find(w wanted, names []string) deps.Found {
	if w.module == generatedModule {
		return deps.Found{Files: b.cur.Dependencies.Generated(b.q.Context(), b.generated[string(w.from)], names)}
	}
	return b.cur.Dependencies.Find(b.q.Context(), b.cur.Path, w.from, w.module, names)
}
