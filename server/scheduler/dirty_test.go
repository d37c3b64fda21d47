package scheduler

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

func paths(d *dirtySet) []record.Path {
	found, _ := d.recent(100)
	return found
}

func checkPaths(t *testing.T, d *dirtySet, what string, want ...record.Path) {
	t.Helper()
	if got := paths(d); !slices.Equal(got, want) {
		t.Errorf("%s the set has %q, want %q", what, got, want)
	}
}

func TestLatestPathComesFirst(t *testing.T) {
	var d dirtySet
	for _, p := range []record.Path{"a", "b", "c", "a"} {
		d.add(p)
	}
	checkPaths(t, &d, "at first", "a", "c", "b")
	if found, others := d.recent(2); len(found) != 2 || others != 1 {
		t.Errorf("the latest two are %q and %d others, want one other", found, others)
	}
}

func TestPathStaysUntilItsLatestChangeIsIndexed(t *testing.T) {
	var d dirtySet
	d.add("a")
	d.add("b")
	j, _ := d.begin()
	j = d.planned(j, []pipeline.Change{{Path: "a"}, {Path: "b"}})
	d.add("b") // while the job reads it
	d.indexed(j, &record.Batch{Files: []record.FileRecord{{File: record.File{Path: "a"}}, {File: record.File{Path: "b"}}}})
	checkPaths(t, &d, "after the batch", "b")
	d.finished(j)
	checkPaths(t, &d, "after the job", "b")
	j, _ = d.begin()
	d.finished(d.planned(j, nil)) // the index has b already
	if !d.empty() {
		t.Errorf("the set has %q, want nothing", paths(&d))
	}
}

func TestFailedJobKeepsItsPaths(t *testing.T) {
	var d dirtySet
	d.add("a")
	j, _ := d.begin()
	d.planned(j, []pipeline.Change{{Path: "a"}})
	again, ok := d.begin()
	if !ok || !slices.Equal(again.paths, []record.Path{"a"}) {
		t.Errorf("the next job has %q, %t; want a", again.paths, ok)
	}
}

func TestScanAddsTheLatestWrittenFilesFirst(t *testing.T) {
	var d dirtySet
	d.add("")
	yes, scanned := d.unscanned()
	if !yes {
		t.Fatal("the set does not report the requested scan")
	}
	j, _ := d.begin()
	d.add("c") // after the scan has read it
	d.planned(j, []pipeline.Change{
		{Path: "a", Entry: watch.Entry{ModTime: 2}}, {Path: "b", Entry: watch.Entry{ModTime: 1}}, {Path: "c", Entry: watch.Entry{ModTime: 3}},
	})
	checkPaths(t, &d, "after the scan", "c", "a", "b")
	select {
	case <-scanned:
	default:
		t.Error("the channel is still open after the scan")
	}
	if yes, _ := d.unscanned(); yes {
		t.Error("the set still requests a scan")
	}
}

func TestIgnoreFileOrTooManyPathsRequestAScan(t *testing.T) {
	for _, name := range []record.Path{".gitignore", "sub/.ambitignore", ".gitmodules", ""} {
		var d dirtySet
		d.add(name)
		if yes, _ := d.unscanned(); !yes {
			t.Errorf("%q requests no scan", name)
		}
	}
	var d dirtySet
	for i := range maxDirty {
		d.add(record.Path(fmt.Sprint(i)))
	}
	if yes, _ := d.unscanned(); yes {
		t.Error("a set that is not full requests a scan")
	}
	d.add("1")
	if yes, _ := d.unscanned(); yes {
		t.Error("a known path requests a scan")
	}
	d.add("one more")
	j, _ := d.begin()
	if j.scan == 0 {
		t.Fatal("a full set requests no scan")
	}
	d.add("another") // the scan may have passed it
	d.planned(j, nil)
	if yes, _ := d.unscanned(); !yes {
		t.Error("a path added to a full set during a scan requests no second scan")
	}
}

func TestFirstScanWaitsForNoQuiet(t *testing.T) {
	var d dirtySet
	d.scan()
	if wait := d.wait(time.Now()); wait > 0 {
		t.Errorf("the scan at the start waits for %v", wait)
	}
	if j, any := d.begin(); !any || j.scan == 0 {
		t.Errorf("the job at the start is %+v, want a scan", j)
	}
}

func TestChangeWaitsForQuietUpToMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d dirtySet
		d.add("a")
		if got := d.wait(time.Now()); got != quietPeriod {
			t.Errorf("one change waits %v, want %v", got, quietPeriod)
		}
		start := time.Now()
		for d.wait(time.Now()) > 0 { // one change after the other
			time.Sleep(quietPeriod / 2)
			d.add("a")
		}
		if took := time.Since(start); took < maxWait || took > maxWait+quietPeriod {
			t.Errorf("a stream of changes waits %v, want %v", took, maxWait)
		}
		d.begin()
		if got := d.wait(time.Now()); got > 0 {
			t.Errorf("the paths of a job wait %v", got)
		}
	})
}
