import { constants } from "node:fs";
import { access, readFile, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";

/** What decides where programs are. */
export interface Machine {
  platform: string; // as process.platform
  arch: string; // as process.arch
  env: Record<string, string | undefined>;
  home: string;
  /** The folders whose programs may be started. */
  folders: readonly string[];
}

/**
 * Returns the path of an installed ambit: on the PATH, in the npm packages of a folder, or in
 * the global npm packages of the user. Starts no process.
 */
export async function findInstalled(m: Machine): Promise<string | undefined> {
  const path = (m.env["PATH"] ?? "").split(delimiter).filter(isAbsolute); // a relative one depends on the working directory
  for (const dir of path) {
    const found = (await onPath(m, dir)) ?? (m.platform === "win32" ? await inPackages(m, join(dir, "node_modules")) : undefined);
    if (found !== undefined) {
      return found;
    }
  }
  for (const packages of [...m.folders.map((f) => join(f, "node_modules")), ...(await globalPackages(m, path))]) {
    const found = await inPackages(m, packages);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Reports whether there is a file at a path that can be executed. */
export async function isProgram(path: string): Promise<boolean> {
  const file = await stat(path).then((s) => s.isFile(), () => false);
  return file && access(path, constants.X_OK).then(() => true, () => false);
}

/** The name of the file that the system starts. */
export const exe = (platform: string): string => (platform === "win32" ? "ambit.exe" : "ambit");

/** Returns the ambit in a directory of the PATH. npm's is a script for Node, which may be missing here, so its binary is returned. */
async function onPath(m: Machine, dir: string): Promise<string | undefined> {
  const path = join(dir, exe(m.platform));
  if (!(await isProgram(path))) {
    return undefined;
  }
  const real = await realpath(path);
  return real.endsWith(".js") ? ofPackage(m, dirname(dirname(real))) : path;
}

/** Returns the binary of the package ambit in a directory node_modules. */
async function inPackages(m: Machine, packages: string): Promise<string | undefined> {
  const dir = await realpath(join(packages, "ambit")).catch(() => undefined); // pnpm makes links
  return dir === undefined ? undefined : ofPackage(m, dir);
}

/** Returns the binary that belongs to the package ambit in dir: in the package of the platform, inside of it or beside it. */
async function ofPackage(m: Machine, dir: string): Promise<string | undefined> {
  for (const packages of [join(dir, "node_modules"), dirname(dir)]) {
    const path = join(packages, "@ambit", `${m.platform}-${m.arch}`, "bin", exe(m.platform));
    if (await isProgram(path)) {
      return path;
    }
  }
  return undefined;
}

/** Returns the directories of npm's global packages: those of the user's prefix, and of the Node on the PATH. */
async function globalPackages(m: Machine, path: readonly string[]): Promise<string[]> {
  const settings = await readFile(join(m.home, ".npmrc"), "utf8").catch(() => "");
  const written = /^\s*prefix\s*=\s*"?(.*?)"?\s*$/m.exec(settings)?.[1];
  const prefixes = [m.env["NPM_CONFIG_PREFIX"] ?? m.env["npm_config_prefix"], written?.replace(/^(~|\$\{HOME\})(?=[/\\])/, m.home)];
  if (m.platform === "win32") {
    prefixes.push(m.env["APPDATA"] && join(m.env["APPDATA"], "npm"));
  } else {
    for (const dir of path) {
      if (await isProgram(join(dir, "node"))) {
        prefixes.push(dirname(dir));
      }
    }
  }
  return prefixes.filter((p): p is string => p !== undefined && isAbsolute(p)).map((p) => join(p, m.platform === "win32" ? "" : "lib", "node_modules"));
}
