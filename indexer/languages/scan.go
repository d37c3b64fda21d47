package languages

// #cgo linux LDFLAGS: -Wl,--unresolved-symbols=ignore-all
// #cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
// #include <stdlib.h>
// #include "scan.h"
import "C"

import (
	"math"
	"runtime"
	"sync"
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"
)

const (
	// parseTimeoutMicros ends a parse that a hostile file drives into the grammar's
	// worst case. Ordinary files parse at 3 MB/s or more, and the largest is 1 MB.
	parseTimeoutMicros = 10_000_000
	// maxDepth bounds the nesting that queries look at; code written by people
	// stays far below, and a query over deeper input is quadratic.
	maxDepth = 256
	// breaksBytes is the size above which a body yields its statement starts: a
	// body of 400 tokens is never smaller.
	breaksBytes = 1000
	// breakCapture is AMBIT_BREAK.
	breakCapture = 0xFFFF
)

// capture mirrors ambit_capture; the C array is viewed as a slice of these.
type capture struct {
	match          uint32
	pattern, index uint16
	start, end     uint32
}

// compiled is a grammar with its query, ready for scanning. It is immutable and
// lives as long as the process.
type compiled struct {
	language unsafe.Pointer // *TSLanguage
	query    *sitter.Query
	roles    []role        // by capture index
	checks   [][]predicate // by pattern
	body     uint16        // the capture index of @body
}

// compile pairs a grammar with its query. A query that does not fit the grammar
// is a mistake in the query file: the error says where.
func compile(l *sitter.Language, source string) (*compiled, error) {
	q, err := sitter.NewQuery([]byte(source), l)
	if err != nil {
		return nil, err
	}
	c := &compiled{language: pointerIn(unsafe.Pointer(l)), query: q, body: math.MaxUint16 - 1}
	c.checks = predicatesOf(q)
	c.roles = make([]role, q.CaptureCount())
	for i := range c.roles {
		name := q.CaptureNameForId(uint32(i))
		c.roles[i] = roleOf(name)
		if c.roles[i].what == roleBody {
			c.body = uint16(i)
		}
	}
	return c, nil
}

// pointerIn returns the C pointer that is the first field of the binding's
// Language and Query structs. A change of the binding breaks the test of scan.
func pointerIn(p unsafe.Pointer) unsafe.Pointer { return *(*unsafe.Pointer)(p) }

// scanner owns the C side of one parse at a time.
type scanner struct{ c *C.ambit_scanner }

// scanners reuses parsers: a fresh one costs its tables again. The pool drops
// them under memory pressure and the cleanup frees the C side.
var scanners = sync.Pool{New: func() any {
	s := &scanner{c: C.ambit_scanner_new()}
	runtime.AddCleanup(s, func(p *C.ambit_scanner) { C.ambit_scanner_delete(p) }, s.c)
	return s
}}

// scan parses content and calls fn with the captures of the query, which are valid
// inside fn only. It returns false when the grammar gave up.
func (c *compiled) scan(content []byte, fn func([]capture)) bool {
	if len(content) == 0 || len(content) > math.MaxInt32 {
		return false
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	var out *C.ambit_capture
	n := C.ambit_scan(s.c, c.language, pointerIn(unsafe.Pointer(c.query)), (*C.char)(unsafe.Pointer(&content[0])), C.uint32_t(len(content)),
		parseTimeoutMicros, maxDepth, C.uint16_t(c.body), breaksBytes, &out)
	if n < 0 {
		return false
	}
	if n > 0 {
		fn(unsafe.Slice((*capture)(unsafe.Pointer(out)), int(n)))
	}
	return true
}
