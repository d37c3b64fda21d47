package gitignore

// LastRule returns the index of the rule of an ignore file that decides on a path,
// found by the maps and found by trying each rule; -1 for none.
func LastRule(text []byte, dir, name string, isDir, fold bool) (got, tried int) {
	l := parseIgnore(text, ruleList{fold: fold})
	got, tried = -1, -1
	r := l.last(dir, name, isDir)
	for i := range l.rules {
		if r == &l.rules[i] {
			got = i
		}
		if rule := &l.rules[i]; (isDir || !rule.dirOnly) && (rule.shape == literal && l.equal(rule.pattern, name) || rule.shape != literal && l.matches(rule, dir, name)) {
			tried = i
		}
	}
	return got, tried
}

// IndexNames returns the paths in a git index.
func IndexNames(data []byte, sha256 bool) (paths []string) {
	hashLen := 20
	if sha256 {
		hashLen = 32
	}
	names, _ := parseIndex(data, hashLen)
	for i := range names.ends {
		paths = append(paths, names.name(i))
	}
	return paths
}

// ConfigValue reads a value of git's settings.
func ConfigValue(s string) string { return configValue(s) }
