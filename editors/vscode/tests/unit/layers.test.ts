import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const importsOf = (dir: string): [file: string, module: string][] =>
  readdirSync(dir)
    .filter((f) => f.endsWith(".ts"))
    .flatMap((f) => [...readFileSync(join(dir, f), "utf8").matchAll(/(?:from|import) "([^"]+)"/g)].map((m): [string, string] => [join(dir, f), m[1] ?? ""]));

test("what is below core knows neither VS Code nor the panel's page", () => {
  for (const [file, module] of importsOf("src/core")) {
    assert.match(module, /^(\.\/|\.\.\/\.\.\/api\/|node:)/, file);
  }
});

test("what runs in the panel's page knows only itself and core", () => {
  for (const [file, module] of importsOf("src/webview")) {
    assert.match(module, /^(\.\/|\.\.\/core\/)/, file);
  }
});

test("every command of the palette is carried out, and every one that is carried out is in the palette", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
  const titled = contributes.commands.map((c: { command: string }) => c.command).sort();
  const table = readFileSync("src/commands/index.ts", "utf8");
  const made = [...table.matchAll(/^ {2}"(ambit\.\w+)":/gm)].map((m) => m[1]).sort();
  assert.deepEqual(made, titled);
});
