import { constants } from "node:fs";
import { access, chmod, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { expandHome } from "./core/paths";

/** There is no server to start. The message is one line that names the next step. */
export class NoServer extends Error {}

/** Returns the path of the server: the configured one, or else the one in this extension. */
export async function findServer(extension: vscode.Uri, configured: string): Promise<string> {
  if (configured !== "") {
    const path = expandHome(configured, homedir());
    if (!isAbsolute(path)) {
      throw new NoServer(`The setting ambit.server.path is "${configured}"; give an absolute path, or one that starts with ~/.`);
    }
    await executable(path, `The setting ambit.server.path names ${path}, which`, "Correct it, or clear it to use the server of this extension.");
    return path;
  }
  const path = join(extension.fsPath, "server", process.platform === "win32" ? "ambit.exe" : "ambit");
  try {
    await access(path, constants.X_OK);
  } catch {
    await chmod(path, 0o755).catch(() => undefined); // the archive may have lost the mode
  }
  await executable(path, `This package of the extension has no server for ${process.platform}-${process.arch}; ${path}`, "Build one with `make build`, and set ambit.server.path to it.");
  return path;
}

/** Throws unless the file at path can be executed. The message is the subject, what is wrong, and the next step. */
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
