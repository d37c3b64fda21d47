// Runs in the real extension host, with the universal package of the extension installed: it
// has no server. Beside the workspace is an ambit, in "tools". See universal.mjs.
import assert from "node:assert/strict";
import { linkSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { AmbitApi } from "../../api/ambit";
import { again, onPath, runs, runTests, type Test, until } from "./tests";

const work = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/");
const dir = dirname(work.fsPath);
const extension = vscode.extensions.getExtension<AmbitApi>("ambit.ambit");
let ambit: AmbitApi;

/** Makes the ambit in tools an executable of another name, too. */
function install(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  linkSync(join(dir, "tools/ambit"), path);
  return path;
}

const restart = (): Thenable<unknown> => vscode.commands.executeCommand("ambit.restartServer");

/** Waits until the server is the executable, and checks that it answers. */
async function serves(executable: string): Promise<void> {
  await until(ambit, () => ambit.status.state === "ready" && ambit.status.files > 0 && runs(executable));
  const a = await ambit.getContext(vscode.Uri.joinPath(work, "a.go"), new vscode.Position(2, 6));
  assert.equal(a.symbol?.identifier, "Work");
}

const tests: Test[] = [
  ["without an ambit, the message has the next step", async () => {
    assert.deepEqual(onPath(), []);
    assert.ok(extension);
    ambit = await extension.activate();
    await until(ambit, () => ambit.status.state === "stopped" && ambit.status.message !== "");
    assert.match(ambit.status.message, /neither on the PATH nor installed by npm\. Run `npm install --global ambit` and restart the server/);
    await assert.rejects(ambit.search("x"), /npm install --global ambit/);
  }],

  ["the server is the npm package of the workspace", async () => {
    mkdirSync(join(work.fsPath, "node_modules/ambit"), { recursive: true });
    const path = install(join(work.fsPath, `node_modules/@ambit/${process.platform}-${process.arch}/bin/ambit`));
    await restart();
    await serves(path);
  }],

  ["the server is the ambit on the PATH", async () => {
    process.env["PATH"] = `${dir}/tools:${process.env["PATH"]}`;
    await restart();
    await serves(join(dir, "tools/ambit"));
  }],

  ["the server is the one in the settings", async () => {
    const path = install(join(dir, "other/ambit"));
    await vscode.workspace.getConfiguration("ambit").update("server.path", path, vscode.ConfigurationTarget.Global);
    await serves(path);
  }],
];

/** Runs the tests in order. universal.mjs reads the last line. */
export async function run(): Promise<void> {
  if (!vscode.workspace.workspaceFolders?.length) {
    return again();
  }
  await runTests(tests);
}
