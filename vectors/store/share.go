package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"ambit/vectors/pages"
	"ambit/vectors/record"
)

// Share makes the file of the index at path a layer, on which a small new file lies that
// takes its name; a copy of the index then needs only that small file, see [LinkLayers].
// It does nothing for an index that has as many layers as one may have, or little above
// them. The new file is begun at temporary, an empty file in the same folder.
//
// No other process may have the index open. It returns the errors of [Open] and of the
// system; the index then holds what it held. The layer keeps no times of files: they are
// those of one workspace.
func Share(ctx context.Context, path, temporary string, o Options) error {
	if err := share(ctx, path, temporary, o); err != nil {
		return fmt.Errorf("share index %s: %w", path, Explain(err))
	}
	return nil
}

func share(ctx context.Context, path, temporary string, o Options) error {
	rows, st, layers, err := release(ctx, path, o)
	if err != nil || rows == nil {
		return err
	}
	top, err := layerAt(path)
	if err != nil {
		return err
	}
	if err := beginAbove(ctx, temporary, append([]layer{top}, layers...), rows, st, o); err != nil {
		return err
	}
	if err := os.Link(path, top.path(path)); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Remove(top.path(path)))
	}
	return syncDir(filepath.Dir(path))
}

// layerShare is how small a part of the layers below it a layer may be.
const layerShare = 8

// row is one row of the file table.
type row struct{ path, value []byte }

// release voids the times of the files of an index, and returns its rows with the times,
// its state and its layers. The rows are nil for an index that gets no further layer.
func release(ctx context.Context, path string, o Options) (rows []row, st state, layers []layer, err error) {
	db, err := Open(path, o)
	if err != nil {
		return nil, state{}, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if len(db.layers) >= maxLayers {
		return nil, state{}, nil, nil
	}
	db.write.Lock()
	defer db.write.Unlock()
	err = db.update(ctx, func(t *txn) error {
		if t.bolt.Size() < t.bytesBelow()/layerShare {
			return nil
		}
		files, err := t.files()
		if err != nil {
			return err
		}
		rows = make([]row, 0, len(files))
		for i := range files {
			rows = append(rows, row{[]byte(files[i].Path()), files[i].Value()})
		}
		if st, err = t.state(); err != nil {
			return err
		}
		return t.voidTimes()
	})
	return rows, st, db.layers, err
}

// copied is the time of modification of a file whose record is in a copy of an index, until
// the workspace of the copy is found to hold the same bytes. No file of a workspace has it: it
// is a nanosecond before 1970, and 0 stands for a time that is too young to be trusted.
const copied = -1

// voidTimes makes every file one that the workspace of the index may not hold.
func (t *txn) voidTimes() error {
	files, err := t.files()
	if err != nil {
		return err
	}
	for i := range files {
		f := files[i].File()
		f.ModTime = copied
		if err := t.put(tableFiles, []byte(f.Path), record.AppendRow(nil, &f)); err != nil {
			return err
		}
	}
	return nil
}

// layerAt returns the layer that the file at path becomes.
func layerAt(path string) (layer, error) {
	file, err := os.Open(path)
	if err != nil {
		return layer{}, err
	}
	s, err := pages.Latest(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return layer{}, err
	}
	return newLayer(s), nil
}

// beginAbove begins an index on layers at path, an empty file. Rows and st are those of the
// uppermost layer.
func beginAbove(ctx context.Context, path string, layers []layer, rows []row, st state, o Options) (err error) {
	db, err := Open(path, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.write.Lock()
	defer db.write.Unlock()
	db.bolt.AllocSize = layeredAllocBytes
	return db.update(ctx, func(t *txn) error {
		if err := t.put(tableMeta, []byte(keyLayers), encodeLayers(layers)); err != nil {
			return err
		}
		for _, r := range rows {
			if err := t.put(tableFiles, r.path, r.value); err != nil {
				return err
			}
		}
		st.id = db.id
		return t.putState(&st)
	})
}

// syncDir makes the names in a folder survive a loss of power. Windows has no such call.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// LinkLayers gives the copy at path of the index at from its layers, by hard links. They
// are in the folder of path afterwards.
func LinkLayers(path, from string) error {
	layers, err := layersOf(path)
	for i := 0; err == nil && i < len(layers); i++ {
		l := &layers[i]
		if err = os.Link(l.path(from), l.path(path)); errors.Is(err, fs.ErrExist) {
			err = nil // of an earlier try; Open looks into it
		}
	}
	if err != nil {
		return fmt.Errorf("link the layers of %s: %w", from, Explain(err))
	}
	return nil
}

// layersOf returns the layers of an index, without its lock.
func layersOf(path string) (layers []layer, err error) {
	err = ReadUnlocked(path, func(s *pages.State, _ *os.File) error {
		values, err := metaUnlocked(s)
		if err == nil {
			layers, err = decodeLayers(values[keyLayers])
		}
		return err
	})
	return layers, err
}
