package deps

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"io"
	"strings"

	"ambit/indexer/lazy"
)

// jvPom is what a pom.xml says.
type jvPom struct {
	Group    string       `xml:"groupId"`
	Artifact string       `xml:"artifactId"`
	Version  string       `xml:"version"`
	Parent   *jvParent    `xml:"parent"`
	Values   jvProperties `xml:"properties"`
	Managed  []jvPomNeeds `xml:"dependencyManagement>dependencies>dependency"`
	Needs    []jvPomNeeds `xml:"dependencies>dependency"`
	Modules  []string     `xml:"modules>module"`
	chain    []*jvPom     // the pom and those above it
}

// jvParent is the pom that a pom inherits from.
type jvParent struct {
	Group    string  `xml:"groupId"`
	Artifact string  `xml:"artifactId"`
	Version  string  `xml:"version"`
	Path     *string `xml:"relativePath"`
}

// jvPomNeeds is a dependency of a pom.
type jvPomNeeds struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
	Type     string `xml:"type"`
	Scope    string `xml:"scope"`
	Optional string `xml:"optional"`
	Path     string `xml:"systemPath"`
}

// jvProperties are the properties of a pom, whose names are those of the elements.
type jvProperties struct {
	Items []struct {
		XMLName xml.Name
		Value   string `xml:",chardata"`
	} `xml:",any"`
}

// parsePom reads a pom.xml. What cannot be read is left out.
func parsePom(text []byte) *jvPom {
	p := &jvPom{}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // names are ASCII
	_ = d.Decode(p)                                                                    // what was read is used
	p.chain = []*jvPom{p}
	return p
}

var pomValue = lazy.Regexp(`\$\{([A-Za-z0-9._-]+)\}`)

// maxPomValues bounds how often a value leads to another one.
const maxPomValues = 8

// value replaces the properties in a value, by those of the pom and of the ones above it.
func (p *jvPom) value(s string) string {
	s = strings.TrimSpace(s)
	for range maxPomValues {
		if !strings.Contains(s, "${") || len(s) > 1000 {
			break
		}
		s = pomValue().ReplaceAllStringFunc(s, func(v string) string { return p.property(v[2 : len(v)-1]) })
	}
	return s
}

func (p *jvPom) property(name string) string {
	switch strings.TrimPrefix(strings.TrimPrefix(name, "project."), "pom.") {
	case "version":
		return p.version()
	case "groupId":
		return p.group()
	case "artifactId":
		return p.Artifact
	case "parent.version":
		if p.Parent != nil {
			return p.Parent.Version
		}
	case "parent.groupId":
		if p.Parent != nil {
			return p.Parent.Group
		}
	}
	for _, x := range p.chain {
		for _, item := range x.Values.Items {
			if item.XMLName.Local == name {
				return strings.TrimSpace(item.Value)
			}
		}
	}
	return ""
}

func (p *jvPom) group() string {
	if p.Group == "" && p.Parent != nil {
		return p.Parent.Group
	}
	return p.Group
}

func (p *jvPom) version() string {
	if p.Version == "" && p.Parent != nil {
		return p.Parent.Version
	}
	return p.Version
}

// jvNeed is a dependency of a pom or of a build file with what is known of it.
type jvNeed struct {
	jvCoordinate
	scope    string
	kind     string // the type of the artifact: "jar", "pom"
	optional bool
	project  string // a project of the workspace in place of an artifact, ":core"
}

// needs returns dependencies with the properties replaced.
func (p *jvPom) needs(list []jvPomNeeds) []jvNeed {
	out := make([]jvNeed, 0, len(list))
	for i := range list {
		n := &list[i]
		c := jvCoordinate{p.value(n.Group), p.value(n.Artifact), p.value(n.Version)}
		if strings.HasPrefix(c.version, "[") || strings.HasPrefix(c.version, "(") {
			c.version = "" // a range: the newest that is installed counts
		}
		if c.isNamed() && (c.version == "" || c.isValid()) {
			out = append(out, jvNeed{jvCoordinate: c, scope: p.value(n.Scope), kind: cmp.Or(n.Type, "jar"), optional: p.value(n.Optional) == "true"})
		}
	}
	return out
}

// all returns the dependencies of a pom and of those above it.
func (p *jvPom) all() (out []jvNeed) {
	for _, x := range p.chain {
		out = append(out, p.needs(x.Needs)...)
	}
	return out
}
