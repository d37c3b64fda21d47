import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

const importsOf = (dir: string): [file: string, module: string][] =>
  readdirSync(dir)
    .filter((f) => f.endsWith(".ts"))
    .flatMap((f) => [...readFileSync(join(dir, f), "utf8").matchAll(/(?:from|import) "([^"]+)"/g)].map((m): [string, string] => [join(dir, f), m[1] ?? ""]));

test("core imports neither VS Code nor the page of the panel", () => {
  for (const [file, module] of importsOf("src/core")) {
    assert.match(module, /^(\.\/|\.\.\/\.\.\/api\/|node:)/, file);
  }
});

test("the page of the panel imports only itself and core", () => {
  for (const [file, module] of importsOf("src/webview")) {
    assert.match(module, /^(\.\/|\.\.\/core\/)/, file);
  }
});

test("no two modules import each other, directly or through others", () => {
  const modules = new Map<string, string[]>();
  for (const dir of ["src", "src/commands", "src/core", "src/panel", "src/webview"]) {
    for (const file of readdirSync(dir).filter((f) => f.endsWith(".ts"))) {
      modules.set(join(dir, file), []);
    }
    for (const [file, module] of importsOf(dir).filter(([, m]) => m.startsWith("."))) {
      const path = join(dirname(file), module);
      modules.get(file)?.push(`${path}.ts`, join(path, "index.ts"));
    }
  }
  const done = new Set<string>();
  const visit = (file: string, path: string[]): void => {
    assert.ok(!path.includes(file), [...path, file].join(" imports "));
    if (!done.has(file)) {
      (modules.get(file) ?? []).filter((m) => modules.has(m)).forEach((m) => visit(m, [...path, file]));
      done.add(file);
    }
  };
  assert.ok(modules.size > 30, "the modules are found");
  [...modules.keys()].forEach((file) => visit(file, []));
});

test("the palette has the commands of the extension, and no others", () => {
  const { contributes } = JSON.parse(readFileSync("package.json", "utf8"));
  const titled = contributes.commands.map((c: { command: string }) => c.command).sort();
  const table = readFileSync("src/commands/index.ts", "utf8");
  const registered = [...table.matchAll(/^ {2}"(ambit\.\w+)":/gm)].map((m) => m[1]).sort();
  assert.deepEqual(registered, titled);
});
