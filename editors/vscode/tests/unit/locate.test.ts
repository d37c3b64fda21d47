import assert from "node:assert/strict";
import { test } from "node:test";
import { locate } from "../../src/core/locate";

const text = "package a\r\n\n\tfunc subtotal() {}\n\treturn c.total(total)\n";
const cases: [name: string, line: number | undefined, symbol: string | undefined, want: [number, number] | undefined][] = [
  ["a symbol on its line", 4, "total", [3, 10]],
  ["the last part of a qualified name", 4, "c.total", [3, 10]],
  ["a whole word only, on a line nearby", 3, "total", [3, 10]],
  ["a qualified name in another spelling", 4, "Cart::total", [3, 10]],
  ["the first character of the line, without a symbol", 3, undefined, [2, 1]],
  ["the line, when it does not have the symbol", 3, "nothing", [2, 1]],
  ["the first occurrence, without a line", undefined, "subtotal", [2, 6]],
  ["no such line", 9, "total", undefined],
  ["no such symbol", undefined, "nothing", undefined],
];
for (const [name, line, symbol, want] of cases) {
  test(name, () => assert.deepEqual(locate(text, line, symbol), want && { line: want[0], character: want[1] }));
}
