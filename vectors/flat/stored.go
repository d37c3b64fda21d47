package flat

import (
	"context"
	"runtime"
	"slices"

	"ambit/vectors/record"
)

// scanStored is scan for the rows of Options.Stored. Each thread copies them into a block,
// which is scanned when it is full: the rows of a file are too few for a call of the kernel,
// and the memory of a file may go while the kernel reads it. Rows without a vector come along,
// and are no hits.
func (v *View) scanStored(ctx context.Context, query []int8, size int, o Options) ([]topK, error) {
	threads := min(runtime.GOMAXPROCS(0), maxThreads)
	heaps, blocks := make([]topK, threads), make([]*block, threads)
	for t := range threads {
		heaps[t] = topK{size: size, keep: v.keepStored(o.Keep), tie: o.Tie}
		blocks[t] = newBlock(maxRows, v.stride)
	}
	err := o.Stored.EachCodesBy(ctx, threads, func(t int, first record.Key, codes []byte, scales []float32) error {
		for b := blocks[t]; len(scales) > 0; {
			n := min(len(scales), maxRows-len(b.keys))
			for i := range n {
				b.keys = append(b.keys, first+record.Key(i))
			}
			b.scales, b.codes = append(b.scales, scales[:n]...), v.appendCodes(b.codes, codes[:n*v.bytes])
			first, scales, codes = first+record.Key(n), scales[n:], codes[n*v.bytes:]
			if len(b.keys) == maxRows {
				v.scanBlock(ctx, b, query, maxRows, &heaps[t])
				b.keys, b.scales, b.codes = b.keys[:0], b.scales[:0], b.codes[:0]
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for t, b := range blocks {
		v.scanBlock(ctx, b, query, maxRows, &heaps[t])
	}
	return heaps, nil
}

// appendCodes appends the codes of rows as the kernels read them.
func (v *View) appendCodes(to, codes []byte) []byte {
	if len(v.padding) == 0 {
		return append(to, codes...)
	}
	for row := range slices.Chunk(codes, v.bytes) {
		to = append(append(to, row...), v.padding...)
	}
	return to
}

// keepStored returns keep for the rows that the view has not dropped.
func (v *View) keepStored(keep func(record.Key) bool) func(record.Key) bool {
	if len(v.gone) == 0 {
		return keep
	}
	return func(k record.Key) bool {
		after, _ := slices.BinarySearchFunc(v.gone, k, func(r record.KeyRange, k record.Key) int {
			if r.First <= k {
				return -1
			}
			return 1
		})
		return (after == 0 || !v.gone[after-1].Contains(k)) && (keep == nil || keep(k))
	}
}
