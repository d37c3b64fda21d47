import * as vscode from "vscode";
import { explicit } from "./core/settings";

const section = "ambit";
const get = <T>(name: string, otherwise: T, scope?: vscode.ConfigurationScope): T => vscode.workspace.getConfiguration(section, scope).get(name, otherwise);

/** The settings of this extension, as they are now. */
export const config = {
  section,
  serverPath: (): string => get("server.path", "").trim(),
  /** What is told of the talk with the server: "off", "messages" or "verbose". */
  trace: (): string => get("trace.server", "off"),
  traceName: `${section}.trace.server`,
  serverPathName: `${section}.server.path`,
  followCursor: (): boolean => get("panel.followCursor", false),
  /** What somebody set of the server's settings, for a folder or in general. */
  forServer(scope: vscode.Uri | undefined): Record<string, unknown> {
    const settings = vscode.workspace.getConfiguration(section, scope ?? null);
    return explicit((name) => settings.inspect(name));
  },
};
