package flat

import "bytes"

// Kernels are the names of the kernels that this machine can run.
func Kernels() []string {
	return []string{"portable", "avx2", "vnni"}[:fastestKernel()+1]
}

// Len returns the number of rows that a search scans.
func (v *View) Len() int { return v.live }

// Bytes returns the memory that the rows take, dead ones included.
func (v *View) Bytes() int {
	n := 0
	for _, b := range v.blocks {
		n += cap(b.codes) + 4*cap(b.keys) + 4*cap(b.scales) + 8*cap(b.dead)
	}
	return n
}

// Scan runs Kernels()[i] and returns the score of every row that reaches floor.
func Scan(i int, codes []byte, scales []float32, query []int8, floor float32) map[int]float32 {
	scores := make(map[int]float32)
	for _, h := range kernel(i).scan(codes, scales, query, floor, make([]rowHit, len(scales))) {
		scores[int(h.row)] = h.score
	}
	return scores
}

// Shape returns the rows of each block, dead ones included.
func (v *View) Shape() []int {
	var rows []int
	for _, b := range v.blocks {
		rows = append(rows, len(b.keys))
	}
	return rows
}

// Read reads all codes once, in one sequential stream: no byte of codes is 0x00, so
// IndexByte reads to the end. It returns the bytes read.
func (v *View) Read() int {
	n := 0
	for _, b := range v.blocks {
		if bytes.IndexByte(b.codes, 0) >= 0 {
			panic("a byte without codes")
		}
		n += len(b.codes)
	}
	return n
}
