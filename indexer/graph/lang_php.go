package graph

var php = &language{names: []string{"php"}, implicitSelf: true, loose: anyDef, rules: defaultRules{}}
