package watch

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"syscall"
	"time"
)

// memory is what directories held when they were last listed, by their paths. A scan does not list
// a directory again that has not changed since: half of the time of a scan of 200,000 files went
// into the listings, the rest into the sizes and times of the files, which it always reads.
//
// It is a file of its own beside the index, and says nothing about the index. A scan that
// cannot read it lists all directories.
//
// Source: git's untracked cache (https://git-scm.com/docs/git-update-index, "Untracked cache").
type memory map[string]remembered

// remembered is one directory:
//
//	length of the path | path | identity | length of the entries | entries
//	entry: length of the name << 2 | kind | name
//
// The numbers outside of the identity are varints. The entries are in the order of a listing.
type remembered struct {
	record  []byte // all of it
	is      identity
	entries []byte
}

// identity tells one state of one directory from all others: whatever is made, renamed or removed
// in a directory changes the two times, of which no program can set the second one.
type identity struct{ inode, modTime, changeTime uint64 }

// maxMemory bounds the file, in bytes: directories that do not fit are not remembered. A
// test sets it.
var maxMemory = 64 << 20

const (
	memoryHead  = "ambit directories 1\n"
	sealBytes   = 4 // of a CRC-32C of all before it, at the end of the file
	identityLen = 3 * 8
)

// settledAfter is how long a directory must not have changed before its state can be relied on: a
// second change within the same tick of the clock of the file system would not show. The coarsest
// clock, that of FAT, ticks every two seconds.
const settledAfter = 2 * time.Second

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readMemory returns what the file at path says, nothing if there is none that is sound.
func readMemory(path string) memory {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe would wait for a writer
	if err != nil {
		return nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() < int64(len(memoryHead)+sealBytes) || info.Size() > int64(maxMemory) {
		return nil
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(file, data); err != nil {
		return nil
	}
	body, seal := data[:len(data)-sealBytes], data[len(data)-sealBytes:]
	if string(body[:len(memoryHead)]) != memoryHead || crc32.Checksum(body, castagnoli) != binary.LittleEndian.Uint32(seal) {
		return nil
	}
	m := memory{}
	for body = body[len(memoryHead):]; len(body) > 0; {
		path, r, ok := parseRemembered(body)
		if !ok {
			return nil
		}
		m[path], body = r, body[len(r.record):]
	}
	return m
}

// parseRemembered returns the first record of some; ok is false for anything else.
func parseRemembered(b []byte) (path string, r remembered, ok bool) {
	name, rest, ok := cutBytes(b)
	if !ok || len(rest) < identityLen {
		return "", remembered{}, false
	}
	for i, n := range []*uint64{&r.is.inode, &r.is.modTime, &r.is.changeTime} {
		*n = binary.LittleEndian.Uint64(rest[8*i:])
	}
	if r.entries, rest, ok = cutBytes(rest[identityLen:]); !ok {
		return "", remembered{}, false
	}
	r.record = b[:len(b)-len(rest)]
	return string(name), r, true
}

// cutBytes returns the bytes behind their length, and those behind them.
func cutBytes(b []byte) (part, rest []byte, ok bool) {
	n, head := binary.Uvarint(b)
	if head <= 0 || n > uint64(len(b)-head) {
		return nil, nil, false
	}
	b = b[head:]
	return b[:n:n], b[n:], true
}

// The kinds of an entry.
const (
	kindOther = iota
	kindFile
	kindDir
)

// record returns what l holds as the record of a directory whose path is "" or ends in "/".
func (l *listing) record(path string, is identity) []byte {
	entries := make([]byte, 0, len(l.paths)-len(l.entries)*(len(path)-1))
	for i := range l.entries {
		kind := kindOther
		switch e := &l.entries[i]; {
		case e.isDir:
			kind = kindDir
		case e.isRegular:
			kind = kindFile
		}
		name := l.nameIn(path, i)
		entries = append(binary.AppendUvarint(entries, uint64(len(name)<<2|kind)), name...)
	}
	r := make([]byte, 0, binary.MaxVarintLen64+len(path)+identityLen+binary.MaxVarintLen64+len(entries))
	r = append(binary.AppendUvarint(r, uint64(len(path))), path...)
	for _, n := range []uint64{is.inode, is.modTime, is.changeTime} {
		r = binary.LittleEndian.AppendUint64(r, n)
	}
	return append(binary.AppendUvarint(r, uint64(len(entries))), entries...)
}

// recall fills l with the entries of a record. It returns false for anything else.
func (l *listing) recall(entries []byte, path string) bool {
	l.reset()
	for len(entries) > 0 {
		head, n := binary.Uvarint(entries)
		if n <= 0 || head>>2 > uint64(len(entries)-n) {
			return false
		}
		name := entries[n : n+int(head>>2)]
		l.add(path, name, listed{isDir: head&3 == kindDir, isRegular: head&3 == kindFile})
		entries = entries[n+len(name):]
	}
	l.paths = string(l.memory)
	return true
}

// remember writes the memory of a scan when a good part of it is new. The next scan lists more when
// that fails.
func (s *scan) remember(top *folder) {
	if s.f.memory == "" || s.refused != nil { // another scan may be writing it
		return
	}
	const share = 50 // writing costs as much as listing one directory in so many
	total, fresh := top.remembered()
	if fresh*share <= total {
		return
	}
	if err := writeMemory(s.f.memory, top); err != nil {
		s.f.log.Debug("directories not remembered", "file", s.f.memory, "err", err)
	}
}

// remembered returns how many directories of d are remembered, and how many of them were listed
// by this scan.
func (d *folder) remembered() (total, fresh int) {
	if d.record != nil {
		total = 1
	}
	if d.listed {
		fresh = total
	}
	for _, sub := range d.folders {
		t, f := sub.remembered()
		total, fresh = total+t, fresh+f
	}
	return total, fresh
}

// writeMemory writes the file at path for the user alone, all or nothing. What a process that was
// killed has left of it is written over; of two scans that write at once the sum is wrong.
func writeMemory(path string, top *folder) error {
	next, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	sum := crc32.New(castagnoli)
	to, size := io.MultiWriter(next, sum), len(memoryHead)+sealBytes
	_, err = io.WriteString(to, memoryHead)
	var write func(d *folder)
	write = func(d *folder) {
		if err == nil && size+len(d.record) <= maxMemory {
			size += len(d.record)
			_, err = to.Write(d.record)
		}
		for _, sub := range d.folders {
			write(sub)
		}
	}
	write(top)
	if err == nil {
		_, err = next.Write(binary.LittleEndian.AppendUint32(nil, sum.Sum32()))
	}
	if closeErr := next.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(next.Name(), path)
	}
	if err != nil {
		os.Remove(next.Name())
	}
	return err
}
