import * as vscode from "vscode";
import { openFolder } from "../core/problem";
import type { FolderStatus } from "../core/protocol";
import { combine, counted, describe, grouped, sized } from "../core/status";
import type { Ctx } from "../ctx";

interface Item extends vscode.QuickPickItem {
  run?: () => Promise<unknown>;
}

/** Shows the status of the index, and the commands that change it. */
export const showStatus = (ctx: Ctx) => async () => {
  const run = (command: string) => (): Promise<unknown> => Promise.resolve(vscode.commands.executeCommand(command));
  const separator = (label: string): Item => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const actions: Item[] = [
    ...(vscode.workspace.workspaceFolders ? [] : [{ label: `$(folder-opened) ${openFolder.title}`, run: run(openFolder.command) }]),
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
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = "Ambit Index Status";
  pick.placeholder = describe(ctx.client.status).sentence;
  pick.matchOnDetail = true;
  pick.items = actions;
  pick.busy = ctx.client.status.state !== "stopped";
  const closed = new vscode.CancellationTokenSource();
  const chosen = new Promise<Item | undefined>((resolve) => {
    pick.onDidAccept(() => resolve(pick.selectedItems[0]));
    pick.onDidHide(() => resolve(undefined));
  });
  pick.show();
  if (pick.busy) {
    void foldersOf(ctx, closed.token)
      .then((folders) => {
        pick.items = [...folders, separator("Ask"), ...actions];
      })
      .catch(() => undefined) // the placeholder shows the state
      .finally(() => {
        pick.busy = false;
      });
  }
  const item = await chosen;
  closed.cancel();
  pick.dispose();
  await item?.run?.();
};

async function foldersOf(ctx: Ctx, token: vscode.CancellationToken): Promise<Item[]> {
  const { folders } = await ctx.client.request("ambit.status", undefined, token);
  const used = folders.filter((f) => f.name || f.files > 0 || f.state !== "ready");
  return used.flatMap((f) => [{ label: f.name || "Documents without a folder", kind: vscode.QuickPickItemKind.Separator }, ...itemsOf(f)]);
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

/** Lists the files that are not indexed, with the reasons. Opens the file that the user chooses. */
async function showLeftOut(f: FolderStatus): Promise<void> {
  const items = f.left_out.map((l) => ({ label: l.path, description: l.reason }));
  const picked = await vscode.window.showQuickPick(items, { title: `Left out of the index of ${f.name}`, matchOnDescription: true, placeHolder: "Choose a file to open it" });
  if (picked) {
    await vscode.commands.executeCommand("vscode.open", vscode.Uri.joinPath(vscode.Uri.parse(f.folder), picked.label));
  }
}
