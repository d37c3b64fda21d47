package graph

import (
	"encoding/binary"
	"hash/crc32"
)

// Seal appends the checksum of a snapshot, so that a test reaches the checks behind it.
func Seal(data []byte) []byte {
	return binary.LittleEndian.AppendUint32(data[:len(data):len(data)], crc32.Checksum(data, castagnoli))
}
