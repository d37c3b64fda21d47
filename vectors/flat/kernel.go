package flat

// #cgo CFLAGS: -O3 -std=gnu11
// #cgo noescape flat_scan
// #cgo nocallback flat_scan
// #cgo noescape flat_kernel
// #cgo nocallback flat_kernel
// #include "kernel.h"
import "C"

import "unsafe"

// A row's length in bytes is rounded up to a multiple of strideAlign: one load of the
// widest kernel, so that no kernel has a tail.
const strideAlign = 64

// kernel names one of the kernels of kernel.h; the lower ones run everywhere.
type kernel C.int

// fastestKernel returns the fastest kernel that this machine can run.
func fastestKernel() kernel { return kernel(C.flat_kernel()) }

// rowHit is one row of a scan, in the layout of C's flat_hit.
type rowHit struct {
	row   int32
	score float32
}

// scan writes to hits the rows of codes whose dot(row, query)*scale is at least
// floor, in their order, and returns that part of hits. codes holds
// len(scales) rows of two components a byte, as package quantize stores them. query is as
// [View.query] makes it, twice as long as a row, which is a multiple of strideAlign. hits
// has room for all rows.
func (kn kernel) scan(codes []byte, scales []float32, query []int8, floor float32, hits []rowHit) []rowHit {
	n, stride := len(scales), len(query)/2
	if n == 0 {
		return nil
	}
	codes, hits = codes[:n*stride], hits[:n]
	found := C.flat_scan(C.int(kn),
		(*C.uint8_t)(unsafe.Pointer(&codes[0])), (*C.float)(unsafe.Pointer(&scales[0])),
		C.int32_t(n), C.int32_t(stride),
		(*C.int8_t)(unsafe.Pointer(&query[0])), C.float(floor),
		(*C.flat_hit)(unsafe.Pointer(&hits[0])))
	return hits[:found]
}
