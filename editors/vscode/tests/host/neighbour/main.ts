import * as vscode from "vscode";
import type { AmbitApi } from "../../../api/ambit";

/** Registers a command that returns the number of sources in the context of the symbol under the cursor. */
export function activate(context: vscode.ExtensionContext): void {
  context.subscriptions.push(
    vscode.commands.registerCommand("neighbour.countSources", async () => {
      const editor = vscode.window.activeTextEditor;
      const ambit = await vscode.extensions.getExtension<AmbitApi>("ambit.ambit")?.activate();
      if (!editor || !ambit) {
        return 0;
      }
      const answer = await ambit.getContext(editor.document.uri, editor.selection.active, { budget: 4000 });
      return answer.sources.length;
    }),
  );
}
