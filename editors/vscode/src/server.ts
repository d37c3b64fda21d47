import { constants } from "node:fs";
import { access, chmod, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { exe, findInstalled } from "./core/installed";
import { expandHome } from "./core/paths";

/** There is no server to start. The message is one line that names the next step. */
export class NoServer extends Error {}

/**
 * Returns the path of the server: the configured one, or else the one in this extension, or
 * else the one that is installed. The universal package of the extension has none.
 */
export async function findServer(extension: vscode.Uri, configured: string): Promise<string> {
  if (configured !== "") {
    const path = expandHome(configured, homedir());
    if (!isAbsolute(path)) {
      throw new NoServer(`The setting ambit.server.path is "${configured}"; give an absolute path, or one that starts with ~/.`);
    }
    await executable(path, `The setting ambit.server.path names ${path}, which`, "Correct it, or clear it to use the server of this extension.");
    return path;
  }
  const { platform, arch, env } = process;
  const own = join(extension.fsPath, "server", exe(platform));
  if (await stat(own).catch(() => undefined)) {
    await access(own, constants.X_OK).catch(() => chmod(own, 0o755).catch(() => undefined)); // the archive may have lost the mode
    await executable(own, `The server of this extension, ${own},`, "Install the extension again.");
    return own;
  }
  // A folder that the user does not trust may bring a program of its own.
  const trusted = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const folders = trusted.filter((f) => f.uri.scheme === "file").map((f) => f.uri.fsPath);
  const installed = await findInstalled({ platform, arch, env, home: homedir(), folders });
  if (installed === undefined) {
    throw new NoServer("This package of the extension has no server, and ambit is neither on the PATH nor installed by npm. Run `npm install --global ambit` and restart the server, or set ambit.server.path.");
  }
  return installed;
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
