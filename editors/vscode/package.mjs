// Packages the extension with the server binary of this platform: ambit-PLATFORM.vsix.
// The binary is the argument, or else bin/ambit of the repository (`make build`).
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const exe = process.platform === "win32" ? "ambit.exe" : "ambit";
const binary = process.argv[2] ?? join(here, "../../bin", exe);
const platform = `${process.platform}-${process.arch === "arm" ? "armhf" : process.arch}`;

rmSync(join(here, "server"), { recursive: true, force: true });
mkdirSync(join(here, "server"));
copyFileSync(binary, join(here, "server", exe));
chmodSync(join(here, "server", exe), 0o755);
rmSync(join(here, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [join(here, "esbuild.mjs")], { cwd: here, stdio: "inherit" });

const out = join(here, `ambit-${platform}.vsix`);
const vsce = join(here, "node_modules/@vscode/vsce/vsce");
execFileSync(process.execPath, [vsce, "package", "--no-dependencies", "--skip-license", "--allow-missing-repository", "--no-rewrite-relative-links", "--target", platform, "--out", out], { cwd: here, stdio: "inherit" });
