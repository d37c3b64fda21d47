import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { findInstalled } from "../../src/core/installed";

const binary = "node_modules/@ambit/linux-x64/bin/ambit";
const launcher = "node_modules/ambit/bin/ambit.js";
const both = [binary, launcher];

interface Case {
  name: string;
  files?: string[];
  text?: Record<string, string>; // files that cannot be executed
  links?: Record<string, string>;
  path?: string;
  env?: Record<string, string>;
  platform?: string;
  want: string | undefined;
}

const cases: Case[] = [
  { name: "nothing is installed", path: "bin", want: undefined },
  { name: "a program on the PATH", files: ["b/ambit"], path: "a:b", want: "b/ambit" },
  { name: "a file that cannot be executed is passed over", text: { "a/ambit": "" }, files: ["b/ambit"], path: "a:b", want: "b/ambit" },
  { name: "the PATH comes before the workspace", files: ["b/ambit", ...both.map((f) => `work/${f}`)], path: "b", want: "b/ambit" },
  { name: "npm's script on the PATH stands for its binary", files: both.map((f) => `lib/${f}`), links: { "bin/ambit": `lib/${launcher}` }, path: "bin", want: `lib/${binary}` },
  { name: "a script without the package of this platform is passed over", files: [`lib/${launcher}`], links: { "bin/ambit": `lib/${launcher}` }, path: "bin", want: undefined },
  { name: "packages of the workspace", files: both.map((f) => `work/${f}`), want: `work/${binary}` },
  { name: "a package inside of the package", files: [`work/${launcher}`, `work/node_modules/ambit/${binary}`], want: `work/node_modules/ambit/${binary}` },
  { name: "pnpm's links", files: both.map((f) => `store/${f}`), links: { "work/node_modules/ambit": "store/node_modules/ambit" }, want: `store/${binary}` },
  { name: "global packages of the Node on the PATH", files: ["n/bin/node", ...both.map((f) => `n/lib/${f}`)], path: "n/bin", want: `n/lib/${binary}` },
  { name: "global packages of a prefix in .npmrc", files: both.map((f) => `home/npm/lib/${f}`), text: { "home/.npmrc": "fund=false\nprefix = ~/npm\n" }, want: `home/npm/lib/${binary}` },
  { name: "global packages of a prefix in the environment", files: both.map((f) => `p/lib/${f}`), env: { NPM_CONFIG_PREFIX: "p" }, want: `p/lib/${binary}` },
  { name: "npm on Windows", files: [`r/npm/${launcher}`, "r/npm/node_modules/@ambit/win32-x64/bin/ambit.exe"], env: { APPDATA: "r" }, platform: "win32", want: "r/npm/node_modules/@ambit/win32-x64/bin/ambit.exe" },
];

for (const c of cases) {
  test(`an installed ambit: ${c.name}`, async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), "ambit-installed-")));
    const at = (path: string): string => join(dir, path);
    const write = (path: string, text: string, mode: number): void => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
      chmodSync(at(path), mode);
    };
    try {
      c.files?.forEach((f) => write(f, "", 0o755));
      Object.entries(c.text ?? {}).forEach(([f, text]) => write(f, text, 0o644));
      for (const [from, to] of Object.entries(c.links ?? {})) {
        mkdirSync(dirname(at(from)), { recursive: true });
        symlinkSync(at(to), at(from));
      }
      const env = Object.fromEntries(Object.entries(c.env ?? {}).map(([k, v]) => [k, at(v)]));
      const path = ["relative", ...(c.path ?? "").split(":").filter(Boolean).map(at)].join(delimiter);
      const got = await findInstalled({ platform: c.platform ?? "linux", arch: "x64", env: { ...env, PATH: path }, home: at("home"), folders: [at("work")] });
      assert.equal(got, c.want && at(c.want));
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
}
