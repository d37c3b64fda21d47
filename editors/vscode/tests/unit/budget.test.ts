import assert from "node:assert/strict";
import { test } from "node:test";
import { reachOf, spend, stopOf, stops } from "../../src/core/budget";

test("every stop is the nearest to itself", () => {
  assert.deepEqual(stops.map(stopOf), [...stops.keys()]);
});

test("a budget between two stops takes the nearer one by ratio", () => {
  assert.equal(stops[stopOf(5000)], 6000);
  assert.equal(stops[stopOf(200)], 500);
  assert.equal(stops[stopOf(2_000_000)], 200_000);
});

test("the bar has the sections, the markup and the free rest", () => {
  const got = spend({ tokens: 90, budget: 100, sections: [{ name: "primary", tokens: 50 }, { name: "framework", tokens: 0 }, { name: "supporting", tokens: 30 }] });
  assert.deepEqual(got, [
    { name: "primary", tokens: 50, share: 0.5 },
    { name: "supporting", tokens: 30, share: 0.3 },
    { name: "markup", tokens: 10, share: 0.1 },
    { name: "free", tokens: 10, share: 0.1 },
  ]);
});

test("the shares add up to one, whatever the numbers of the answer", () => {
  for (const a of [
    { tokens: 0, budget: 0, sections: [] },
    { tokens: 300, budget: 200, sections: [{ name: "primary", tokens: 250 }] },
    { tokens: 10, budget: 200, sections: [{ name: "primary", tokens: 250 }] },
  ]) {
    const sum = spend(a).reduce((n, s) => n + s.share, 0);
    assert.ok(spend(a).length === 0 || Math.abs(sum - 1) < 1e-9, `${JSON.stringify(a)} adds up to ${sum}`);
  }
});

test("the reach is the first stop with all that the last one has, found by few questions", async () => {
  for (const wanted of stops) {
    let asked = 0;
    const found = await reachOf((stop) => {
      asked++;
      return Promise.resolve(String(Math.min(stop, wanted)));
    });
    assert.equal(found, wanted);
    assert.ok(asked <= 6, `${asked} questions`);
  }
});
