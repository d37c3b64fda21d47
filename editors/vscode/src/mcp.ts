import * as vscode from "vscode";
import { config } from "./config";
import type { Ctx } from "./ctx";
import { findServer } from "./server";

/** The id in package.json. */
const id = "ambit.mcp";

/**
 * Offers `ambit mcp` to the agents in VS Code, for the open folders. Their process attaches to
 * the index of this window, so they see unsaved text. Does nothing in an editor without this
 * interface.
 */
export function provideMcpServer(ctx: Ctx): vscode.Disposable[] {
  if (typeof vscode.lm.registerMcpServerDefinitionProvider !== "function") {
    return [];
  }
  const changed = new vscode.EventEmitter<void>();
  return [
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration(config.serverPathName) && changed.fire()),
    vscode.lm.registerMcpServerDefinitionProvider(id, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => definitions(ctx.extension.extension),
    }),
  ];
}

/** Returns the server for the open folders; none without a folder on disk. */
export async function definitions({ extensionUri, packageJSON }: Pick<vscode.Extension<unknown>, "extensionUri" | "packageJSON">): Promise<vscode.McpStdioServerDefinition[]> {
  const [first, ...others] = (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === "file");
  if (!first) {
    return [];
  }
  const command = await findServer(extensionUri, config.serverPath());
  const roots = [first, ...others].map((f) => `--root=${f.uri.fsPath}`);
  const { version } = packageJSON as { version: string };
  const definition = new vscode.McpStdioServerDefinition("Ambit", command, ["mcp", ...roots], {}, version);
  definition.cwd = first.uri;
  return [definition];
}
