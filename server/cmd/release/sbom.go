package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// These types are the part of CycloneDX 1.5 that is written.
type (
	bill struct {
		BOMFormat   string      `json:"bomFormat"`
		SpecVersion string      `json:"specVersion"`
		Version     int         `json:"version"`
		Metadata    metadata    `json:"metadata"`
		Components  []component `json:"components"`
	}
	metadata struct {
		Timestamp string    `json:"timestamp"`
		Component component `json:"component"`
	}
	component struct {
		Type     string    `json:"type"`
		Ref      string    `json:"bom-ref"`
		Name     string    `json:"name"`
		Version  string    `json:"version,omitempty"`
		PURL     string    `json:"purl,omitempty"`
		Licences []licence `json:"licenses,omitempty"`
	}
	licence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
)

// bom writes the bill of materials of a binary: the modules that the linker recorded in it,
// with the licences of docs/third-party.md.
func (r *release) bom(p platform, binary []byte, s *shared) error {
	info, err := buildinfo.Read(bytes.NewReader(binary))
	if err != nil {
		return err
	}
	known, err := licences(string(s.notices))
	if err != nil {
		return err
	}
	b := bill{BOMFormat: "CycloneDX", SpecVersion: "1.5", Version: 1}
	b.Metadata.Timestamp = r.date.Format(time.RFC3339)
	b.Metadata.Component = component{"application", name, name, r.version, "", spdx("MIT")}
	goVersion := strings.TrimPrefix(info.GoVersion, "go")
	b.Components = append(b.Components, component{"library", "std", "std", goVersion, "pkg:golang/std@" + goVersion, spdx("BSD-3-Clause")})
	if p.os == "linux" {
		b.Components = append(b.Components, component{"library", "glibc", "glibc", "", "", spdx("LGPL-2.1-or-later")})
	}
	for _, m := range info.Deps {
		id := known[m.Path+" "+m.Version]
		if id == "" {
			return fmt.Errorf("the licence of %s %s is not in docs/third-party.md", m.Path, m.Version)
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		b.Components = append(b.Components, component{"library", url, m.Path, m.Version, url, spdx(id)})
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("%s-%s-%s.cdx.json", name, r.version, p), append(text, '\n'))
}

// spdx returns one licence by its id.
func spdx(id string) []licence {
	l := make([]licence, 1)
	l[0].Licence.ID = id
	return l
}

// noticed is a module in a heading of docs/third-party.md.
var noticed = regexp.MustCompile("`([^`]+)` (v[^ ,]+)")

// licences returns the SPDX id of each module of docs/third-party.md, by path and version.
func licences(notices string) (map[string]string, error) {
	ids := map[string]string{}
	for _, section := range strings.Split(notices, "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		id := licenceID(text)
		if id == "" {
			return nil, fmt.Errorf("unknown licence of %s; teach licenceID its text", heading)
		}
		for _, m := range noticed.FindAllStringSubmatch(heading, -1) {
			ids[m[1]+" "+m[2]] = id
		}
	}
	return ids, nil
}

// licenceID returns the SPDX id of a licence by a phrase that only it has.
func licenceID(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for _, phrase := range []struct{ text, id string }{
		{"Apache License Version 2.0", "Apache-2.0"},
		{"Mozilla Public License", "MPL-2.0"},
		{"Permission is hereby granted, free of charge", "MIT"},
		{"Neither the name", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"Permission to use, copy, modify, and", "ISC"},
	} {
		if strings.Contains(text, phrase.text) {
			return phrase.id
		}
	}
	return ""
}
