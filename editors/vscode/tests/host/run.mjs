// run.mjs VSIX: installs the packaged extension, with its server, into real VS Code, and runs
// suite.ts in its extension host beside another extension, neighbour. There is no ambit on the
// PATH. Exits with 1 when a test fails.
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { CodeServer } from "../lib/codeserver.mjs";
import { runSuite } from "../lib/suite.mjs";
import { copyCobra } from "../lib/trees.mjs";

const dir = mkdtempSync(join(tmpdir(), "ambit-host-"));

copyCobra(join(dir, "cobra"));
renameSync(join(dir, "cobra/doc"), join(dir, "doc"));
const workspace = join(dir, "two.code-workspace");
writeFileSync(workspace, JSON.stringify({ folders: [{ path: "doc" }, { path: "cobra" }] }));

try {
  await runSuite(new CodeServer(dir), { vsix: resolve(process.argv[2]), workspace, entry: "suite.ts" });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
