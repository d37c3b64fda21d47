// journey.mjs VSIX: what a user does, in real VS Code in a browser: installs the packaged
// extension and uses all of it. Prints each step with its time, exits with 1 when one fails.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, Workbench } from "../lib/browser.mjs";
import { CodeServer } from "../lib/codeserver.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const repository = resolve(here, "../../../..");
const vsix = resolve(process.argv[2]);
const dir = mkdtempSync(join(tmpdir(), "ambit-journey-"));
const workspace = join(dir, "work");
for (const part of ["server/lsp", "server/format"]) {
  cpSync(join(repository, part), join(workspace, part), { recursive: true });
}

const server = new CodeServer(dir);
server.settings({ "workbench.startupEditor": "none", "chat.disableAIFeatures": true, "window.commandCenter": false });

let browser;
let w;
async function step(name, run) {
  const at = performance.now();
  await run();
  console.log(`ok ${(performance.now() - at).toFixed(0).padStart(6)} ms  ${name}`);
}

try {
  await step("install the packaged extension", () => assert.match(server.install(vsix), /successfully installed/));
  await step("open a folder", async () => {
    await server.start();
    browser = await launch();
    w = await Workbench.open(browser, server.url, workspace);
  });
  await step("the index gets ready by itself", () => w.ready());
  await step("one click in the title bar of the editor shows the context panel", async () => {
    await w.openFile("hover.go", 77, 7);
    await w.page.locator('.editor-actions').getByLabel('Show Related Context').first().click();
    await w.panel.getByRole("heading", { level: 1, name: "renderCard" }).waitFor();
    assert.ok((await w.panel.locator("li.source").count()) > 5);
  });
  await step("the panel copies what it shows", async () => {
    await w.panel.getByRole("button", { name: "Copy" }).click();
    await w.panel.locator(".toast.shown").waitFor();
    assert.match(await w.clipboard(), /func renderCard/);
  });
} catch (e) {
  console.error(e);
  const shot = join(tmpdir(), "ambit-journey-failed.png");
  await w?.page.screenshot({ path: shot });
  console.error(`what it looked like: ${shot}`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
