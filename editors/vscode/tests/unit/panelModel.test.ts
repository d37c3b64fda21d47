import assert from "node:assert/strict";
import { test } from "node:test";
import { PanelModel } from "../../src/core/panelModel";
import type { ContextAnswer } from "../../src/core/protocol";
import { stopped } from "../../src/core/status";

const outside = { id: "o", identifier: "O", path: "pflag@v1.0.9/flag.go", uri: "file:///mod/pflag@v1.0.9/flag.go", package: "pflag@v1.0.9" };
const source = (id: string) => ({ id, identifier: id.toUpperCase(), path: `${id}.go`, uri: `file:///w/${id}.go` });
const answer = { budget: 4000, freshness: { generation: 1, pending: 0, state: "ready" }, sources: [source("a"), source("b")], omitted: [source("c")] } as unknown as ContextAnswer;
const pathOf = (uri: string): string => uri.replace("file:///w/", "shop/");
const asked = (): PanelModel => {
  const m = new PanelModel("xml", false);
  m.question = { type: "place", uri: "file:///w/a.go", position: { line: 6, character: 2 } };
  m.answer = answer;
  return m;
};

test("the parameters have the question, the budget and the choices", () => {
  const m = asked();
  m.toggle("pin", "a");
  m.toggle("drop", "c");
  assert.deepEqual(m.params, { textDocument: { uri: "file:///w/a.go" }, position: { line: 6, character: 2 }, format: "xml", pin: ["a"], drop: ["c"] });
  m.question = { type: "words", query: "how" };
  m.budget = 2000;
  m.clearChoices();
  assert.deepEqual(m.params, { query: "how", budget: 2000, format: "xml", pin: [], drop: [] });
});

test("a second pin undoes the first, and a drop replaces a pin", () => {
  const m = asked();
  m.toggle("pin", "a");
  m.toggle("pin", "a");
  assert.deepEqual(m.params.pin, []);
  m.toggle("pin", "a");
  m.answer = undefined; // the choice is known without the answer
  m.toggle("drop", "a");
  assert.deepEqual([m.params.pin, m.params.drop], [[], ["a"]]);
  m.toggle("pin", "unknown");
  assert.deepEqual(m.params.pin, []);
});

test("a restored panel asks the same question", () => {
  const m = asked();
  m.toggle("pin", "b");
  m.budget = 2000;
  const other = new PanelModel("markdown", true);
  assert.equal(other.memento, undefined);
  other.restore(JSON.parse(JSON.stringify(m.memento)));
  assert.deepEqual([other.params, other.memento], [m.params, m.memento]);
});

test("the page gets the paths as the user knows them, and a title", () => {
  const m = asked();
  const state = m.painting(3, stopped, pathOf);
  assert.deepEqual([state.seq, state.title, state.place, state.budget], [3, "a.go", "shop/a.go:7", 4000]);
  assert.deepEqual(state.answer?.sources.map((s) => s.path), ["shop/a.go", "shop/b.go"]);
  m.answer = { ...answer, sources: [outside] } as unknown as ContextAnswer;
  assert.equal(m.painting(3, stopped, pathOf).answer?.sources[0]?.path, outside.path);
  m.question = { type: "words", query: "how" };
  m.answer = undefined;
  const words = m.painting(4, stopped, pathOf);
  assert.deepEqual([words.title, words.place, words.budget], ["how", "", 8000]);
});

test("all reasons are shown once, with the answer to that question", () => {
  const m = asked();
  const explained = (seq: number): boolean => m.painting(seq, stopped, pathOf).explainAll;
  m.explainAll = true;
  m.busy = true;
  assert.equal(explained(1), false, "the answer is that of the question before");
  m.busy = false;
  assert.equal(explained(2), true);
  m.painted(1);
  assert.equal(explained(3), true, "the page has not painted it yet");
  m.painted(3);
  assert.equal(explained(4), false);
});

test("a source that the answer no longer has is an error", () => {
  assert.equal(asked().source("b").identifier, "B");
  assert.throws(() => asked().source("c"), /choose again/);
});

test("the choices count for another answer about the same symbol or the same words", () => {
  const m = asked();
  const about = (path: string, start_line: number): ContextAnswer => ({ ...answer, symbol: { path, start_line } }) as ContextAnswer;
  m.answer = about("a.go", 7);
  assert.equal(m.choicesFor(about("a.go", 7), undefined), undefined, "nothing is chosen");
  m.toggle("pin", "a");
  m.toggle("drop", "b");
  assert.deepEqual(m.choicesFor(about("a.go", 7), undefined), { pin: ["a"], drop: ["b"] });
  assert.equal(m.choicesFor(about("a.go", 9), undefined), undefined);
  assert.equal(m.choicesFor(answer, "how"), undefined);
  m.question = { type: "words", query: "how" };
  m.answer = answer;
  assert.deepEqual(m.choicesFor(answer, "how"), { pin: ["a"], drop: ["b"] });
  assert.equal(m.choicesFor(answer, "why"), undefined);
});
