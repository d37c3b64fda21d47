// Real source trees for the tests.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const cobra = { module: "github.com/spf13/cobra@v1.10.2", sum: "h1:DMTTonx5m65Ic0GOoRY2c16WCbHxOOw6xxezuLaBpcU=" };

/** Runs `go ARGS…` outside of any module. Returns its output. */
const go = (args, env) => execFileSync("go", args, { cwd: tmpdir(), env: { ...process.env, ...env }, encoding: "utf8" });

/**
 * Copies cobra, 60 files of Go with their documents, into a directory. The configured module
 * proxy provides it, and the sum makes sure that it is the same everywhere.
 */
export function copyCobra(into) {
  // The sum is compared here, so that go does not ask the checksum database.
  const { Dir, Sum } = JSON.parse(go(["mod", "download", "-json", cobra.module], { GOSUMDB: "off" }));
  if (Sum !== cobra.sum) {
    throw new Error(`${cobra.module} is ${Sum}, not ${cobra.sum}`);
  }
  cpSync(Dir, into, { recursive: true });
  writable(into);
}

/** Returns the sources of Go itself: 11,000 files, which take seconds to index. */
export const bigTree = () => join(go(["env", "GOROOT"]).trim(), "src");

/** Makes a copy from the module cache writable. */
function writable(dir) {
  chmodSync(dir, 0o755);
  for (const e of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, e.name);
    e.isDirectory() ? writable(path) : chmodSync(path, 0o644);
  }
}
