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

test("the most relevant neighbours are shown, and the number of the rest, until all are wanted", () => {
  const fields = Array.from({ length: 8 }, (_, i) => ({ from: "b", to: `field${i}`, kind: "reads" }));
  const many = answer([...fields, { from: "b", to: "helper", kind: "calls" }], [source("b", "definition"), source("helper", "uses"), source("field7", "uses")]);
  const names = (width: number, all = false): string[] => picture(many, width, all)?.nodes.map((n) => n.name) ?? [];
  assert.deepEqual(names(600), ["b", "helper", "field7", "field0", "field1", "field2", "field3", "+3"]);
  assert.deepEqual(names(300), ["b", "helper", "field7", "field0", "field1", "+5"]);
  assert.equal(names(300, true).length, 10);
});

test("without a symbol or neighbours there is no picture", () => {
  assert.equal(picture(answer([]), 600), undefined);
  assert.equal(picture({ dependencies: [{ from: "a", to: "b", kind: "calls" }], sources: [] }, 600), undefined);
});

test("no box leaves the picture, covers another one or is crossed by an arrow, at any width", () => {
  const many = Array.from({ length: 12 }, (_, i) => ({ from: i % 2 ? "b" : `user${"x".repeat(i * 3)}`, to: i % 2 ? `used${"y".repeat(i * 4)}` : "b", kind: "calls" }));
  for (let width = 160; width <= 900; width += 20) {
    const p = picture(answer(many), width, true);
    assert.ok(p);
    for (const n of p.nodes) {
      assert.ok(n.x >= 0 && n.x + n.width <= width && n.y - 9 >= 0 && n.y + 9 <= p.height && n.width >= 28, `${n.name} at ${width}`);
    }
    for (const [i, n] of p.nodes.entries()) {
      for (const m of p.nodes.slice(i + 1)) {
        assert.ok(Math.abs(n.y - m.y) >= 18 || n.x + n.width <= m.x || m.x + m.width <= n.x, `${n.name} covers ${m.name} at ${width}`);
      }
    }
    for (const d of p.arrows) {
      for (const [x, y] of points(d)) {
        const crossed: unknown[] = p.nodes.filter((n) => x > n.x + 0.5 && x < n.x + n.width - 0.5 && Math.abs(y - n.y) < 8.5);
        assert.deepEqual(crossed, [], `${d} at ${width}`);
      }
    }
  }
});

/** Returns points along a path of SVG with the commands M, H, V and C. */
function points(d: string): [number, number][] {
  const all: [number, number][] = [];
  let [x, y] = [0, 0];
  for (const [, command, numbers] of d.matchAll(/([MHVC])([^MHVC]*)/g)) {
    const n = (numbers ?? "").trim().split(" ").map(Number);
    const [x0, y0] = [x, y];
    const [x1, y1, x2, y2] = command === "C" ? (n as [number, number, number, number]) : [x0, y0, 0, 0];
    [x, y] = command === "H" ? [n[0] ?? 0, y0] : command === "V" ? [x0, n[0] ?? 0] : command === "C" ? [n[4] ?? 0, n[5] ?? 0] : [n[0] ?? 0, n[1] ?? 0];
    for (let t = 0; t <= 1 && command !== "M"; t += 0.05) {
      const s = 1 - t;
      all.push(command === "C" ? [s ** 3 * x0 + 3 * s * s * t * x1 + 3 * s * t * t * x2 + t ** 3 * x, s ** 3 * y0 + 3 * s * s * t * y1 + 3 * s * t * t * y2 + t ** 3 * y] : [x0 + t * (x - x0), y0 + t * (y - y0)]);
    }
  }
  return all;
}
