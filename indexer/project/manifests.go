package project

import (
	"encoding/json"
	"encoding/xml"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"ambit/indexer/lazy"

	"github.com/BurntSushi/toml"
)

func readGoMod(m *Manifest, text string) {
	block := false
	for line := range strings.Lines(text) {
		line, remark, _ := strings.Cut(line, "//")
		f := strings.Fields(line)
		switch {
		case len(f) == 0:
		case f[0] == "module" && len(f) > 1:
			m.Name = f[1]
		case f[0] == "require" && len(f) > 1 && f[1] == "(":
			block = true
		case f[0] == ")":
			block = false
		case strings.Contains(remark, "indirect"):
		case f[0] == "require" && len(f) > 2:
			need(&m.Dependencies, f[1])
		case block && len(f) > 1:
			need(&m.Dependencies, f[0])
		}
	}
}

// keys returns the keys of a map in a fixed order.
func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func readPackageJSON(m *Manifest, text string) {
	var p struct {
		Name, Description, Main, Module string
		Bin, Exports                    any
		Dependencies                    map[string]any
		PeerDependencies                map[string]any
		DevDependencies                 map[string]any
	}
	_ = json.Unmarshal([]byte(text), &p) // a wrong field leaves the others
	m.Name, m.About = p.Name, p.Description
	need(&m.Dependencies, keys(p.Dependencies)...)
	need(&m.Dependencies, keys(p.PeerDependencies)...)
	need(&m.Tools, keys(p.DevDependencies)...)
	switch bin := p.Bin.(type) {
	case string:
		m.enter(Program, path.Base(p.Name), bin)
	case map[string]any:
		for _, name := range keys(bin) {
			file, _ := bin[name].(string)
			m.enter(Program, name, file)
		}
	}
	if exports, ok := p.Exports.(map[string]any); ok {
		for _, name := range keys(exports) {
			if strings.HasPrefix(name, ".") && path.Ext(name) != ".json" && !strings.Contains(name, "*") {
				m.enter(Library, path.Join(p.Name, name), target(exports[name]))
			}
		}
	}
	if len(m.Entries) == 0 && (p.Main != "" || p.Module != "") {
		file := p.Module
		if file == "" {
			file = p.Main
		}
		m.enter(Library, p.Name, file)
	}
}

// target returns the first file of a value of "exports".
func target(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		for _, name := range keys(v) {
			if file := target(v[name]); file != "" && name != "types" {
				return file
			}
		}
	}
	return ""
}

func readCargo(m *Manifest, text string) {
	var c struct {
		Package struct {
			Name        string
			Description any
		}
		Bin []struct{ Name, Path string }
		Lib struct {
			Name, Path string
		}
		Dependencies    map[string]any
		DevDependencies map[string]any `toml:"dev-dependencies"`
		Workspace       struct{ Dependencies map[string]any }
	}
	_, _ = toml.Decode(text, &c) // broken input gives what was read
	m.Name = c.Package.Name
	m.About, _ = c.Package.Description.(string)
	need(&m.Dependencies, keys(c.Dependencies)...)
	need(&m.Dependencies, keys(c.Workspace.Dependencies)...)
	need(&m.Tools, keys(c.DevDependencies)...)
	for _, b := range c.Bin {
		m.enter(Program, b.Name, b.Path)
	}
	if c.Lib.Path != "" {
		m.enter(Library, c.Package.Name, c.Lib.Path)
	}
}

func readPyproject(m *Manifest, text string) {
	var p struct {
		Project struct {
			Name, Description string
			Dependencies      []string
			Scripts           map[string]string
		}
		Tool struct {
			Poetry struct {
				Name, Description string
				Dependencies      map[string]any
				Scripts           map[string]any
			}
		}
	}
	_, _ = toml.Decode(text, &p)
	m.Name, m.About = p.Project.Name, p.Project.Description
	need(&m.Dependencies, requirements(p.Project.Dependencies)...)
	for _, name := range keys(p.Project.Scripts) {
		m.enter(Program, name, p.Project.Scripts[name])
	}
	poetry := &p.Tool.Poetry
	if m.Name == "" {
		m.Name, m.About = poetry.Name, poetry.Description
	}
	need(&m.Dependencies, slices.DeleteFunc(keys(poetry.Dependencies), func(n string) bool { return n == "python" })...)
	for _, name := range keys(poetry.Scripts) {
		file, _ := poetry.Scripts[name].(string)
		m.enter(Program, name, file)
	}
}

var requirement = lazy.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]*`)

// requirements returns the names in requirements, "flask>=2; python_version > '3'".
func requirements(list []string) []string {
	var out []string
	for _, r := range list {
		if name := requirement().FindString(strings.TrimSpace(r)); name != "" {
			out = append(out, name)
		}
	}
	return out
}

func readRequirements(m *Manifest, text string) {
	need(&m.Dependencies, requirements(strings.Split(text, "\n"))...)
}

// readSetupCfg reads the sections of an INI file, whose values go on in indented lines.
func readSetupCfg(m *Manifest, text string) {
	section, key := "", ""
	for line := range strings.Lines(text) {
		value := strings.TrimSpace(line)
		switch {
		case value == "" || value[0] == '#' || value[0] == ';':
			continue
		case value[0] == '[':
			section, key = strings.Trim(value, "[]"), ""
			continue
		case line[0] != ' ' && line[0] != '\t':
			key, value, _ = strings.Cut(value, "=")
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		}
		switch section + "." + key {
		case "metadata.name":
			m.Name = value
		case "metadata.description":
			m.About = value
		case "options.install_requires":
			need(&m.Dependencies, requirements([]string{value})...)
		case "options.entry_points.console_scripts":
			if name, file, ok := strings.Cut(value, "="); ok {
				m.enter(Program, strings.TrimSpace(name), strings.TrimSpace(file))
			}
		}
	}
}

var (
	setupName     = lazy.Regexp(`\bname\s*=\s*["']([\w.-]+)["']`)
	setupAbout    = lazy.Regexp(`\bdescription\s*=\s*\(?\s*["']([^"'\n]+)["']`)
	setupRequires = lazy.Regexp(`(?s)\binstall_requires\s*=\s*\[(.*?)\]`)
	setupScripts  = lazy.Regexp(`(?s)["']console_scripts["']\s*:\s*\[(.*?)\]`)
	quotedText    = lazy.Regexp(`["']([^"'\n]+)["']`)
)

// firstOf returns the first group of a pattern in a text, or "".
func firstOf(p *regexp.Regexp, text string) string {
	if m := p.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// allOf returns the first groups of all matches.
func allOf(p *regexp.Regexp, text string) []string {
	var out []string
	for _, m := range p.FindAllStringSubmatch(text, maxNames) {
		out = append(out, m[1])
	}
	return out
}

// maxNames bounds the names that a pattern finds in one manifest.
const maxNames = 500

func readSetupPy(m *Manifest, text string) {
	m.Name, m.About = firstOf(setupName(), text), firstOf(setupAbout(), text)
	need(&m.Dependencies, requirements(allOf(quotedText(), firstOf(setupRequires(), text)))...)
	for _, script := range allOf(quotedText(), firstOf(setupScripts(), text)) {
		if name, file, ok := strings.Cut(script, "="); ok {
			m.enter(Program, strings.TrimSpace(name), strings.TrimSpace(file))
		}
	}
}

var (
	gemLine     = lazy.Regexp(`^\s*gem[ (]+["']([\w.-]+)["']`)
	gemGroup    = lazy.Regexp(`^\s*group\b(.*)\bdo\b`)
	gemName     = lazy.Regexp(`\.name\s*=\s*["']([\w.-]+)["']`)
	gemAbout    = lazy.Regexp(`\.summary\s*=\s*["']([^"\n]+?)["']\s*(?:\n|$)`)
	gemNeeds    = lazy.Regexp(`\.add_(?:runtime_)?dependency[ (]+["']([\w.-]+)["']`)
	gemPrograms = lazy.Regexp(`\.executables\s*=\s*(.+)`)
	gemTools    = lazy.Regexp(`\b(?:development|test)\b`)
	gemWords    = lazy.Regexp(`%w[\[({]([^\])}]*)[\])}]`)
)

func readGemfile(m *Manifest, text string) {
	tools, inGroup := false, false
	for line := range strings.Lines(text) {
		switch name := firstOf(gemLine(), line); {
		case gemGroup().MatchString(line):
			inGroup, tools = true, gemTools().MatchString(line)
		case inGroup && strings.TrimSpace(line) == "end":
			inGroup, tools = false, false
		case name == "":
		case tools || gemTools().MatchString(line) && strings.Contains(line, "group"):
			need(&m.Tools, name)
		default:
			need(&m.Dependencies, name)
		}
	}
}

func readGemspec(m *Manifest, text string) {
	m.Name, m.About = firstOf(gemName(), text), firstOf(gemAbout(), text)
	need(&m.Dependencies, allOf(gemNeeds(), text)...)
	line := firstOf(gemPrograms(), text)
	for _, name := range append(allOf(quotedText(), line), strings.Fields(firstOf(gemWords(), line))...) {
		m.enter(Program, name, "")
	}
}

func readComposer(m *Manifest, text string) {
	var c struct {
		Name, Description string
		Require           map[string]any
		RequireDev        map[string]any `json:"require-dev"`
		Bin               any
	}
	_ = json.Unmarshal([]byte(text), &c)
	m.Name, m.About = c.Name, c.Description
	platform := func(n string) bool { return !strings.Contains(n, "/") } // "php", "ext-json"
	need(&m.Dependencies, slices.DeleteFunc(keys(c.Require), platform)...)
	need(&m.Tools, slices.DeleteFunc(keys(c.RequireDev), platform)...)
	switch bin := c.Bin.(type) {
	case string:
		m.enter(Program, path.Base(bin), bin)
	case []any:
		for _, b := range bin {
			if file, ok := b.(string); ok {
				m.enter(Program, path.Base(file), file)
			}
		}
	}
}

func readPOM(m *Manifest, text string) {
	var p struct {
		ArtifactID   string `xml:"artifactId"`
		Name         string `xml:"name"`
		Description  string `xml:"description"`
		Dependencies []struct {
			GroupID    string `xml:"groupId"`
			ArtifactID string `xml:"artifactId"`
			Scope      string `xml:"scope"`
		} `xml:"dependencies>dependency"`
	}
	_ = xml.Unmarshal([]byte(text), &p)
	m.Name, m.About = p.Name, p.Description
	if m.Name == "" || strings.Contains(m.Name, "${") {
		m.Name = p.ArtifactID
	}
	for _, d := range p.Dependencies {
		list := &m.Dependencies
		if d.Scope == "test" || d.Scope == "provided" {
			list = &m.Tools
		}
		need(list, d.GroupID+":"+d.ArtifactID)
	}
}

var gradleLine = lazy.Regexp(`(?m)^\s*(implementation|api|compile|testImplementation)[ (]+["']([\w.-]+:[\w.-]+)`)

func readGradle(m *Manifest, text string) {
	for _, d := range gradleLine().FindAllStringSubmatch(text, maxNames) {
		if d[1] == "testImplementation" {
			need(&m.Tools, d[2])
		} else {
			need(&m.Dependencies, d[2])
		}
	}
}

var (
	csprojNeeds = lazy.Regexp(`<PackageReference\s+Include="([\w.-]+)"`)
	csprojAbout = lazy.Regexp(`<Description>([^<]+)</Description>`)
	csprojSDK   = lazy.Regexp(`<Project\s+Sdk="([\w.-]+)"`)
)

func readCsproj(m *Manifest, text string) {
	m.About = firstOf(csprojAbout(), text)
	need(&m.Dependencies, firstOf(csprojSDK(), text))
	need(&m.Dependencies, allOf(csprojNeeds(), text)...)
}

var (
	mixNeeds = lazy.Regexp(`\{:(\w+),\s*["'~\w]`)
	mixName  = lazy.Regexp(`\bapp:\s*:(\w+)`)
)

func readMix(m *Manifest, text string) {
	m.Name = firstOf(mixName(), text)
	need(&m.Dependencies, allOf(mixNeeds(), text)...)
}

var (
	cmakeName     = lazy.Regexp(`(?im)^\s*project\s*\(\s*"?([\w.+-]+)`)
	cmakeAbout    = lazy.Regexp(`(?is)\bproject\s*\([^)]*\bDESCRIPTION\s+"([^"]+)"`)
	cmakeNeeds    = lazy.Regexp(`(?im)^\s*find_package\s*\(\s*([\w.+-]+)`)
	autoconfName  = lazy.Regexp(`(?m)^\s*AC_INIT\s*\(\s*\[?([\w.+-]+)`)
	autoconfNeeds = lazy.Regexp(`(?m)\bPKG_CHECK_MODULES\s*\(\s*\[?\w+\]?\s*,\s*\[?([\w.+-]+)`)
)

func readCMake(m *Manifest, text string) {
	m.Name, m.About = firstOf(cmakeName(), text), firstOf(cmakeAbout(), text)
	need(&m.Dependencies, allOf(cmakeNeeds(), text)...)
}

func readAutoconf(m *Manifest, text string) {
	m.Name = firstOf(autoconfName(), text)
	need(&m.Dependencies, allOf(autoconfNeeds(), text)...)
}
