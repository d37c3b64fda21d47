package graph

import "path"

// css: an imported sheet adds its names, and all sheets of a page share the custom properties.
var css = &language{names: []string{"css"}, rules: cssRules{}}

type cssRules struct{ defaultRules }

func (cssRules) module(v *View, from *fileEntry, name string) module {
	files := v.first(path.Join(dirOf(string(from.path)), name), name)
	return module{files: files, outside: len(files) == 0}
}
