// Packages the extension with a server binary: ambit-PLATFORM.vsix.
//
//     node package.mjs [BINARY [PLATFORM VERSION DIRECTORY]]
//
// By default the binary is bin/ambit of the repository (`make build`), for this platform.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [, , given, target, version, directory] = process.argv;
const platform = target ?? `${process.platform}-${process.arch === "arm" ? "armhf" : process.arch}`;
const exe = platform.startsWith("win32") ? "ambit.exe" : "ambit";
const binary = given ?? join(here, "../../bin", exe);

rmSync(join(here, "server"), { recursive: true, force: true });
mkdirSync(join(here, "server"));
copyFileSync(binary, join(here, "server", exe));
chmodSync(join(here, "server", exe), 0o755);
rmSync(join(here, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [join(here, "esbuild.mjs")], { cwd: here, stdio: "inherit" });

const out = directory ? join(directory, `ambit-${version}-${platform}.vsix`) : join(here, `ambit-${platform}.vsix`);
const as = version ? [version, "--no-update-package-json", "--no-git-tag-version"] : [];
const vsce = join(here, "node_modules/@vscode/vsce/vsce");
execFileSync(process.execPath, [vsce, "package", ...as, "--no-dependencies", "--skip-license", "--allow-missing-repository", "--no-rewrite-relative-links", "--target", platform, "--out", out], { cwd: here, stdio: "inherit" });
