package languages

// scan.c calls the C library of tree-sitter. The package go-tree-sitter compiles the
// library, and the linker resolves its symbols in the whole program, so a missing symbol
// is a linker error on every system. The trial link that cgo makes of this package alone
// does not find them. The go command then marks the package for external linking, as any
// program with C code needs, so no linker flag is necessary.
//
// Source: https://go.dev/issue/52863.

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
	// maxDepth bounds the depth of the nodes in a scan. Code written by people stays far
	// below.
	maxDepth = 256
	// namedBit and brokenBit are AMBIT_NAMED and AMBIT_BROKEN.
	namedBit, brokenBit = 0x8000, 0x4000
	// wantToken and wantFields are AMBIT_TOKEN and AMBIT_FIELDS.
	wantToken, wantFields = 1, 2
	// errorSymbol is the symbol of a syntax error.
	errorSymbol = 0xFFFF
	// maxSymbols bounds the symbols of a grammar: they are 16 bits wide.
	maxSymbols = 1 << 16
)

// The work that the parses of one file may do, in the unit of scan.c, which is about a
// nanosecond: a file of 1 MB takes a second at most, with what is not metered. Code written by
// people takes 200 to 650 a byte, for which the first parse of 1 MB has enough; the most among
// 1,349 files of ten trees is 1,100, in a small file.
const (
	workPerFile = 200_000_000
	workPerByte = 560
)

// node has the layout of ambit_node, so that a slice of nodes can view the C array. The
// first child of node i is node i+1, its next sibling is that node's next, and so on up to
// the next of node i.
type node struct {
	symbol, fieldMarks uint16
	start, end, next   uint32
}

func (n *node) named() bool   { return n.fieldMarks&namedBit != 0 }
func (n *node) broken() bool  { return n.fieldMarks&brokenBit != 0 }
func (n *node) field() uint16 { return n.fieldMarks &^ (namedBit | brokenBit) }

// grammar is the C side of a language.
type grammar struct{ pointer unsafe.Pointer } // *TSLanguage

// grammarOf returns the C pointer that is the first field of the binding's
// Language. A change of the binding breaks every test of the package.
func grammarOf(l *sitter.Language) grammar {
	return grammar{*(*unsafe.Pointer)(unsafe.Pointer(l))}
}

// symbol returns the number of a node type; 0 when there is none.
func (g grammar) symbol(name string, named bool) uint16 {
	if name == "ERROR" && named {
		return errorSymbol
	}
	flag := C.int(0)
	if named {
		flag = 1
	}
	return uint16(C.ambit_symbol(g.pointer, (*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.uint32_t(len(name)), flag))
}

// fieldID returns the number of a field; 0 when there is none.
func (g grammar) fieldID(name string) uint16 {
	return uint16(C.ambit_field(g.pointer, (*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.uint32_t(len(name))))
}

const (
	// wideAfter is how much text is parsed with a grammar before it gets a wide table, which pays after some 100 KB and
	// takes some milliseconds to make: most questions parse less.
	wideAfter = 1 << 18
	// maxWideBytes bounds a wide table. That of C takes 1.4 MB, of TypeScript 4.4 and of C++ 8.7 MB.
	maxWideBytes = 10 << 20
)

// wide returns the grammar with a wide table, see ambit_wide.
func (g grammar) wide() grammar {
	return grammar{unsafe.Pointer(C.ambit_wide(g.pointer, maxWideBytes))}
}

// parser returns the grammar that parses n bytes of text.
func (c *compiled) parser(n int) grammar {
	if c.parsed.Add(int64(n)) < wideAfter {
		return c.grammar
	}
	return c.wide()
}

// scanner owns the C side of one parse at a time.
type scanner struct{ c *C.ambit_scanner }

// scanners reuses parsers, because a new parser allocates its tables again. The pool drops
// them under memory pressure, and the cleanup frees the C side.
var scanners = sync.Pool{New: func() any {
	meter()
	s := &scanner{c: C.ambit_scanner_new()}
	runtime.AddCleanup(s, func(p *C.ambit_scanner) { C.ambit_scanner_delete(p) }, s.c)
	return s
}}

var meter = sync.OnceFunc(func() { C.ambit_meter() })

// scan parses content and calls fn with the nodes of its tree, which are valid
// inside fn only. wanted has maxSymbols entries, see ambit_scan. scan subtracts the work
// of the parse from *work, and returns false when the parse needs more. The outcome depends
// on the grammar, content and *work alone, never on time.
func (g grammar) scan(content []byte, wanted []uint8, work *int64, fn func([]node)) bool {
	if len(content) == 0 || len(content) > math.MaxInt32 || *work <= 0 {
		return false
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	var out *C.ambit_node
	spent := C.uint64_t(*work)
	n := C.ambit_scan(s.c, g.pointer, (*C.uint8_t)(unsafe.Pointer(&wanted[0])), (*C.char)(unsafe.Pointer(&content[0])), C.uint32_t(len(content)),
		&spent, maxDepth, &out)
	*work -= int64(spent)
	if n <= 0 {
		return false
	}
	fn(unsafe.Slice((*node)(unsafe.Pointer(out)), int(n)))
	return true
}

// sound parses content up to its first syntax error, and returns how many bytes show it whatever
// follows them: 0 when there is no error, more than content has when its end is part of the error.
// It subtracts the work of the parse from *work, and returns false when the parse needs more.
func (g grammar) sound(content []byte, work *int64) (shown int, ok bool) {
	if len(content) == 0 || len(content) > math.MaxInt32 || *work <= 0 {
		return 0, false
	}
	s := scanners.Get().(*scanner)
	defer scanners.Put(s)
	spent := C.uint64_t(*work)
	shown = int(C.ambit_sound(s.c, g.pointer, (*C.char)(unsafe.Pointer(&content[0])), C.uint32_t(len(content)), &spent))
	*work -= int64(spent)
	return max(shown, 0), shown >= 0
}

// Release returns free memory of the C library to the system. The library keeps the memory
// of freed trees: 30 MB after a thousand files.
func Release() { C.ambit_release() }
