// universal.mjs BINARY: packages the extension without a server, installs it into real VS Code
// and runs universal.ts in its extension host. There is no ambit but the given binary, which
// the suite puts where users have it. Exits with 1 when a test fails.
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
mkdirSync(join(dir, "tools"));
cpSync(process.argv[2], join(dir, "tools/ambit"));
mkdirSync(join(dir, "work"));
writeFileSync(join(dir, "work/a.go"), "package a\n\nfunc Work() {}\n");
const workspace = join(dir, "one.code-workspace");
writeFileSync(workspace, JSON.stringify({ folders: [{ path: "work" }] }));

try {
  await runSuite(new CodeServer(dir), { vsix: join(dir, "ambit-universal.vsix"), workspace, entry: "universal.ts" });
} finally {
  rmSync(dir, { recursive: true, force: true });
}
