package graph

import "ambit/indexer/languages"

// java is the languages of the Java virtual machine: their packages are one.
var java = &language{names: []string{"java", "scala"}, implicitSelf: true, packages: workspace, splitsByUse: true, rules: javaRules{}}

type javaRules struct{ defaultRules }

// module finds the files of a package, or the file of the class that the path names or
// leads into: `import static a.b.Outer.Inner.name`.
func (javaRules) module(v *View, from *fileEntry, name string) module {
	if files := v.inPackage(name); len(files) > 0 {
		return module{files: files}
	}
	for class, rest := name, ""; ; {
		if m := (defaultRules{}).module(v, from, class); len(m.files) > 0 {
			_, own := languages.CutLast(class)
			return module{files: m.files, rest: own + rest}
		}
		before, last := languages.CutLast(class)
		if before == "" {
			return module{}
		}
		class, rest = before, "."+last+rest
	}
}
