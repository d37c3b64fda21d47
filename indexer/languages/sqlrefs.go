package languages

import (
	"slices"
	"strings"

	"ambit/vectors/record"
)

// The words behind which the name of a table or a routine stands, the words that can stand
// between, and the words that are no such names.
var (
	sqlBeforeTable = wordsOf(`from join references table view update truncate call exec using inherits lock sequence trigger synonym index partition only execute type domain policy
		function procedure proc`)
	sqlBetween = wordsOf(`if not exists only table lateral concurrently function procedure materialized low_priority ignore delayed overwrite into as`)
	sqlNoNames = wordsOf(`select set on of or where values default null not in exists and as is if from using with when then else end case begin returns return
		cascade restrict current_user session_user public all any some new old excluded inserted deleted dual stdin stdout of to by for each row statement
		after before instead insert update delete truncate unnest lateral rows range distinct returning declare table column constraint check primary foreign key
		unique references trigger schema database role user grant option no action nothing do language owner add drop alter create rename type function
		procedure btree hash gin gist brin spgist heap restart identity continue only current nowait skip locked share mode partition index group order having limit`)
	sqlBuiltins = wordsOf(`count sum min max avg coalesce nullif greatest least now date time datetime timestamp timestamptz interval cast convert extract substring trim
		ltrim rtrim upper lower length len char_length replace concat concat_ws round floor ceil ceiling abs mod power sqrt random rand varchar char nchar nvarchar
		varchar2 nvarchar2 character bpchar text string clob nclob blob bytea binary varbinary bit varbit bool boolean smallint int int2 int4 int8 integer bigint tinyint mediumint
		serial bigserial smallserial numeric decimal number float double real money json jsonb xml uuid uniqueidentifier rowversion sysname inet cidr macaddr point hstore
		tsvector tsquery citext oid regclass regtype regproc name void record trigger event_trigger array enum set year image ntext datetime2 smalldatetime
		datetimeoffset sql_variant long raw rowid urowid any anyelement anyarray unnest array_agg string_agg json_agg jsonb_agg json_build_object jsonb_build_object
		jsonb_object_agg row_number rank dense_rank lag lead first_value last_value ntile over format quote_ident quote_literal quote_nullable nextval currval setval
		lastval getdate getutcdate sysdate systimestamp isnull ifnull nvl decode iif dateadd datediff datepart datename object_id db_id db_name schema_name
		to_char to_date to_number to_timestamp to_json to_jsonb row_to_json date_trunc date_part age current_timestamp current_date current_time current_setting
		set_config generate_series array_length array_append array_remove cardinality regexp_replace regexp_matches split_part position strpos left right substr lpad rpad md5 encode
		pg_typeof raise values exists in not and or if on as using with check unique primary foreign key references constraint filter within partition by all any some
		row rows grouping sets cube rollup when then else case end select from where join table into index print exec execute call return returns
		quotename stuff charindex patindex error_message error_number error_severity error_state error_line error_procedure raiserror object_name object_definition
		last_insert_id group_concat str_to_date date_format unix_timestamp from_unixtime charset collate default generated identity include tablespace sign exp ln log
		unsigned signed auto_increment varying precision zone timetz signed without national`)
)

// references lists the uses of tables, routines and types, each with the declaration around it.
func (s *sqlScan) references() []Ref {
	r := sqlUses{sqlScan: s, declared: map[int]bool{}, queries: map[string]bool{}}
	for i := range s.decls {
		r.declared[s.decls[i].NameSpan.Start] = true
	}
	for i := 0; i < len(s.tokens); i++ {
		if t := s.tokens[i]; t.kind == sqlOpen && s.isForeign(t.start) {
			i = t.skip
			continue
		}
		r.token(i)
	}
	r.types()
	return sortedRefs(r.refs)
}

// sqlUses collects the uses of a file.
type sqlUses struct {
	*sqlScan
	declared map[int]bool    // the starts of the names of declarations
	queries  map[string]bool // WITH names of the statement
	on       bool            // the next ON names a table
	callers  []string        // the words in front of the open brackets
	refs     []Ref
}

func (s *sqlScan) isForeign(at int) bool {
	return slices.ContainsFunc(s.foreign, func(f record.Span) bool { return f.Start == at })
}

// token reads the uses that a token announces.
func (r *sqlUses) token(i int) {
	t := r.tokens[i]
	switch {
	case t.kind >= sqlEnd && t.kind <= sqlBatch:
		clear(r.queries)
		r.on, r.callers = false, r.callers[:0]
		return
	case r.is(i, '('):
		r.callers = append(r.callers, r.word(i-1))
		return
	case r.is(i, ')'):
		if n := len(r.callers); n > 0 {
			r.callers = r.callers[:n-1]
		}
		return
	case t.kind == sqlQuoted:
		r.call(i)
		return
	case t.kind != sqlWord:
		return
	}
	switch w := r.word(i); {
	case r.is(i-1, '.'):
		r.call(i)
	case w == "grant" || w == "revoke", (w == "index" || w == "trigger" || w == "policy" || w == "rule") && !r.is(i+1, ','):
		r.on = true
	case w == "as" && r.is(i+1, '('), w == "select":
		r.on = false
		r.query(i)
	case w == "as":
		r.query(i)
	case w == "on" && r.on:
		r.on = false
		r.table(i + 1)
	case w == "into":
		switch r.word(i - 1) {
		case "insert", "merge", "replace", "ignore", "overwrite":
			r.table(i + 1)
		}
	case w == "execute" && r.word(i+1) != "function" && r.word(i+1) != "procedure" && !r.batches:
	case w == "execute", w == "exec", w == "call":
		r.name(i+1, record.EdgeCalls)
	case w == "of" && r.word(i-1) == "partition":
		r.table(i + 1)
	case w == "inherits" && r.is(i+1, '('):
		r.table(i + 2)
	case w == "from" && r.ofValue(i):
	case w == "from":
		r.tables(i + 1)
	case sqlBeforeTable[w]:
		r.table(i + 1)
		if w == "index" || w == "trigger" || w == "policy" {
			r.on = true
		}
	default:
		r.call(i)
	}
}

// ofValue reports whether FROM stands in EXTRACT(x FROM y) or IS DISTINCT FROM.
func (r *sqlUses) ofValue(i int) bool {
	if r.word(i-1) == "distinct" {
		return true
	}
	if n := len(r.callers); n > 0 {
		switch r.callers[n-1] {
		case "extract", "substring", "trim", "overlay", "position":
			return true
		}
	}
	return false
}

// query remembers the name of a query of WITH: `name AS (` and `name (columns) AS (`.
func (r *sqlUses) query(i int) {
	next := i + 1
	for r.word(next) == "not" || r.word(next) == "materialized" {
		next++
	}
	if !r.is(next, '(') || r.word(i) != "as" {
		return
	}
	k := i - 1
	if r.is(k, ')') {
		for k > 0 && i-k < 200 && !r.is(k, '(') {
			k--
		}
		k--
	}
	if before := r.word(k - 1); k > 0 && r.tokens[k].kind <= sqlQuoted && (before == "with" || before == "recursive" || r.is(k-1, ',')) {
		name, _, _ := sqlNameOf(r.text, r.tokens[k])
		r.queries[name] = true
	}
}

// tables reads the tables behind FROM, with commas between: a, b AS c.
func (r *sqlUses) tables(i int) {
	for n := 0; n < 64; n++ {
		behind := r.table(i)
		if behind < 0 {
			return
		}
		if r.word(behind) == "as" {
			behind++
		}
		if w := r.word(behind); w != "" && !sqlNoNames[w] && !sqlBeforeTable[w] {
			behind++
		}
		if !r.is(behind, ',') {
			return
		}
		i = behind + 1
	}
}

// table adds the use of the name at a token. It returns the index behind the name, -1 when
// none is there.
func (r *sqlUses) table(i int) int { return r.name(i, record.EdgeReads) }

// name adds the use of the name at a token, as table does.
func (r *sqlUses) name(i int, kind record.EdgeKind) int {
	for sqlBetween[r.word(i)] {
		i++
	}
	name, behind, ok := r.nameAt(i)
	if !ok || r.tokens[name].kind == sqlWord && (sqlNoNames[r.word(name)] || strings.ContainsAny(r.word(name)[:1], "0123456789@:#")) {
		return -1
	}
	if !r.is(behind, '(') || !r.builtin(name) { // FROM generate_series(1, 2)
		r.add(name, kind)
	}
	return behind
}

// call adds the use of a name that an opening bracket follows directly, and of `table%ROWTYPE`.
func (r *sqlUses) call(i int) {
	t := r.tokens[i]
	if i+1 >= len(r.tokens) || r.tokens[i+1].start != t.end {
		return
	}
	switch {
	case r.is(i+1, '%') && (r.word(i+2) == "rowtype"):
		r.add(i, record.EdgeReads)
	case r.is(i+1, '(') && !(t.kind == sqlWord && (sqlBuiltins[r.word(i)] || strings.ContainsAny(r.word(i)[:1], "0123456789@:"))):
		r.add(i, record.EdgeCalls)
	}
}

// types adds the uses of types: of columns, of results and behind "::".
func (r *sqlUses) types() {
	column := map[int]bool{}
	for i := range r.decls {
		if d := &r.decls[i]; d.Kind == record.KindField {
			column[d.NameSpan.Start] = true
		}
	}
	for i, t := range r.tokens {
		at := i + 1
		switch {
		case column[t.start] || t.kind == sqlQuoted && column[t.start+1], t.kind == sqlMark && t.end-t.start == 2:
		case r.word(i) == "returns":
			if r.word(at) == "setof" {
				at++
			}
		default:
			continue
		}
		if name, _, ok := r.nameAt(at); ok && !sqlNoNames[r.word(name)] && !sqlConstraints[r.word(name)] && !r.builtin(name) {
			r.add(name, record.EdgeType)
		}
	}
}

// builtin reports whether a token is a builtin name, also in brackets: [int].
func (r *sqlUses) builtin(i int) bool {
	t := r.tokens[i]
	return sqlBuiltins[strings.ToLower(strings.Trim(string(r.text[t.start:t.end]), "[]"))]
}

// add adds the use of a name, unless it is a declaration or a query of the statement.
func (r *sqlUses) add(i int, kind record.EdgeKind) {
	name, start, end := sqlNameOf(r.text, r.tokens[i])
	if name == "" || r.declared[start] || r.queries[name] && !r.is(i-1, '.') || string(r.text[start:end]) != name {
		return
	}
	r.refs = append(r.refs, Ref{Name: name, Kind: kind, Span: record.Span{Start: start, End: end}, Decl: innermost(r.decls, start)})
}
