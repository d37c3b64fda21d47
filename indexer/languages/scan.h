// One call from Go does a whole file: parse, run the query, copy the captures
// into one flat array, free the tree. Walking nodes from Go costs about 1 µs a
// node; this costs less than a tenth of it.
#ifndef AMBIT_SCAN_H
#define AMBIT_SCAN_H

#include <stdint.h>

typedef struct {
  uint32_t match;   // number of the match, ascending; captures of one match are adjacent
  uint16_t pattern; // index of the pattern in the query
  uint16_t capture; // index of the capture name, AMBIT_BREAK for a statement start
  uint32_t start;   // byte offset
  uint32_t end;     // byte offset, exclusive
} ambit_capture;

#define AMBIT_BREAK 0xFFFF

typedef struct ambit_scanner ambit_scanner;

ambit_scanner *ambit_scanner_new(void);
void ambit_scanner_delete(ambit_scanner *s);

// ambit_scan parses text and runs query over the tree. It returns the number of
// captures and sets *out to an array that is valid until the next call, or
// returns -1 when the parse took longer than timeout_micros and -2 when memory
// ran out. A node captured as body_capture with more than breaks_bytes bytes also
// yields the starts of the statements in it. Nodes deeper than max_depth are not
// matched.
int64_t ambit_scan(ambit_scanner *s, const void *language, const void *query, const char *text, uint32_t n,
                   uint64_t timeout_micros, uint32_t max_depth, uint16_t body_capture, uint32_t breaks_bytes,
                   ambit_capture **out);

#endif
