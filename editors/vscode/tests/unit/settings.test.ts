import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expandHome } from "../../src/core/paths";
import { explicit, serverSettings } from "../../src/core/settings";

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const properties: Record<string, { default?: unknown; description?: string; markdownDescription?: string; scope?: string }> = manifest.contributes.configuration.properties;

test("only explicit settings are sent, and the narrowest scope wins", () => {
  const settings: Record<string, object> = {
    budget: { defaultValue: 8000, globalValue: 4000, workspaceValue: 2000 },
    format: { defaultValue: "markdown" },
    exclude: { globalValue: ["a"], workspaceFolderValue: ["b"] },
    cacheDir: { globalValue: null },
    template: { globalValue: "" },
  };
  assert.deepEqual(explicit((name) => settings[name]), { budget: 2000, exclude: ["b"] });
});

test("package.json has every setting of the server except embedder, which has a single value", () => {
  const missing = serverSettings.filter((name) => !(`ambit.${name}` in properties));
  assert.deepEqual(missing, ["embedder"]);
});

test("every setting has a description, and a workspace cannot set executables, directories and workers", () => {
  for (const [name, p] of Object.entries(properties)) {
    assert.ok((p.description ?? p.markdownDescription ?? "").endsWith("."), name);
  }
  for (const name of ["ambit.server.path", "ambit.cacheDir", "ambit.workers"]) {
    assert.equal(properties[name]?.scope, "machine", name);
  }
});

test("a leading ~/ is the home directory", () => {
  assert.equal(expandHome("~/bin/ambit", "/home/me"), "/home/me/bin/ambit");
  assert.equal(expandHome("/opt/~/ambit", "/home/me"), "/opt/~/ambit");
});
