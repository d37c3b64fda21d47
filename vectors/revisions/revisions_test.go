package revisions_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
	"ambit/vectors/revisions"
)

// table is a Table in memory.
type table map[string][]byte

func (t table) Get(key []byte) ([]byte, error) { return t[string(key)], nil }
func (t table) Put(key, value []byte) error    { t[string(key)] = slices.Clone(value); return nil }
func (t table) Delete(key []byte) error        { delete(t, string(key)); return nil }
func (t table) Scan(from []byte, fn func(key, value []byte) (bool, error)) error {
	for _, key := range slices.Sorted(maps.Keys(t)) {
		if key < string(from) {
			continue
		}
		if more, err := fn([]byte(key), t[key]); err != nil || !more {
			return err
		}
	}
	return nil
}

func newCache() *revisions.Cache {
	return &revisions.Cache{Values: table{}, Numbers: table{}, Counts: &revisions.Counts{Next: 1}}
}

// add keeps revision n of a path, with a footprint of 100 bytes.
func add(t *testing.T, c *revisions.Cache, path record.Path, n byte) {
	t.Helper()
	r := revisions.Revision{ID: revisions.ID{Path: path, Hash: record.Hash{n}}, File: record.Key(n), Footprint: 100, Value: fmt.Appendf(nil, "%s %d", path, n)}
	if ok, err := c.Add(&r); !ok || err != nil {
		t.Fatalf("Add = %t, %v", ok, err)
	}
}

// values returns the values of the revisions of a path.
func values(t *testing.T, c *revisions.Cache, path record.Path) (list []string) {
	t.Helper()
	err := c.Of(path, nil, func(r revisions.Revision) (bool, error) {
		list = append(list, string(r.Value))
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTheRevisionsOfAPathComeLatestFirst(t *testing.T) {
	c := newCache()
	add(t, c, "a", 2)
	add(t, c, "a", 1)
	add(t, c, "ab", 3)
	if diff := cmp.Diff([]string{"a 1", "a 2"}, values(t, c, "a")); diff != "" {
		t.Errorf("Of (-want +got):\n%s", diff)
	}
	r, ok, err := c.Get(revisions.ID{Path: "a", Hash: record.Hash{2}})
	if !ok || err != nil || string(r.Value) != "a 2" || r.File != 2 {
		t.Errorf("Get = %+v, %t, %v", r, ok, err)
	}
	if err := c.Remove(&r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(revisions.Counts{Next: 4, N: 2, Bytes: 200}, *c.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestTrimDropsTheOldest(t *testing.T) {
	c := newCache()
	for n := range byte(10) {
		add(t, c, "a", n)
	}
	var dropped []record.Key
	err := c.Trim(320, func(r *revisions.Revision) error {
		dropped = append(dropped, r.File)
		return nil
	})
	if diff := cmp.Diff([]record.Key{0, 1, 2, 3, 4, 5, 6}, dropped); diff != "" || err != nil {
		t.Errorf("dropped (-want +got), %v:\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"a 9", "a 8", "a 7"}, values(t, c, "a")); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestADamagedRevisionIsErrDamaged(t *testing.T) {
	c := newCache()
	add(t, c, "a", 1)
	whole := c.Values.(table)["\x00\x00\x00\x01"]
	for n := range whole[:len(whole)-len("a 1")] {
		c.Values.(table)["\x00\x00\x00\x01"] = whole[:n]
		if _, _, err := c.Get(revisions.ID{Path: "a", Hash: record.Hash{1}}); !errors.Is(err, revisions.ErrDamaged) {
			t.Errorf("cut at %d: %v, want %v", n, err, revisions.ErrDamaged)
		}
	}
}
