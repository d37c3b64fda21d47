import assert from "node:assert/strict";
import { test } from "node:test";
import { readMemento, readMessage } from "../../src/core/messages";

test("messages of the page are read", () => {
  for (const m of [
    { type: "ready" },
    { type: "painted", seq: 3 },
    { type: "open", id: "x", aside: true },
    { type: "pin", id: "x" },
    { type: "budget", budget: 4000 },
    { type: "format", format: "xml" },
    { type: "follow", follow: true },
    { type: "restart" },
    { type: "settings" },
    { type: "output" },
    { type: "ask", query: "how" },
    { type: "remedy", index: 1 },
    { type: "move" },
  ]) {
    assert.deepEqual(readMessage(m), m);
  }
});

test("anything else is refused", () => {
  for (const m of [
    undefined,
    null,
    "ready",
    {},
    { type: "toString" },
    { type: "open" },
    { type: "open", id: "x".repeat(5000) },
    { type: "budget", budget: 1 },
    { type: "budget", budget: "4000" },
    { type: "budget", budget: 4000.5 },
    { type: "format", format: "html" },
    { type: "follow", follow: "yes" },
    { type: "painted", seq: -1 },
  ]) {
    assert.equal(readMessage(m), undefined, JSON.stringify(m));
  }
});

test("a memento keeps all fields", () => {
  const m = {
    question: { type: "place", uri: "file:///w/a.go", position: { line: 1, character: 2 } },
    budget: 4000,
    format: "xml",
    follow: true,
    pinned: [{ id: "x", identifier: "X", path: "a.go" }],
    dropped: [],
  };
  assert.deepEqual(readMemento(JSON.parse(JSON.stringify(m))), m);
});

test("broken fields of a memento get their defaults, and without a question there is no memento", () => {
  const got = readMemento({ question: { type: "words", query: "how" }, budget: 1, format: "html", follow: 1, pinned: [{ id: 1 }], dropped: "x" });
  assert.deepEqual(got, { question: { type: "words", query: "how" }, budget: undefined, format: "markdown", follow: false, pinned: [], dropped: [] });
  assert.equal(readMemento({ question: { type: "place", uri: "file:///w/a.go", position: { line: -1, character: 0 } } }), undefined);
  assert.equal(readMemento(null), undefined);
});
