import assert from "node:assert/strict";
import { test } from "node:test";
import { picture } from "../../src/core/graph";
import type { ContextAnswer, Source } from "../../src/core/protocol";

const symbol = { name: "b", identifier: "b", kind: "function", path: "a.go", start_line: 1, end_line: 2 };
const source = (identifier: string, role: string): Source => ({ id: `id-${identifier}`, identifier, role }) as Source;
const answer = (dependencies: ContextAnswer["dependencies"], sources: Source[] = []) => ({ symbol, dependencies, sources });

test("users are to the left, used symbols to the right", () => {
  const p = picture(answer([{ from: "a", to: "b", kind: "calls" }, { from: "b", to: "c", kind: "calls" }, { from: "x", to: "y", kind: "calls" }]), 600);
  assert.deepEqual(p?.nodes.map((n) => [n.name, n.role]), [["a", "user"], ["b", "center"], ["c", "used"]]);
  const [a, b, c] = p?.nodes ?? [];
  assert.ok(a && b && c && a.x < b.x && b.x < c.x && a.y === b.y);
  assert.equal(p?.text, "b is used by a (calls). b uses c (calls).");
});

test("in a narrow panel users are above, used symbols below", () => {
  const p = picture(answer([{ from: "a", to: "b", kind: "calls" }, { from: "b", to: "c", kind: "calls" }]), 200);
  const [a, b, c] = p?.nodes ?? [];
  assert.ok(a && b && c && a.y < b.y && b.y < c.y);
});

test("edges between the same two symbols are joined, and the role places sources without an edge", () => {
  const p = picture(answer([{ from: "b", to: "c", kind: "calls" }, { from: "b", to: "c", kind: "reads" }], [source("c", "uses"), source("d", "used by")]), 600);
  assert.deepEqual(p?.nodes.map((n) => [n.name, n.kinds, n.id]), [["d", "", "id-d"], ["b", "", ""], ["c", "calls, reads", "id-c"]]);
});

test("only the most relevant neighbours are shown", () => {
  const fields = Array.from({ length: 8 }, (_, i) => ({ from: "b", to: `field${i}`, kind: "reads" }));
  const p = picture(answer([...fields, { from: "b", to: "helper", kind: "calls" }], [source("b", "definition"), source("helper", "uses"), source("field7", "uses")]), 600);
  assert.deepEqual(p?.nodes.map((n) => n.name), ["b", "helper", "field7", "field0", "field1", "field2", "field3"]);
});

test("without a symbol or neighbours there is no picture", () => {
  assert.equal(picture(answer([]), 600), undefined);
  assert.equal(picture({ dependencies: [{ from: "a", to: "b", kind: "calls" }], sources: [] }, 600), undefined);
});

test("no node leaves the picture or covers another, at any width", () => {
  const many = Array.from({ length: 12 }, (_, i) => ({ from: i % 2 ? "b" : `user${"x".repeat(i * 3)}`, to: i % 2 ? `used${"y".repeat(i * 4)}` : "b", kind: "calls" }));
  for (let width = 160; width <= 900; width += 20) {
    const p = picture(answer(many), width);
    assert.ok(p);
    for (const n of p.nodes) {
      assert.ok(n.x - n.width / 2 >= 0 && n.x + n.width / 2 <= width && n.y - 9 >= 0 && n.y + 9 <= p.height, `${n.name} at ${width}`);
    }
    for (const [i, n] of p.nodes.entries()) {
      for (const m of p.nodes.slice(i + 1)) {
        assert.ok(Math.abs(n.y - m.y) >= 18 || Math.abs(n.x - m.x) >= (n.width + m.width) / 2, `${n.name} covers ${m.name} at ${width}`);
      }
    }
  }
});
