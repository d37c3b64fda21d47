import assert from "node:assert/strict";
import { test } from "node:test";
import { NotYet, openFile, problemOf } from "../../src/core/problem";

const titles = (message: string): string[] => problemOf(new Error(message)).remedies.map((r) => r.title);

test("messages for the command line become those for VS Code, with a button that does the next step", () => {
  const large = "invalid question: a.txt is not indexed (too large); ambit status lists what is left out and why";
  assert.equal(problemOf(large).text, "invalid question: a.txt is not indexed (too large). The setting ambit.maxFileBytes is the limit.");
  assert.deepEqual(titles(large), ["Change the Limit", "Show Index Status"]);
  assert.deepEqual(titles("a.bin is not indexed (binary); ambit status lists what is left out and why"), ["Show Index Status"]);
  const cache = "make the cache directory /x: permission denied; set XDG_CACHE_HOME or the setting cacheDir to a directory you can write";
  assert.equal(problemOf(cache).text, "make the cache directory /x: permission denied. Name a directory that you can write in the setting ambit.cacheDir.");
  assert.deepEqual(titles(cache), ["Open Settings"]);
  assert.deepEqual(titles("no folder is open; open one"), ["Open a Folder…"]);
});

test("other messages stay as they are", () => {
  assert.deepEqual(problemOf(new Error("position is beyond the end")), { text: "position is beyond the end", remedies: [] });
  assert.deepEqual(problemOf(new NotYet("Open a file.", openFile)), { text: "Open a file.", remedies: [openFile] });
});
