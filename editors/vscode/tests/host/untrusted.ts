// Runs in the real extension host like universal.ts, in a workspace that the user has not
// trusted and whose npm packages have an ambit.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AmbitApi } from "../../api/ambit";
import { again, onPath, runTests, type Test, until } from "./tests";

const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;

const tests: Test[] = [
  ["an ambit in an untrusted workspace is not started", async () => {
    assert.ok(folder && !vscode.workspace.isTrusted);
    assert.deepEqual(onPath(), []);
    const ran = join(folder, "was-run");
    const ambit = await vscode.extensions.getExtension<AmbitApi>("ambit.ambit")?.activate();
    assert.ok(ambit);
    await until(ambit, () => ambit.status.state === "stopped" && ambit.status.message !== "");
    assert.match(ambit.status.message, /neither on the PATH nor installed by npm/);
    assert.ok(!existsSync(ran), "the program of the workspace ran");
  }],
];

/** Runs the test. universal.mjs reads the last line. */
export async function run(): Promise<void> {
  if (folder === undefined) {
    return again();
  }
  await runTests(tests);
}
