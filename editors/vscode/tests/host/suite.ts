// Runs in the real extension host, with the packaged extension installed: a workspace of
// two folders, the "doc" of cobra and the rest, "cobra". See run.mjs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import type { AmbitApi, ContextAnswer, PanelState } from "../../api/ambit";
import { type Problem, problemOf } from "../../src/core/problem";
import { definitions } from "../../src/mcp";
import { again, onPath, runs, runTests, type Test, until } from "./tests";

const none: vscode.WorkspaceFolder = { uri: vscode.Uri.file("/"), name: "", index: 0 };
const [doc = none, cobra = none] = vscode.workspace.workspaceFolders ?? [];
const docs = vscode.Uri.joinPath(doc.uri, "md_docs.go");
const declaration = "GenMarkdownCustom(cmd *";
const extension = vscode.extensions.getExtension<AmbitApi>("ambit.ambit");
let ambit: AmbitApi;

/** Opens a file with the cursor on the first occurrence of a text. */
async function open(uri: vscode.Uri, text: string): Promise<vscode.TextEditor> {
  const editor = await vscode.window.showTextDocument(uri);
  const at = editor.document.getText().indexOf(text);
  assert.ok(at >= 0, `${uri.path} has ${text}`);
  const p = editor.document.positionAt(at);
  editor.selection = new vscode.Selection(p, p);
  return editor;
}

const names = (a: ContextAnswer): string[] => a.sources.map((s) => s.identifier);

/** Runs a tool as a language model does. */
async function invoke(name: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
  return result.content.map((c) => (c instanceof vscode.LanguageModelTextPart ? c.value : "")).join("");
}

const tests: Test[] = [
  ["the extension exports an interface, and its index becomes ready by itself", async () => {
    assert.ok(extension);
    ambit = await extension.activate();
    assert.equal(ambit.version, 1);
    await until(ambit, () => ambit.status.state === "ready" && ambit.status.files > 40);
  }],

  ["the server is the one of the package, and no other is on the PATH", async () => {
    assert.deepEqual(onPath(), []);
    assert.ok(extension && runs(`${extension.extensionPath}/server/ambit`));
  }],

  ["the package has its licence and its changes", async () => {
    assert.ok(extension);
    const textOf = async (name: string): Promise<string> => new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extension.extensionUri, name)));
    assert.match(await textOf("LICENSE.txt"), /MIT License/);
    assert.match(await textOf("changelog.md"), /^# Changelog/);
  }],

  ["the context of a place is within its budget", async () => {
    const editor = await open(docs, declaration);
    const a = await ambit.getContext(docs, editor.selection.active, { budget: 3000, format: "xml" });
    assert.equal(a.symbol?.identifier, "GenMarkdownCustom");
    assert.ok(a.tokens <= 3000 && a.text.startsWith("<codebase_context"), a.text.slice(0, 80));
    assert.ok(names(a).includes("GenMarkdownCustom") && names(a).includes("GenMarkdown"), names(a).join(" "));
  }],

  ["an answer includes unsaved text", async () => {
    const editor = await open(docs, declaration);
    const start = editor.document.lineAt(editor.selection.active.line + 1).range.start;
    await editor.edit((e) => e.insert(start, "\tunsavedMarker := 42\n"));
    const a = await ambit.getContext(docs, editor.selection.active);
    assert.match(a.text, /unsavedMarker := 42/);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    assert.doesNotMatch((await ambit.getContext(docs, editor.selection.active)).text, /unsavedMarker/);
  }],

  ["a small budget keeps pins, and an answer leaves drops out", async () => {
    const editor = await open(docs, declaration);
    const ask = (o: object): Promise<ContextAnswer> => ambit.getContext(docs, editor.selection.active, o);
    const all = await ask({ budget: 8000 });
    const [last, second] = [all.sources.at(-1), all.sources[1]];
    assert.ok(last && second);
    assert.ok(names(await ask({ budget: 1000, pin: [last.id] })).includes(last.identifier));
    assert.ok(!(await ask({ budget: 8000, drop: [second.id] })).sources.some((s) => s.id === second.id));
  }],

  ["a question in words is answered from the folder with the code", async () => {
    const a = await ambit.askContext("how is the usage line of a command made", { budget: 2000 });
    assert.ok(a.sources.some((s) => s.uri.startsWith(cobra.uri.toString())), a.sources.map((s) => s.uri).join(" "));
  }],

  ["a search spans all folders", async () => {
    const found = await ambit.search("print the flags of a command", { limit: 50 });
    for (const f of [doc, cobra]) {
      assert.ok(found.some((m) => m.uri.startsWith(f.uri.toString())), f.name);
    }
  }],

  ["what belongs with a symbol has reasons, and a source its score", async () => {
    const editor = await open(docs, declaration);
    const found = await ambit.related(docs, editor.selection.active, { limit: 30 });
    assert.ok(found.some((m) => m.identifier === "GenMarkdown" && m.reason), JSON.stringify(found.map((m) => m.identifier)));
    const question = { uri: docs, position: editor.selection.active };
    const [first] = (await ambit.getContext(docs, question.position)).sources;
    assert.ok(first);
    for (const source of [first.id, first.identifier]) {
      const explained = await ambit.explain(question, source);
      assert.equal(explained.rank, 1);
      assert.ok(explained.why.length > 0);
    }
    assert.ok((await ambit.explain({ query: "markdown documentation" }, "GenMarkdown")).rank > 0);
  }],

  ["the chunks of a file are in order", async () => {
    const chunks = (await ambit.chunks(docs)).filter((c) => !c.summary);
    assert.ok(chunks.some((c) => c.identifier === "GenMarkdownCustom" && c.content.includes("func GenMarkdownCustom")));
    assert.deepEqual(chunks.map((c) => c.start), chunks.map((c) => c.start).toSorted((a, b) => a - b));
  }],

  ["another extension shows the panel, and knows its question, pins and drops until it closes", async () => {
    const seen: unknown[] = [];
    const listener = ambit.onDidChangePanel((p) => seen.push(p && ("query" in p.question ? p.question.query : p.question.position.line)));
    const shown = (): PanelState | undefined => ambit.panel;
    assert.equal(shown(), undefined);
    await ambit.showPanel({ query: "how are flags completed" });
    assert.deepEqual(shown(), { question: { query: "how are flags completed" }, pinned: [], dropped: [] });
    const { active } = (await open(docs, declaration)).selection;
    await ambit.showPanel({ uri: docs, position: active });
    const asked = shown()?.question;
    assert.ok(asked && "uri" in asked && asked.uri.toString() === docs.toString());
    const panel = vscode.window.tabGroups.all.flatMap((g) => g.tabs).find((t) => t.label.startsWith("Context"));
    assert.ok(panel);
    await vscode.window.tabGroups.close(panel);
    assert.equal(shown(), undefined);
    assert.deepEqual(seen, ["how are flags completed", active.line, undefined]);
    listener.dispose();
  }],

  ["each folder answers for its files", async () => {
    const command = vscode.Uri.joinPath(cobra.uri, "command.go");
    const editor = await open(command, "UseLine() string");
    assert.equal((await ambit.getContext(command, editor.selection.active)).symbol?.path, "command.go");
  }],

  ["an untitled document has a context", async () => {
    const document = await vscode.workspace.openTextDocument({ language: "go", content: "package p\n\nfunc fresh() int { return stale() }\nfunc stale() int { return 1 }\n" });
    const a = await ambit.getContext(document.uri, new vscode.Position(2, 6));
    assert.ok(["fresh", "stale"].every((n) => names(a).includes(n)), names(a).join(" "));
  }],

  ["a cancelled request throws a CancellationError", async () => {
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    await assert.rejects(ambit.search("x", {}, source.token), (e) => e instanceof vscode.CancellationError);
  }],

  ["an invalid question is refused in one line that names the next step", async () => {
    await assert.rejects(ambit.getContext(docs, new vscode.Position(0, 0), { budget: 1 }), /^[^\n]*budget[^\n]*200[^\n]*$/);
  }],

  ["the hover comes after that of the language, has three lines, and links that show and copy", async () => {
    const editor = await open(docs, declaration);
    const own = vscode.languages.registerHoverProvider({ language: "go", scheme: "file" }, { provideHover: () => new vscode.Hover("of the language") });
    await vscode.commands.executeCommand("ambit.restartServer"); // so that its hover is the younger one
    await until(ambit, () => ambit.status.state === "ready");
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>("vscode.executeHoverProvider", docs, editor.selection.active);
    own.dispose();
    const [first, second] = hovers.map((h) => h.contents.map((m) => (m instanceof vscode.MarkdownString ? m.value : String(m))).join("\n"));
    assert.equal(first, "of the language");
    assert.match(second ?? "", /^\*\*ambit\*\*.*GenMarkdownCustom/);
    assert.ok((second ?? "").trim().split("\n").length <= 3, second);
    const links = [...(second ?? "").matchAll(/\[(Show|Copy)\]\(command:([\w.]+)\?([^)]*)\)/g)];
    assert.deepEqual(links.map((l) => [l[1], l[2]]), [["Show", "ambit.showRelated"], ["Copy", "ambit.copyContext"]]);
    await vscode.env.clipboard.writeText("");
    await vscode.commands.executeCommand("ambit.copyContext", ...JSON.parse(decodeURIComponent(links[1]?.[3] ?? "")));
    assert.match(await vscode.env.clipboard.readText(), /func GenMarkdownCustom/);
  }],

  ["the code action copies in the format that the user picked last", async () => {
    const editor = await open(docs, declaration);
    const range = new vscode.Range(editor.selection.active, editor.selection.active);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", docs, range, "source.ambit");
    const copy = actions.find((a) => a.kind?.value === "source.ambit.copyContext");
    assert.ok(copy?.command, actions.map((a) => a.title).join(", "));
    await vscode.env.clipboard.writeText("");
    await vscode.commands.executeCommand(copy.command.command, ...(copy.command.arguments ?? []));
    assert.match(await vscode.env.clipboard.readText(), /func GenMarkdownCustom/);
  }],

  ["an answer opens as a document of the server", async () => {
    const { line, character } = (await open(docs, declaration)).selection.active;
    const query = JSON.stringify({ textDocument: { uri: docs.toString() }, position: { line, character }, format: "markdown" });
    const document = await vscode.workspace.openTextDocument(vscode.Uri.from({ scheme: "ambit-context", path: "/context/GenMarkdownCustom.md", query }));
    assert.match(document.getText(), /func GenMarkdownCustom/);
    assert.equal(document.languageId, "markdown");
  }],

  ["every command of the palette is registered", async () => {
    const there = new Set(await vscode.commands.getCommands(true));
    const titled: { command: string }[] = extension?.packageJSON.contributes.commands;
    assert.deepEqual(titled.map((c) => c.command).filter((c) => !there.has(c)), []);
  }],

  ["the keys of ambit do not collide with the default keys of VS Code", async () => {
    await vscode.commands.executeCommand("workbench.action.openDefaultKeybindingsFile");
    const text = vscode.window.activeTextEditor?.document.getText() ?? "";
    const all: { key: string; command: string }[] = JSON.parse(text.slice(0, text.lastIndexOf("]") + 1).replace(/^\s*\/\/.*$/gm, ""));
    assert.ok(all.length > 500, `${all.length} default keybindings`);
    const ours = all.filter((k) => k.command.startsWith("ambit."));
    assert.ok(ours.length >= 3);
    const collide = (a: string, b: string): boolean => a === b || `${a} `.startsWith(`${b} `) || `${b} `.startsWith(`${a} `);
    // Ctrl+K alone is bound in one editor of Markdown, where no chord of VS Code works.
    const theirs = all.filter((k) => !k.command.startsWith("ambit.") && k.key !== "ctrl+k");
    const taken = ours.flatMap((o) => theirs.filter((k) => collide(o.key, k.key)).map((k) => `${o.key}: ${k.command}`));
    assert.deepEqual(taken, []);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
  }],

  ["language models have the two tools, with schemas", async () => {
    for (const name of ["ambit_context", "ambit_search"]) {
      const tool = vscode.lm.tools.find((t) => t.name === name);
      assert.ok(tool && tool.description.length > 200, name);
      assert.equal((tool.inputSchema as { type: string }).type, "object");
    }
  }],

  ["a model asks by file and symbol, even when its line is slightly wrong", async () => {
    const text = await invoke("ambit_context", { filePath: "doc/md_docs.go", line: 54, symbol: "GenMarkdownCustom", budget: 2000 });
    assert.match(text, /^\[folder: doc; paths are relative to it\]\n/);
    assert.match(text, /query: GenMarkdownCustom/);
    assert.match(text, /func GenMarkdownCustom/);
    assert.match(text, /\n\[index: up to date\]$/);
  }],

  ["a model asks in words", async () => {
    assert.match(await invoke("ambit_context", { query: "markdown documentation of commands", budget: 1500 }), /CODEBASE CONTEXT/);
  }],

  ["a model searches, and gets places with their folder and their best lines", async () => {
    const { results, index } = JSON.parse(await invoke("ambit_search", { query: "GenMarkdownCustom", limit: 3 }));
    assert.equal(results[0].identifier, "GenMarkdownCustom");
    assert.deepEqual(Object.keys(results[0]), ["path", "start_line", "end_line", "identifier", "kind", "score", "snippet"]);
    assert.equal(results[0].path, "doc/md_docs.go");
    assert.match(results[0].snippet.text, /func GenMarkdownCustom/);
    assert.match(String(results[0].score), /^\d(\.\d\d?)?$/);
    assert.equal(index, "[index: up to date]");
  }],

  ["a model searches in a folder, a directory or a file, however it writes them", async () => {
    for (const path of ["doc", "doc/md_docs.go", docs.fsPath, doc.uri.fsPath]) {
      const { results } = JSON.parse(await invoke("ambit_search", { query: "GenMarkdownCustom", path, language: "Go" }));
      assert.equal(results[0]?.identifier, "GenMarkdownCustom", path);
      assert.ok(results.every((r: { path: string }) => r.path.startsWith("doc/")), path);
    }
    await assert.rejects(invoke("ambit_search", { query: "x", language: "cobol" }), /no file is cobol; use one of .*go/);
    await assert.rejects(invoke("ambit_search", { query: "x", kind: "nosuch" }), /kind: use one of function, method/);
    assert.match(JSON.parse(await invoke("ambit_search", { query: "x", path: "nowhere" })).note, /without path/);
  }],

  ["the context is added to the chat as a file", async () => {
    await open(docs, declaration);
    await vscode.commands.executeCommand("ambit.addToChat");
    const file = vscode.Uri.from({ scheme: "ambit-chat", path: "/GenMarkdownCustom.md" });
    assert.match(new TextDecoder().decode(await vscode.workspace.fs.readFile(file)), /func GenMarkdownCustom/);
    await vscode.window.showTextDocument(docs);
  }],

  ["agents in VS Code are offered the MCP server, which knows all folders", async () => {
    assert.ok(extension);
    const [server, ...more] = await definitions(extension);
    assert.ok(server && more.length === 0);
    const child = spawn(server.command, server.args, { cwd: server.cwd?.fsPath, stdio: ["pipe", "pipe", "inherit"] });
    const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object): Promise<{ tools: { name: string }[]; content: { text: string }[] }> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      return JSON.parse((await answers.next()).value).result;
    };
    await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "suite", version: "1" } });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    assert.ok((await ask(2, "tools/list", {})).tools.some((t) => t.name === "context"));
    for (const [id, folder, query] of [[3, doc, "GenMarkdownCustom"], [4, cobra, "UseLine"]] as const) {
      const found = await ask(id, "tools/call", { name: "search", arguments: { query, workspace: folder.uri.fsPath } });
      assert.match(found.content[0]?.text ?? "", new RegExp(query));
    }
    child.stdin.end();
    await new Promise((r) => child.once("exit", r));
  }],

  ["an invalid question of a model is refused with the next step", async () => {
    await assert.rejects(invoke("ambit_context", { filePath: "/etc/passwd" }), /in no folder that is open/);
    await assert.rejects(invoke("ambit_context", { filePath: "doc/md_docs.go", symbol: "nothingLikeThis" }), /no declaration in md_docs.go is named nothingLikeThis/);
    await assert.rejects(invoke("ambit_context", {}), /Give symbol, or filePath with line, or query/);
  }],

  ["another extension uses the interface", async () => {
    await open(docs, declaration);
    assert.ok(((await vscode.commands.executeCommand<number>("neighbour.countSources")) ?? 0) > 3);
  }],

  ["indexing pauses and goes on", async () => {
    await vscode.commands.executeCommand("ambit.pauseIndexing");
    await until(ambit, () => ambit.status.state === "paused");
    await vscode.commands.executeCommand("ambit.resumeIndexing");
    await until(ambit, () => ambit.status.state === "ready");
  }],

  ["the index answers after a rebuild", async () => {
    await vscode.commands.executeCommand("ambit.rebuild");
    await until(ambit, () => ambit.status.state === "ready");
    assert.equal((await ambit.search("GenMarkdownCustom"))[0]?.identifier, "GenMarkdownCustom");
  }],

  ["settings reach the server without a restart", async () => {
    const settings = vscode.workspace.getConfiguration("ambit");
    const at = (await open(docs, declaration)).selection.active;
    await settings.update("budget", 1000, vscode.ConfigurationTarget.Global);
    const end = performance.now() + 180_000;
    while ((await ambit.getContext(docs, at)).budget !== 1000) {
      assert.ok(performance.now() < end, "the server uses the budget");
      await new Promise((r) => setTimeout(r, 50)); // the client sends settings in a message of its own
    }
    await settings.update("budget", undefined, vscode.ConfigurationTarget.Global);
  }],

  ["a file that is too large is reported with the setting, and a button opens it", async () => {
    const settings = vscode.workspace.getConfiguration("ambit");
    const large = vscode.Uri.joinPath(cobra.uri, "completions.go");
    const problem = (): Promise<Problem | undefined> => ambit.chunks(large).then(() => undefined, problemOf);
    assert.equal(await problem(), undefined);
    await settings.update("maxFileBytes", 5000, vscode.ConfigurationTarget.Global);
    const end = performance.now() + 180_000;
    let found = await problem();
    while (!found?.text.includes("too large")) {
      assert.ok(performance.now() < end, `the server uses the limit: ${found?.text}`);
      await new Promise((r) => setTimeout(r, 50)); // the client sends settings in a message of its own
      found = await problem();
    }
    assert.match(found.text, /\(too large\)\. The setting ambit\.maxFileBytes is the limit\.$/);
    assert.deepEqual(found.remedies.map((r) => r.title), ["Change the Limit", "Show Index Status"]);
    await settings.update("maxFileBytes", undefined, vscode.ConfigurationTarget.Global);
    while (await problem()) {
      assert.ok(performance.now() < end, "the limit is the usual one");
      await new Promise((r) => setTimeout(r, 50));
    }
  }],

  ["a missing server is reported, and the next one starts", async () => {
    const settings = vscode.workspace.getConfiguration("ambit");
    await settings.update("server.path", "/nowhere/ambit", vscode.ConfigurationTarget.Global);
    await until(ambit, () => ambit.status.state === "stopped" && ambit.status.message !== "");
    assert.match(ambit.status.message, /ambit\.server\.path names \/nowhere\/ambit, which does not exist\. Correct it/);
    await assert.rejects(ambit.search("x"), /does not exist/);
    await settings.update("server.path", "/bin/false", vscode.ConfigurationTarget.Global);
    await until(ambit, () => ambit.status.state === "stopped" && ambit.status.message.includes("did not start"));
    await assert.rejects(ambit.search("x"), /did not start: .*ambit\.server\.path/);
    await settings.update("server.path", undefined, vscode.ConfigurationTarget.Global);
    await until(ambit, () => ambit.status.state === "ready");
    assert.ok((await ambit.search("GenMarkdownCustom")).length > 0);
  }],
];

/** Runs the tests in order. run.mjs reads the last line. */
export async function run(): Promise<void> {
  if (cobra === none) {
    return again();
  }
  await runTests(tests);
}
