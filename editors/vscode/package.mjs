// Packages the extension with a server binary: ambit-PLATFORM.vsix.
//
//     node package.mjs [--platform PLATFORM] [--binary FILE] [--version VERSION] [--out DIRECTORY]
//
// By default the platform is this one, and the binary is bin/ambit of the repository (`make
// build`). The platform "universal" has no binary: it uses an ambit that is installed.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { page } from "./readme.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const string = { type: "string" };
const { values } = parseArgs({ options: { platform: string, binary: string, version: string, out: string } });
const { version, out = here, platform = `${process.platform}-${process.arch === "arm" ? "armhf" : process.arch}` } = values;
const run = (...args) => execFileSync(process.execPath, args, { cwd: here, stdio: "inherit" });

rmSync(join(here, "server"), { recursive: true, force: true });
if (platform !== "universal") {
  const exe = platform.startsWith("win32") ? "ambit.exe" : "ambit";
  mkdirSync(join(here, "server"));
  copyFileSync(values.binary ?? join(here, "../../bin", exe), join(here, "server", exe));
  chmodSync(join(here, "server", exe), 0o755);
}
rmSync(join(here, "dist"), { recursive: true, force: true });
run(join(here, "esbuild.mjs"));
writeFileSync(join(here, "dist/README.md"), page(here));
copyFileSync(join(here, "../../LICENSE"), join(here, "LICENSE"));
copyFileSync(join(here, "../../CHANGELOG.md"), join(here, "dist/CHANGELOG.md"));

const name = ["ambit", ...(version ? [version] : []), `${platform}.vsix`].join("-");
run(
  join(here, "node_modules/@vscode/vsce/vsce"),
  "package",
  ...(version ? [version, "--no-update-package-json", "--no-git-tag-version"] : []),
  ...(platform === "universal" ? [] : ["--target", platform]),
  ...["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links"],
  ...["--readme-path", "dist/README.md", "--changelog-path", "dist/CHANGELOG.md", "--out", join(out, name)],
);
