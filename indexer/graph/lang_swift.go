package graph

var swift = &language{names: []string{"swift"}, implicitSelf: true, members: workspace, loose: anyDef, rules: defaultRules{}}
