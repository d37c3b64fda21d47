package graph

var csharp = &language{names: []string{"csharp"}, implicitSelf: true, packages: workspace, members: workspace, loose: anyDef, rules: defaultRules{}}
