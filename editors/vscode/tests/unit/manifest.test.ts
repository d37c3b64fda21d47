import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

interface Manifest {
  contributes: {
    walkthroughs: { steps: { id: string; completionEvents?: string[] }[] }[];
    languageModelTools: { displayName: string }[];
  };
}

const { walkthroughs, languageModelTools } = (JSON.parse(readFileSync("package.json", "utf8")) as Manifest).contributes;
const editors = readFileSync("src/editors.ts", "utf8");

test("a step of the walkthrough is done when its command has done something, not when it was called", () => {
  const events = walkthroughs.flatMap((w) => w.steps).flatMap((s) => s.completionEvents ?? []);
  assert.ok(events.length >= 4);
  for (const event of events.filter((e) => e !== "onCommand:ambit.showStatus")) { // it always shows something
    const [, context] = /^onContext:(.*)$/.exec(event) ?? [];
    assert.ok(context && editors.includes(`"${context}"`), event);
  }
});

test("VS Code puts the name of the extension before that of a tool", () => {
  for (const { displayName } of languageModelTools) {
    assert.doesNotMatch(displayName, /ambit/i);
  }
});
