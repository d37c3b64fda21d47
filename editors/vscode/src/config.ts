import * as vscode from "vscode";
import { explicit } from "./core/settings";

const section = "ambit";
const get = <T>(name: string, otherwise: T, scope?: vscode.ConfigurationScope): T => vscode.workspace.getConfiguration(section, scope).get(name, otherwise);

/** The current settings of this extension. */
export const config = {
  section,
  serverPath: (): string => get("server.path", "").trim(),
  /** What the output channel shows of the messages between client and server: "off", "messages" or "verbose". */
  trace: (): string => get("trace.server", "off"),
  traceName: `${section}.trace.server`,
  serverPathName: `${section}.server.path`,
  panelInView: (): boolean => get<string>("panel.location", "editor") === "view",
  setPanelInView: async (inView: boolean): Promise<void> => {
    await vscode.workspace.getConfiguration(section).update("panel.location", inView ? "view" : "editor", vscode.ConfigurationTarget.Global);
  },
  followCursor: (): boolean => get("panel.followCursor", false),
  /** The settings of the server that are set explicitly, for a folder or for the window. */
  forServer(scope: vscode.Uri | undefined): Record<string, unknown> {
    const settings = vscode.workspace.getConfiguration(section, scope ?? null);
    return explicit((name) => settings.inspect(name));
  },
};
