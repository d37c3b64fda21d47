// universal.mjs BINARY: packages the extension without a server, installs it into real VS Code
// and runs untrusted.ts and universal.ts in its extension host. There is no ambit but the given
// binary, which the suite puts where users have it. Exits with 1 when a test fails.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CodeServer } from "../lib/codeserver.mjs";
import { runSuite } from "../lib/suite.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const dir = mkdtempSync(join(tmpdir(), "ambit-universal-"));

execFileSync(process.execPath, [join(here, "../../package.mjs"), "--platform", "universal", "--out", dir], { stdio: "inherit" });
const vsix = join(dir, "ambit-universal.vsix");

/** Makes a workspace with one file in a directory. */
function workspaceIn(dir) {
  mkdirSync(join(dir, "work"), { recursive: true });
  writeFileSync(join(dir, "work/a.go"), "package a\n\nfunc Work() {}\n");
  const workspace = join(dir, "one.code-workspace");
  writeFileSync(workspace, JSON.stringify({ folders: [{ path: "work" }] }));
  return workspace;
}

/** A workspace that the user has not trusted, with a program that says that it ran. */
async function untrusted(dir) {
  const workspace = workspaceIn(dir);
  const packages = join(dir, "work/node_modules");
  const bin = join(packages, `@ambit/${process.platform}-${process.arch}/bin`);
  mkdirSync(join(packages, "ambit"), { recursive: true });
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "ambit"), `#!/bin/sh\n>${join(dir, "work/was-run")}\n`, { mode: 0o755 });
  await runSuite(new CodeServer(dir, { trust: false }), { vsix, workspace, entry: "untrusted.ts" });
}

/** A workspace of the user, beside a directory with the given binary. */
async function trusted(dir) {
  const workspace = workspaceIn(dir);
  mkdirSync(join(dir, "tools"));
  cpSync(process.argv[2], join(dir, "tools/ambit"));
  await runSuite(new CodeServer(dir), { vsix, workspace, entry: "universal.ts" });
}

try {
  await untrusted(join(dir, "untrusted"));
  await trusted(join(dir, "trusted"));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
