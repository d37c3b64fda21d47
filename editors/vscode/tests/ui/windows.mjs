// windows.mjs VSIX [SHOTS]: tests unusual windows in real VS Code in a browser: a restricted
// window, windows without a folder, with two folders and with 11,000 files; a missing server
// and a server that crashes repeatedly; and the output channel.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { launch, placeOf, Workbench } from "../lib/browser.mjs";
import { CodeServer } from "../lib/codeserver.mjs";
import { insist } from "../lib/insist.mjs";
import { eventually, running } from "../lib/processes.mjs";
import { runSteps } from "../lib/steps.mjs";
import { bigTree, copyCobra } from "../lib/trees.mjs";

const vsix = resolve(process.argv[2]);
const shots = process.argv[3] && resolve(process.argv[3]);
const dir = mkdtempSync(join(tmpdir(), "ambit-windows-"));
const workspace = join(dir, "cobra");
const touched = join(dir, "the-workspace-started-this");
const server = new CodeServer(dir, { trust: false });
let browser;
let w;

copyCobra(workspace);
const file = join(workspace, "doc/md_docs.go");
const custom = placeOf(file, "GenMarkdownCustom(cmd *");

/** A workspace whose settings name its own program. */
mkdirSync(join(workspace, ".vscode"));
const evil = join(workspace, "server.sh");
writeFileSync(evil, `#!/bin/sh\ntouch ${touched}\n`, { mode: 0o755 });
const own = { "ambit.server.path": evil, "ambit.cacheDir": join(workspace, "cache"), "ambit.exclude": ["doc/"], "ambit.format": "xml" };
writeFileSync(join(workspace, ".vscode/settings.json"), JSON.stringify(own));

const steps = [
  ["an untrusted folder is indexed, and its settings are ignored", async () => {
    assert.match(server.install(vsix), /successfully installed/);
    server.set({ "security.workspace.trust.startupPrompt": "never" });
    await server.start();
    browser = await launch();
    await open(workspace);
    await w.page.locator('.statusbar-item[id*="workspaceTrust"]').first().waitFor();
    await w.ready();
    await w.openFile("md_docs.go", custom);
    await w.command("Ambit: Show Related Context");
    await w.panel.answers("GenMarkdownCustom");
    await w.panel.row("printOptions").waitFor(); // its file is below doc/
    assert.equal(await w.panel.locator("select").inputValue(), "markdown");
    await shot("restricted");
  }],
  ["the settings of a trusted folder count, except those that name a program or a directory", async () => {
    const before = server.ambit(["status", "--json", "--root", workspace]).files;
    await w.command("Workspaces: Manage Workspace Trust");
    const trust = w.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true });
    const restricted = w.page.locator('.statusbar-item[id*="workspaceTrust"]').first();
    await insist("the folder is trusted", async (timeout) => (await restricted.isVisible()) && trust.click({ timeout }), (timeout) => restricted.waitFor({ state: "hidden", timeout }));
    await eventually("doc/ is left out", () => server.ambit(["status", "--json", "--root", workspace]).files < before);
    await w.ready();
    assert.equal(existsSync(touched), false, "the workspace's program was started");
    assert.equal(existsSync(join(workspace, "cache")), false, "the index is in the workspace");
    assert.equal(running(server.extensions).length, 1);
  }],

  ["without a folder, the commands name the next step", async () => {
    await open(undefined);
    await w.command("Ambit: Show Related Context");
    const toast = w.toast("Open a file and put the cursor on a symbol");
    await toast.locator(".codicon-info").first().waitFor(); // it is no error
    await toast.getByRole("button", { name: "Open a File…" }).waitFor();
    await shot("no-folder");
    await w.status("No folder is open");
    await w.command("Notifications: Clear All Notifications");
    await w.command("Ambit: Search by Meaning…");
    await w.type("anything");
    await w.row("Open a folder to search in it").waitFor();
    await shot("no-folder-search");
    await w.escape();
  }],
  ["without a folder, an untitled document has a context", async () => {
    await insist("a new file", () => w.page.keyboard.press("Control+Alt+n"), (timeout) => w.page.locator(".editor-group-container.active .monaco-editor.focused").waitFor({ timeout }));
    await w.page.keyboard.insertText("func fresh() int { return stale() }\nfunc stale() int { return 1 }\n");
    await w.goTo({ line: 1, column: 6 });
    await w.command("Ambit: Show Related Context");
    await w.panel.locator("li.source").first().waitFor();
    await shot("untitled");
  }],

  ["a missing server is reported in a message, in the status bar and in the panel", async () => {
    await open(workspace);
    await w.openFile("command.go", placeOf(join(workspace, "command.go"), "UseLine() string"));
    await w.command("Ambit: Show Related Context");
    await w.panel.answers("Command.UseLine");
    server.set({ "ambit.server.path": "/nowhere/ambit" });
    await w.toast("/nowhere/ambit, which does not exist").waitFor();
    await w.status("/nowhere/ambit, which does not exist");
    await insist("the panel says so", (timeout) => w.panel.button("Refresh").click({ timeout }), (timeout) => w.panel.locator(".problem", { hasText: "does not exist" }).waitFor({ timeout }));
    await shot("no-server");
    server.set({ "ambit.server.path": "" });
    await w.ready();
    await w.panel.locator("li.source").first().waitFor();
    assert.equal(await w.panel.locator(".problem").count(), 0);
    await w.command("Notifications: Clear All Notifications");
  }],
  ["a server that crashes repeatedly is not restarted any more, with one more message, until the user restarts it", async () => {
    const killed = new Set();
    for (let deaths = 0; deaths < 6; deaths++) {
      await eventually(`server ${deaths + 1} runs`, () => running(server.extensions).some((p) => !killed.has(p)));
      const [pid] = running(server.extensions).filter((p) => !killed.has(p));
      killed.add(pid);
      process.kill(pid, "SIGKILL");
    }
    await w.status("stopped again and again");
    await shot("given-up");
    const shown = (await w.messages()).filter((text) => /server/.test(text));
    assert.equal(shown.length, 2, shown.join("; "));
    const restart = w.page.locator(".notifications-center").getByRole("button", { name: "Restart Server" });
    await restart.waitFor();
    await insist("the server is restarted", async (timeout) => (await restart.isVisible()) && restart.click({ timeout }), (timeout) => w.status("The index is ready", timeout));
    await w.command("Notifications: Clear All Notifications");
  }],
  ["the output channel shows what the setting selects", async () => {
    const traced = () => server.log().match(/Sending request '/g)?.length ?? 0;
    const answered = () => server.log().match(/context answered/g)?.length ?? 0;
    const ask = () => w.panel.button("Refresh").click();
    assert.equal(traced(), 0, "off");
    server.set({ "ambit.trace.server": "messages" });
    await eventually("messages are shown", async () => (await ask(), traced() > 0));
    assert.doesNotMatch(server.log(), /Params: /, "without their content");
    server.set({ "ambit.trace.server": "verbose" });
    await eventually("their content is shown", async () => (await ask(), /Params: /.test(server.log())));
    server.set({ "ambit.trace.server": "off" });
    await eventually("no more messages are shown", async () => {
      const [before, answers] = [traced(), answered()];
      await ask();
      await eventually("an answer is logged", () => answered() > answers); // after the lines of the trace
      return traced() === before;
    });
  }],

  ["both folders of a window are indexed and answer", async () => {
    const two = join(dir, "two");
    mkdirSync(two);
    copyCobra(join(two, "cobra"));
    renameSync(join(two, "cobra/doc"), join(two, "doc"));
    const both = join(two, "two.code-workspace");
    writeFileSync(both, JSON.stringify({ folders: [{ path: "cobra" }, { path: "doc" }] }));
    // Sometimes VS Code opens such a workspace without its folders.
    await insist("both folders are open", () => open(both), (timeout) => w.status("The index is ready: 64 files", timeout));
    await w.indexStatus(w.page.locator(".quick-input-list-separator", { hasText: "cobra" }));
    for (const name of ["cobra", "doc"]) {
      await w.page.locator(".quick-input-list-separator", { hasText: name }).first().waitFor();
    }
    await shot("two-folders");
    await w.escape();
    await w.command("Ambit: Ask for Context…");
    await w.type("markdown documentation of a command", { enter: true });
    await w.panel.answers("markdown documentation of a command");
    await w.panel.locator(".where", { hasText: "doc/md_docs.go" }).first().waitFor();
    await shot("two-folders-panel");
  }],

  ["Search Dependencies… lists declarations, previews them, and its button leads to the workspace and back", async () => {
    const bank = join(dir, "bank");
    const money = join(server.home, "go/pkg/mod/example.org/money@v1.2.3");
    for (const at of [bank, money]) {
      mkdirSync(at, { recursive: true });
    }
    writeFileSync(join(money, "go.mod"), "module example.org/money\n");
    writeFileSync(join(money, "money.go"), "package money\n\n// Round rounds cents up.\nfunc Round(cents int) int { return (cents + 99) / 100 }\n");
    writeFileSync(join(bank, "go.mod"), "module bank\n\ngo 1.21\n\nrequire example.org/money v1.2.3\n");
    writeFileSync(join(bank, "bank.go"), 'package bank\n\nimport "example.org/money"\n\nfunc Balance() int { return money.Round(1) }\n');
    await open(bank);
    await w.ready();
    await w.command("Ambit: Search Dependencies…");
    await w.type("round cents");
    await w.row("money.Round", { focused: true }).filter({ hasText: "example.org/money@v1.2.3/money.go:3" }).waitFor();
    await w.shows("money.go");
    await shot("dependencies");
    const button = (name) => w.page.locator(".quick-input-titlebar").getByRole("button", { name });
    const title = (text) => w.page.locator(".quick-input-title", { hasText: text });
    await insist("the workspace is searched", (timeout) => button("Search the workspace").click({ timeout }), (timeout) => title("Search by Meaning").waitFor({ timeout }));
    await w.row("Balance").first().waitFor();
    await insist("the dependencies are searched", (timeout) => button("Search the declarations of dependencies").click({ timeout }), (timeout) => title("Search Dependencies").waitFor({ timeout }));
    await w.type("zzzqqq");
    await w.row("Nothing was found").waitFor();
    await w.type("round cents");
    await w.row("money.Round", { focused: true }).waitFor();
    await w.accept("round cents");
    await w.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await w.shows("money.go");
    await w.page.keyboard.insertText("x"); // the file is read-only
    await w.page.locator(".monaco-editor-overlaymessage", { hasText: "read-only" }).waitFor();
  }],
  ["a cursor in the source of a dependency, which the panel has opened, has an answer in the panel", async () => {
    await w.openFile("bank.go", placeOf(join(dir, "bank/bank.go"), "Balance() int"));
    await w.command("Ambit: Show Related Context");
    await w.panel.answers("Balance");
    await insist("the source opens", (timeout) => w.panel.row("money.Round").locator(".name").click({ timeout }), (timeout) => w.shows("money.go", timeout));
    await w.editor("money.go");
    await w.goTo(placeOf(join(server.home, "go/pkg/mod/example.org/money@v1.2.3/money.go"), "Round(cents int)"));
    await w.command("Ambit: Show Related Context");
    await w.panel.answers("money.Round");
    await w.panel.row("Balance").waitFor(); // its user in the workspace
    await shot("in-a-dependency");
  }],
  ["indexing 11,000 files shows its progress; Cancel pauses it, and Resume continues it", async () => {
    await open(bigTree());
    const progress = w.page.locator('.statusbar-item[id="status.progress"]', { hasText: "indexing" });
    await progress.waitFor();
    await w.status("Indexing ");
    assert.doesNotMatch(await w.page.locator('.statusbar-item[id*="ambit.status"] a').innerText(), /\d/, "one progress has the number");
    const [pid] = running(server.extensions);
    process.kill(pid, "SIGSTOP"); // so that it does not finish before the click
    const cancel = w.page.locator(".notifications-center").getByRole("button", { name: "Cancel" });
    await insist("the progress is shown", async (timeout) => (await cancel.isVisible()) || progress.click({ timeout }), (timeout) => cancel.waitFor({ timeout }));
    await shot("indexing");
    const pause = async (timeout) => {
      await ((await cancel.isVisible()) && cancel.click({ timeout }));
      process.kill(pid, "SIGCONT");
    };
    await insist("Cancel pauses", pause, (timeout) => w.status("Indexing is paused", timeout));
    await progress.waitFor({ state: "hidden" });
    await shot("paused");
    await w.command("Ambit: Resume Indexing");
    await w.status("Indexing ");
    await w.command("Ambit: Pause Indexing");
    await w.status("Indexing is paused");
  }],
  ["a copy of an answer that lacks files says so, and so does the panel", async () => {
    await w.command("Ambit: Ask for Context…");
    await w.type("how are slices sorted", { enter: true });
    await w.panel.answers("how are slices sorted");
    const notice = w.panel.locator(".toast", { hasText: /^Copied [\d,]+ tokens as \w+; [\d,]+ files are not in this answer$/ });
    await insist("the copy says so", (timeout) => w.panel.button("Copy").click({ timeout }), (timeout) => notice.waitFor({ timeout }));
    assert.match(await w.clipboard(), /\bindex(: |=")paused; [\d,]+ files are not in this answer/i);
    await w.panel.locator(".notice", { hasText: "Indexing is paused." }).waitFor();
  }],
  ["no server runs after the windows are closed", async () => {
    await browser.close();
    await eventually("the servers end", () => running(server.extensions).length === 0);
  }],
];

/** Closes the window and opens another one. */
async function open(folder) {
  await w?.close();
  w = undefined;
  await eventually("the server of the closed window ends", () => running(server.extensions).length === 0);
  w = await Workbench.open(browser, server.url, folder);
}

async function shot(name) {
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await w.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}

try {
  await runSteps("windows", steps, () => w);
} finally {
  await browser?.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
