package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"ambit/vectors/pages"
	"ambit/vectors/record"
)

// ReadUnlocked calls read with the latest state of the file at path, whose pages have
// been checked, without its lock: another process may have it open. It returns
// [ErrCorrupt], the error of read, and [ErrChanged] when the file was written to
// meanwhile.
func ReadUnlocked(path string, read func(s *pages.State, file *os.File) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	s, err := pages.Latest(file)
	if err != nil {
		return Explain(err)
	}
	if err = s.Check(); err == nil {
		err = read(s, file)
	}
	if err = Explain(err); !s.Unchanged() {
		err = errors.Join(err, ErrChanged)
	}
	return err
}

// ReadFiles returns the files of the index at path, by path, without its lock. It returns
// [ErrFormat], [ErrModel] and [ErrRecipe] when Open would with the same options, and the
// errors of [ReadUnlocked].
func ReadFiles(path string, o Options) (files []record.Row, err error) {
	err = ReadUnlocked(path, func(s *pages.State, _ *os.File) error {
		files, err = readFiles(path, s, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look into index %s: %w", path, err)
	}
	return files, nil
}

func readFiles(path string, s *pages.State, o Options) (files []record.Row, err error) {
	values, err := metaUnlocked(s)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(values[keyVersion]); err != nil {
		return nil, err
	}
	st, ok := decodeState(values[keyState])
	if !ok {
		return nil, corruptf("bad state")
	}
	if err := st.suits(o); err != nil {
		return nil, err
	}
	layers, err := decodeLayers(values[keyLayers])
	if err != nil {
		return nil, err
	}
	rows := map[record.Path][]byte{}
	if err := rowsUnlocked(s, rows); err != nil {
		return nil, err
	}
	for i := range layers {
		if err := layers[i].rows(path, rows); err != nil {
			return nil, err
		}
	}
	var all record.Rows
	for _, at := range slices.Sorted(maps.Keys(rows)) {
		if rows[at] == nil {
			continue
		}
		f, ok := all.Add([]byte(at), rows[at])
		if !ok {
			return nil, corruptf("bad row of %q", at)
		}
		files = append(files, f)
	}
	if uint64(len(files)) != st.files {
		err = corruptf("%d files instead of %d", len(files), st.files)
	}
	return files, err
}

// metaUnlocked returns the table of version, state and layers.
func metaUnlocked(s *pages.State) (map[string][]byte, error) {
	values := map[string][]byte{}
	err := eachUnlocked(s, tableMeta, func(key, value []byte) error {
		values[string(key)] = bytes.Clone(value)
		return nil
	})
	return values, err
}

// rowsUnlocked adds the rows of one file table to those of the files above it, nil for a
// path that is gone.
func rowsUnlocked(s *pages.State, rows map[record.Path][]byte) error {
	last := record.Path("")
	return eachUnlocked(s, tableFiles, func(key, value []byte) error {
		at := record.Path(key)
		if at <= last {
			return corruptf("bad row of %q", key)
		}
		last = at
		if _, above := rows[at]; !above {
			rows[at] = bytes.Clone(value)
		}
		return nil
	})
}

// rows is rowsUnlocked for a layer of the index at path.
func (l *layer) rows(path string, rows map[record.Path][]byte) error {
	file, err := l.openFile(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := l.check(file)
	if err != nil {
		return err
	}
	return rowsUnlocked(s, rows)
}

// eachUnlocked calls fn with the pairs of a table, in order, the values without their
// seals, nil for one that is gone.
func eachUnlocked(s *pages.State, tb table, fn func(key, value []byte) error) error {
	return s.Each(tableNames[tb], func(key, value []byte) error {
		value, err := unseal(tb, key, value)
		if err != nil {
			return err
		}
		return fn(key, value)
	})
}

// Reset removes from a copied index everything that is true only of the workspace of the
// original at origin: the times of files, the history and the counters.
func (db *DB) Reset(ctx context.Context, origin string) error {
	db.write.Lock()
	defer db.write.Unlock()
	return db.update(ctx, func(t *txn) error {
		if err := t.voidTimes(); err != nil {
			return err
		}
		if err := t.deleteBlob(historyBlob()); err != nil {
			return err
		}
		st, err := t.state()
		if err != nil {
			return err
		}
		st.clonedFrom, st.embedded, st.kept, st.recalled = origin, 0, 0, 0
		return t.putState(&st)
	})
}
