import assert from "node:assert/strict";
import { test } from "node:test";
import type { FolderState, StateName } from "../../src/core/protocol";
import { combine, describe, sized } from "../../src/core/status";

const folder = (state: StateName, files: number, pending: number, message = ""): FolderState => ({ folder: `file:///${state}`, state, generation: 1, files, pending, message });

test("the numbers of folders add up, and the most urgent state wins", () => {
  assert.deepEqual(combine([folder("ready", 10, 0), folder("indexing", 5, 7), folder("paused", 1, 1)]), { state: "indexing", generation: 3, files: 16, pending: 8, message: "" });
  assert.deepEqual(combine([folder("ready", 10, 0), folder("error", 0, 0, "no space")]), { state: "error", generation: 2, files: 10, pending: 0, message: "no space" });
  assert.equal(combine([]).state, "starting");
});

test("a status has a sentence", () => {
  assert.equal(describe(combine([folder("ready", 1234, 0)])).sentence, "The index is ready: 1,234 files.");
  assert.equal(describe(combine([folder("indexing", 1, 1)])).sentence, "Indexing 1 file. Answers use the files indexed so far.");
  assert.equal(describe(combine([{ ...folder("indexing", 1, 1), done: 3237, total: 11_478 }])).sentence, "Indexing 3,237 of 11,478 files. Answers use the files indexed so far.");
  assert.deepEqual(describe({ state: "stopped", generation: 0, files: 0, pending: 0, message: "No server." }), { icon: "circle-slash", text: "Ambit", sentence: "No server.", severity: "error" });
});

test("sizes have units", () => {
  assert.deepEqual([0, 999, 1000, 123_456, 5_250_000, 2e12].map(sized), ["0 bytes", "999 bytes", "1.0 kB", "123 kB", "5.3 MB", "2,000 GB"]);
});
