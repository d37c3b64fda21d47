// One call from Go does a whole file: parse, copy the tree into one flat array,
// free the tree. Walking nodes from Go costs about 1 µs a node, many times this.
#ifndef AMBIT_SCAN_H
#define AMBIT_SCAN_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  uint16_t symbol; // of the grammar, 0xFFFF for what it could not read
  uint16_t field;  // of the node in its parent, 0 for none; and the marks below
  uint32_t start;  // byte offset
  uint32_t end;    // byte offset, exclusive
  uint32_t next;   // index of the first node behind this one and all in it
} ambit_node;

#define AMBIT_NAMED 0x8000
#define AMBIT_BROKEN 0x4000 // there is a syntax error in the node

typedef struct ambit_scanner ambit_scanner;

// ambit_meter makes the parsers count their work. It is called once, before the first scan.
void ambit_meter(void);

ambit_scanner *ambit_scanner_new(void);
void ambit_scanner_delete(ambit_scanner *s);

// What is wanted of a symbol: its nodes although they are not named, and the fields
// of its children.
#define AMBIT_TOKEN 1
#define AMBIT_FIELDS 2

// ambit_scan parses text and lists its named nodes, each before what is in it, down
// to max_depth levels. wanted says by symbol, 65,536 of them, what else to list. *work is
// the work that the parse may do, and then the work that it did; it depends on language
// and text only. ambit_scan returns the number of nodes and sets *out to an array that is
// valid until the next call, or returns -1 when the work did not suffice and -2 when
// memory ran out.
int64_t ambit_scan(ambit_scanner *s, const void *language, const uint8_t *wanted, const char *text, uint32_t n,
                   uint64_t *work, uint32_t max_depth, ambit_node **out);

// ambit_sound parses text up to its first syntax error. It returns 0 when there is none and -1
// when the work did not suffice. Else it returns how many bytes show the error whatever follows
// them, n + 1 when the end of the text is part of it.
int64_t ambit_sound(ambit_scanner *s, const void *language, const char *text, uint32_t n, uint64_t *work);

// ambit_wide returns a language that reads the same with a table for all states of its parser. The
// tables of most states list their symbols, and the parser searches these lists for each token. It
// returns the language itself when the table would take more than max_bytes. The result lives as
// long as the process.
const void *ambit_wide(const void *language, size_t max_bytes);

// ambit_symbol returns the number of a node type, 0 when the grammar has none.
uint16_t ambit_symbol(const void *language, const char *name, uint32_t n, int named);

// ambit_field returns the number of a field, 0 when the grammar has none.
uint16_t ambit_field(const void *language, const char *name, uint32_t n);

// ambit_release gives memory that is free but still held back to the system.
void ambit_release(void);

#endif
