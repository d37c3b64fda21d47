package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// sqlSchemas are the files in which Rails dumps the statements that make a database.
var sqlSchemas = []string{"db/structure.sql", "db/*_structure.sql"}

var (
	sqlTable      = lazy.Regexp(`(?mi)^CREATE TABLE (?:IF NOT EXISTS )?([\w."` + "`" + `]+) \(\n((?:[ \t]+.*\n)*?)\)`)
	sqlColumn     = lazy.Regexp(`(?m)^[ \t]+["` + "`" + `]?([a-z_]\w*)["` + "`" + `]? ([a-z]+(?: precision| varying)?(?: with(?:out)? time zone)?)`)
	sqlIndex      = lazy.Regexp(`(?mi)^CREATE (UNIQUE )?INDEX \S+ ON (?:ONLY )?([\w."]+) (?:USING \w+ )?\((.*?)\)`)
	sqlForeignKey = lazy.Regexp(`(?mi)^ALTER TABLE (?:ONLY )?([\w."]+)\s+ADD CONSTRAINT \S+ FOREIGN KEY \(([^)]*)\) REFERENCES ([\w."]+)`)
	sqlNames      = strings.NewReplacer(`"`, "", "`", "", " ", "")
)

// sqlTables reads the tables of a dump of PostgreSQL or SQLite, with their columns, and the
// indexes and foreign keys that stand in statements of their own.
func sqlTables(text string) []Table {
	var tables []Table
	at := map[string]int{}
	for _, m := range sqlTable().FindAllStringSubmatchIndex(text, -1) {
		t := Table{Name: schemaName(text[m[2]:m[3]]), Span: record.Span{Start: m[0], End: m[1]}}
		if t.Model = rubyModel(t.Name); t.Model == "" {
			continue
		}
		for _, c := range sqlColumn().FindAllStringSubmatch(text[m[4]:m[5]], maxColumns) {
			t.Columns = append(t.Columns, c[1]+" "+c[2])
		}
		at[t.Name] = len(tables)
		tables = append(tables, t)
	}
	for _, m := range sqlIndex().FindAllStringSubmatch(text, -1) {
		if i, ok := at[schemaName(m[2])]; ok && len(tables[i].Indexes) < maxColumns {
			index := strings.ReplaceAll(sqlNames.Replace(m[3]), ",", "+")
			if m[1] != "" {
				index += " unique"
			}
			tables[i].Indexes = append(tables[i].Indexes, index)
		}
	}
	for _, m := range sqlForeignKey().FindAllStringSubmatch(text, -1) {
		if i, ok := at[schemaName(m[1])]; ok && len(tables[i].ForeignKeys) < maxColumns {
			tables[i].ForeignKeys = append(tables[i].ForeignKeys, sqlNames.Replace(m[2])+" to "+schemaName(m[3]))
		}
	}
	return tables
}

// schemaName returns the name of a table without its schema and quotes.
func schemaName(s string) string {
	_, name := CutLast(sqlNames.Replace(s))
	return name
}
