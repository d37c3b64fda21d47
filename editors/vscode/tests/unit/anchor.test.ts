import assert from "node:assert/strict";
import { test } from "node:test";
import { type Edit, shift } from "../../src/core/anchor";

const at = (line: number, character: number) => ({ line, character });
const edit = (l1: number, c1: number, l2: number, c2: number, text: string): Edit => ({ range: { start: at(l1, c1), end: at(l2, c2) }, text });

const cases: [name: string, from: [number, number], e: Edit, want: [number, number]][] = [
  ["an edit after the position does not move it", [3, 4], edit(3, 5, 4, 0, "x\ny"), [3, 4]],
  ["text before it on its line moves it to the right", [3, 4], edit(3, 1, 3, 1, "ab"), [3, 6]],
  ["text right before it moves it to the right", [3, 4], edit(3, 4, 3, 4, "ab"), [3, 6]],
  ["a new line above moves it down", [3, 4], edit(0, 0, 0, 0, "a\n"), [4, 4]],
  ["deleted lines above move it up", [3, 4], edit(0, 2, 2, 1, ""), [1, 4]],
  ["joining its line with the line above moves it there", [3, 4], edit(2, 7, 3, 0, ""), [2, 11]],
  ["a line break before it moves it to the next line", [3, 4], edit(3, 1, 3, 2, "\n\t"), [4, 3]],
  ["replacing it moves it to the start of the range", [3, 4], edit(3, 2, 3, 9, "new"), [3, 2]],
];
for (const [name, [line, character], e, want] of cases) {
  test(name, () => assert.deepEqual(shift(at(line, character), e), at(...want)));
}

test("a position stays before the same character, whatever the edits elsewhere", () => {
  let seed = 7;
  const random = (n: number): number => (seed = (seed * 48271) % 2147483647) % n;
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: 30 }, () => "ab\n"[random(3)]).join("");
    const mark = random(text.length + 1);
    const [a, b] = [random(text.length + 1), random(text.length + 1)].sort((x, y) => x - y) as [number, number];
    if (a <= mark && mark < b) {
      continue; // the edit replaces it
    }
    const put = ["", "x", "\n", "xy\nz"][random(4)] ?? "";
    const place = (t: string, o: number) => at(t.slice(0, o).split("\n").length - 1, t.slice(0, o).split("\n").at(-1)?.length ?? 0);
    const next = text.slice(0, a) + put + text.slice(b);
    const want = mark < a ? mark : mark + put.length - (b - a);
    assert.deepEqual(shift(place(text, mark), { range: { start: place(text, a), end: place(text, b) }, text: put }), place(next, want), JSON.stringify({ text, mark, a, b, put }));
  }
});
