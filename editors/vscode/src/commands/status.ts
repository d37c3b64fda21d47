import * as vscode from "vscode";
import type { FolderStatus } from "../core/protocol";
import { combine, counted, describe, grouped, sized } from "../core/status";
import type { Ctx } from "../ctx";

interface Item extends vscode.QuickPickItem {
  run?: () => Promise<unknown>;
}

/** Shows how the index is, and offers what can be done about it. */
export const showStatus = (ctx: Ctx) => async () => {
  const run = (command: string) => (): Promise<unknown> => Promise.resolve(vscode.commands.executeCommand(command));
  const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const actions: Item[] = [
    { label: "$(references) Show Related Context", run: run("ambit.showRelated") },
    { label: "$(search) Search by Meaning", run: run("ambit.searchByMeaning") },
    separator("Index"),
    ctx.client.status.state === "paused"
      ? { label: "$(debug-continue) Resume Indexing", run: run("ambit.resumeIndexing") }
      : { label: "$(debug-pause) Pause Indexing", run: run("ambit.pauseIndexing") },
    { label: "$(refresh) Rebuild the Index", run: run("ambit.rebuild") },
    { label: "$(debug-restart) Restart the Server", run: run("ambit.restartServer") },
    { label: "$(output) Show the Output", run: run("ambit.showOutput") },
  ];
  const folders = ctx.client.status.state === "stopped" ? [] : await foldersOf(ctx);
  const { sentence } = describe(ctx.client.status);
  const picked = await vscode.window.showQuickPick<Item>([...folders, separator("Ask"), ...actions], {
    title: "Ambit Index Status",
    placeHolder: sentence,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await picked?.run?.();
};

async function foldersOf(ctx: Ctx): Promise<Item[]> {
  const { folders } = await ctx.client.request("ambit.status", undefined);
  return folders.flatMap((f) => [{ label: f.name || "Documents without a folder", kind: vscode.QuickPickItemKind.Separator }, ...itemsOf(f)]);
}

function itemsOf(f: FolderStatus): Item[] {
  const { icon, sentence } = describe(combine([f]));
  const languages = Object.entries(f.languages)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([language, files]) => `${language} ${grouped(files)}`);
  const items: Item[] = [
    {
      label: `$(${icon}) ${sentence}`,
      detail: [counted(f.chunks, "chunk"), sized(f.bytes), `index of ${sized(f.index_bytes)}`, ...languages].join(" · "),
    },
  ];
  if (f.left_out.length > 0 || f.masked > 0) {
    items.push({
      label: `$(exclude) ${counted(f.left_out.length, "file")} left out`,
      detail: `Choose to see which, and why${f.masked > 0 ? ` · ${counted(f.masked, "secret")} masked in other files` : ""}`,
      run: () => showLeftOut(f),
    });
  }
  return items;
}

/** Lists the files that are not indexed, with the reasons; choosing one opens it. */
async function showLeftOut(f: FolderStatus): Promise<void> {
  const items = f.left_out.map((l) => ({ label: l.path, description: l.reason }));
  const picked = await vscode.window.showQuickPick(items, { title: `Left out of the index of ${f.name}`, matchOnDescription: true, placeHolder: "Choose a file to open it" });
  if (picked) {
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.joinPath(vscode.Uri.parse(f.folder), picked.label));
  }
}
