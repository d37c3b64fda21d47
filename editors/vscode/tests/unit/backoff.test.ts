import assert from "node:assert/strict";
import { test } from "node:test";
import { Backoff } from "../../src/core/backoff";

test("each crash of a series doubles the delay, and only the first is reported", () => {
  const b = new Backoff();
  const got = [0, 1000, 2000].map((now) => b.crashed(now));
  assert.deepEqual(got, [
    { restart: true, delay: 250, first: true },
    { restart: true, delay: 500, first: false },
    { restart: true, delay: 1000, first: false },
  ]);
});

test("the sixth crash of a series ends the restarts", () => {
  const b = new Backoff();
  const got = Array.from({ length: 6 }, (_, i) => b.crashed(i * 1000).restart);
  assert.deepEqual(got, [true, true, true, true, true, false]);
});

test("three minutes without a crash end a series", () => {
  const b = new Backoff();
  b.crashed(0);
  b.crashed(1000);
  assert.deepEqual(b.crashed(182_000), { restart: true, delay: 250, first: true });
});

test("a restart by the user ends a series", () => {
  const b = new Backoff();
  b.crashed(0);
  b.reset();
  assert.equal(b.crashed(1).first, true);
});
