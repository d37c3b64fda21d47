import { constants } from "node:fs";
import { access, chmod, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { expandHome } from "./core/paths";

/** Why there is no server to start: one line that names the next step. */
export class NoServer extends Error {}

/** Returns the path of the server: the user's, else the one that came along. */
export async function findServer(extension: vscode.Uri, configured: string): Promise<string> {
  if (configured !== "") {
    const path = expandHome(configured, homedir());
    if (!isAbsolute(path)) {
      throw new NoServer(`The setting ambit.server.path is "${configured}"; give an absolute path, or one that starts with ~/.`);
    }
    await executable(path, `The setting ambit.server.path names ${path}, which`, "Correct it, or clear it for the server that came along.");
    return path;
  }
  const path = join(extension.fsPath, "server", process.platform === "win32" ? "ambit.exe" : "ambit");
  try {
    await access(path, constants.X_OK);
  } catch {
    await chmod(path, 0o755).catch(() => undefined); // an archive can lose the mode
  }
  await executable(path, `This package of the extension has no server for ${process.platform}-${process.arch}; ${path}`, "Build one with `make build`, and name it in the setting ambit.server.path.");
  return path;
}

/** Throws unless a file can be started; says what is wrong with it after its name, and what to do next. */
async function executable(path: string, subject: string, next: string): Promise<void> {
  const is = await stat(path).catch(() => undefined);
  if (!is) {
    throw new NoServer(`${subject} does not exist. ${next}`);
  }
  if (!is.isFile()) {
    throw new NoServer(`${subject} is not a file. ${next}`);
  }
  await access(path, constants.X_OK).catch(() => {
    throw new NoServer(`${subject} cannot be executed. ${next}`);
  });
}
