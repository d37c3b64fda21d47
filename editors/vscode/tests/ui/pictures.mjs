// pictures.mjs VSIX [MEDIA]: takes the pictures of the README, the extension page and the
// walkthrough in real VS Code, and checks that the walkthrough shows its own. Writes
// the pictures to MEDIA, and a film of them, which is made only for it.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, placeOf, Workbench } from "../lib/browser.mjs";
import { CodeServer } from "../lib/codeserver.mjs";
import { Film } from "../lib/film.mjs";
import { insist } from "../lib/insist.mjs";
import { eventually } from "../lib/processes.mjs";
import { runSteps } from "../lib/steps.mjs";
import { copyCobra } from "../lib/trees.mjs";

const extension = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const vsix = resolve(process.argv[2]);
const dir = mkdtempSync(join(tmpdir(), "ambit-pictures-"));
const media = process.argv[3] ? resolve(process.argv[3]) : dir;
const workspace = join(dir, "cobra");
const size = { width: 1120, height: 680 };
const server = new CodeServer(dir);
const taken = [];
const asked = process.argv[3] !== undefined;
let browser;
let w;
let film;

copyCobra(workspace);
const file = join(workspace, "doc/md_docs.go");

const steps = [
  ["panel-dark: the panel beside a file", async () => {
    assert.match(server.install(vsix), /successfully installed/);
    server.set({ "workbench.colorTheme": "Default Dark Modern", "editor.fontSize": 13 });
    await server.start();
    browser = await launch();
    w = await Workbench.open(browser, server.url, workspace, size);
    await w.ready();
    await w.command("View: Toggle Primary Side Bar Visibility");
    film = new Film(w.page);
    await w.openFile("md_docs.go", placeOf(file, "GenMarkdownCustom(cmd *"));
    await scene(1.2);
    await w.command("Ambit: Show Related Context");
    await w.panel.answers("GenMarkdownCustom");
    await w.panel.locator("body.vscode-dark").waitFor();
    await picture("panel-dark");
    await scene(2.5);
  }],
  ["the text of a source, and a smaller budget", async () => {
    await w.panel.row("GenMarkdown").locator(".name").waitFor();
    await w.panel.expand("GenMarkdown");
    await w.panel.row("GenMarkdown").locator("pre .token.keyword").first().waitFor();
    await w.panel.row("GenMarkdown").scrollIntoViewIfNeeded();
    await scene(2.5);
    await w.panel.expand("GenMarkdown", false);
    await w.panel.setBudget(2000);
    await scene(2);
    await w.panel.setBudget(8000);
  }],
  ["search: the matches of a search, with a preview", async () => {
    await w.editor("md_docs.go");
    await w.command("Ambit: Search by Meaning…");
    await w.type("suggest similar commands");
    await w.row("suggest").first().waitFor();
    await w.row(/suggest/i, { focused: true }).first().waitFor();
    await eventually("the preview is shown", async () => (await w.page.locator(".tab.active.italic, .tab.active .monaco-icon-label.italic").count()) > 0);
    await picture("search");
    await scene(3);
    await w.escape();
  }],
  ["panel-light: the answer to a question in words, in the side bar", async () => {
    server.set({ "workbench.colorTheme": "Default Light Modern", "ambit.panel.location": "view" });
    await w.command("Ambit: Ask for Context…");
    await w.type("how are flags completed", { enter: true });
    await w.panel.answers("how are flags completed");
    await w.panel.locator("body.vscode-light").waitFor();
    await picture("panel-light");
  }],
  ["tour.gif: the film of the pictures", async () => {
    const path = join(asked ? media : join(extension, "media"), "tour.gif");
    if (asked) {
      writeFileSync(path, await film.gif(browser, 840));
    } else {
      console.log("   not made: it is made with a folder for the pictures; the stored one is checked");
    }
    assert.ok(statSync(path).size <= 600_000, `${statSync(path).size} bytes`);
    assert.match(readFileSync(join(extension, "README.md"), "utf8"), /\]\(media\/tour\.gif\)/);
  }],
  ["the README, the page and the walkthrough name these pictures and no others", () => {
    const named = ["README.md", "walkthrough/panel.md", "walkthrough/search.md"].flatMap((f) => [...readFileSync(join(extension, f), "utf8").matchAll(/\]\((?:\.\.\/)?media\/([\w-]+)\.png\)/g)].map((m) => m[1]));
    assert.deepEqual([...new Set(named)].sort(), taken.toSorted());
    for (const name of taken) {
      assert.ok(statSync(join(extension, "media", `${name}.png`)).size < 250_000, name);
    }
  }],
  ["the page of the extension has no broken picture, and begins with what an installed user does", async () => {
    await w.command("Extensions: Show Installed Extensions");
    let found;
    const page = async () => {
      for (const f of w.page.frames()) {
        found = await f.evaluate(() => ({ text: document.body.innerText, widths: [...document.images].map((i) => i.naturalWidth) })).catch(() => undefined);
        if (found?.text.startsWith("Ambit for VS Code")) {
          return true;
        }
      }
      return false;
    };
    const item = w.page.locator(".extension-list-item", { hasText: "Ambit" }).first();
    await insist("the page opens", (timeout) => item.click({ timeout }), (timeout) => eventually("the page is shown", page, timeout / 1000)); // the list is drawn again when the installed extensions are known
    assert.deepEqual(found.widths.filter((n) => n === 0), []);
    assert.match(found.text, /Start\s+Open a folder and a file/);
    assert.doesNotMatch(found.text, /make vscode/);
  }],
  ["the walkthrough shows its pictures", async () => {
    await w.page.setViewportSize({ width: 1500, height: 800 }); // a narrow one shows the steps alone
    await w.command("Welcome: Open Walkthrough...");
    await w.pick("Get Started with Ambit");
    for (const title of ["See the context of a symbol", "Search by meaning"]) {
      const step = w.page.locator(".getting-started-step", { hasText: title }).first();
      await insist(`the step ${title} is open`, (timeout) => step.click({ timeout }), (timeout) => w.page.locator(".getting-started-step.expanded", { hasText: title }).waitFor({ timeout }));
      assert.equal(await shown("img[alt^='The context panel'], img[alt^='Search by Meaning']"), 1);
    }
  }],
];

async function picture(name) {
  taken.push(name);
  await w.page.mouse.move(5, size.height - 5);
  await w.page.screenshot({ path: join(media, `${name}.png`), animations: "disabled" });
}

/** Adds a picture to the film, if one is made. */
async function scene(seconds) {
  if (asked) {
    await film.take(seconds);
  }
}

/** Waits until a webview has pictures of a selector and all of them are loaded. Returns their number. */
async function shown(selector) {
  let sizes = [];
  await eventually(`the pictures are loaded: ${selector}`, async () => {
    for (const f of w.page.frames()) {
      sizes = await f.evaluate((s) => [...document.querySelectorAll(s)].map((i) => i.checkVisibility() && i.complete && i.naturalWidth), selector).catch(() => []);
      if (sizes.length > 0) {
        return sizes.every((n) => n > 0);
      }
    }
    return false;
  }).catch((e) => assert.fail(`${e.message}: their widths are ${sizes}`));
  return sizes.length;
}

try {
  await runSteps("pictures", steps, () => w);
} finally {
  await browser?.close();
  await server.stop();
  rmSync(dir, { recursive: true, force: true });
}
