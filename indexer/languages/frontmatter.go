package languages

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"ambit/vectors/record"
)

// maxFrontMatterBytes bounds front matter; real ones are below 2 KB.
const maxFrontMatterBytes = 16 << 10

var byteOrderMark = []byte("\xef\xbb\xbf")

// frontMatter reads YAML between "---" lines or TOML between "+++" lines at the
// top of a document, adds its block and returns the offset after it. If it is not a table
// of keys, it is text.
func frontMatter(doc *Document, content []byte) int {
	start := 0
	if bytes.HasPrefix(content, byteOrderMark) {
		start = len(byteOrderMark)
	}
	rule := string(bytes.TrimRight(content[start:lineEnd(content, start)], " \t\r\n"))
	if rule != "---" && rule != "+++" {
		return start
	}
	from := lineEnd(content, start)
	for at := from; at < len(content) && at-from <= maxFrontMatterBytes; {
		end := lineEnd(content, at)
		line := string(bytes.TrimRight(content[at:end], " \t\r\n"))
		if line != rule && (rule != "---" || line != "...") {
			at = end
			continue
		}
		read := readYAML
		if rule == "+++" {
			read = readTOML
		}
		keys, err := read(doc, content[from:at])
		switch {
		case err == nil && keys:
			doc.Blocks = append(doc.Blocks, Block{Kind: BlockFrontMatter, Span: record.Span{End: end}})
			return end
		case err != nil && !bytes.Contains(content[from:at], []byte("\n\n")):
			// Markdown would read the closing line as the underline of a heading.
			doc.Blocks = append(doc.Blocks, Block{Kind: BlockParagraph, Span: record.Span{End: end}})
			return end
		}
		return start
	}
	return start
}

// readYAML stores the plain values of the top-level keys and reports whether there
// are keys. It does not follow aliases, so an input cannot grow.
func readYAML(doc *Document, src []byte) (keys bool, err error) {
	file, err := parser.ParseBytes(src, 0)
	if err != nil || len(file.Docs) == 0 {
		return false, err
	}
	var pairs []*ast.MappingValueNode
	switch body := file.Docs[0].Body.(type) {
	case *ast.MappingNode:
		pairs = body.Values
	case *ast.MappingValueNode:
		pairs = []*ast.MappingValueNode{body}
	}
	for _, p := range pairs {
		var values []string
		if seq, ok := p.Value.(*ast.SequenceNode); ok {
			for _, v := range seq.Values {
				values = appendScalar(values, v)
			}
		} else {
			values = appendScalar(values, p.Value)
		}
		setMeta(doc, p.Key.String(), values)
	}
	return len(pairs) > 0, nil
}

func appendScalar(values []string, n ast.Node) []string {
	switch n := n.(type) {
	case *ast.StringNode:
		return append(values, n.Value)
	case *ast.LiteralNode:
		return append(values, strings.TrimSpace(n.Value.Value))
	case *ast.NullNode, *ast.AliasNode:
		return values
	case ast.ScalarNode:
		return append(values, n.GetToken().Value)
	}
	return values
}

func readTOML(doc *Document, src []byte) (keys bool, err error) {
	var table map[string]any
	if err := toml.Unmarshal(src, &table); err != nil {
		return false, err
	}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		switch value := table[key].(type) {
		case []any:
			var values []string
			for _, v := range value {
				values = append(values, fmt.Sprint(v))
			}
			setMeta(doc, key, values)
		case time.Time:
			setMeta(doc, key, []string{value.Format(time.RFC3339)})
		case string:
			setMeta(doc, key, []string{value})
		}
	}
	return len(table) > 0, nil
}

// setMeta stores the values of one key of the front matter. It ignores unknown keys.
func setMeta(doc *Document, key string, values []string) {
	if len(values) == 0 {
		return
	}
	switch strings.ToLower(key) {
	case "title":
		doc.Title = values[0]
	case "layer":
		doc.Layer = values[0]
	case "updated_at", "updated", "lastmod", "last_modified_at":
		if doc.UpdatedAt == "" || key == "updated_at" {
			doc.UpdatedAt = values[0]
		}
	case "tags", "keywords":
		for _, v := range values {
			for tag := range strings.SplitSeq(v, ",") {
				if tag = strings.TrimSpace(tag); tag != "" {
					doc.Tags = append(doc.Tags, tag)
				}
			}
		}
	}
}
