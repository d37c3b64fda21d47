// Bundles the unit tests and runs them in Node. Passes its arguments to node --test.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, ".out/unit");
rmSync(out, { recursive: true, force: true });
const tests = readdirSync(join(here, "unit")).filter((f) => f.endsWith(".test.ts"));
await esbuild.build({
  entryPoints: tests.map((f) => join(here, "unit", f)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  external: ["typescript"],
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((f) => join(out, f.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...process.argv.slice(2), ...files], { stdio: "inherit", cwd: join(here, "..") });
process.exit(status ?? 1);
