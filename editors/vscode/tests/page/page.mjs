// page.mjs [SHOTS]: tests the page of the panel in Chromium without VS Code: in every state,
// at widths that VS Code does not allow, in the colours of four themes (themes.json has the
// variables of VS Code that panel.css uses), and from the keyboard alone. Exits with 1 when
// something is cut off or axe-core reports a violation.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "../lib/browser.mjs";
import { eventually } from "../lib/processes.mjs";
import { printMeasured, runSteps } from "../lib/steps.mjs";
import { copyCobra } from "../lib/trees.mjs";
import { kinds, PanelPage, themes } from "./panelPage.mjs";
import { choice, statesOf } from "./states.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const extension = resolve(here, "../..");
const shots = process.argv[2] && resolve(process.argv[2]);
const dir = mkdtempSync(join(tmpdir(), "ambit-page-"));
const axe = readFileSync(join(extension, "node_modules/axe-core/axe.min.js"), "utf8");
const measured = {};

/** Returns a real answer, from which the states are made. */
function ask() {
  const tree = join(dir, "cobra");
  copyCobra(tree);
  const env = { ...process.env, HOME: dir, XDG_CACHE_HOME: join(dir, "cache") };
  const output = execFileSync(join(extension, "server/ambit"), ["context", "--json", "--root", tree, join(tree, "doc/md_docs.go:57:6")], { env, encoding: "utf8" });
  return JSON.parse(output);
}

const answer = ask();
const [first, second, third] = answer.sources;
const states = statesOf(answer);
const base = states["an answer"];
const widths = [200, 220, 299, 301, 480, 1000];
let browser;
let page;
let panel;

const load = (theme, width) => panel.load(theme, { width });
const paint = (state) => panel.paint(state);
const color = (state) => panel.color(state);
const posted = (type) => page.evaluate((type) => window.posted.filter((m) => m.type === type), type);
const focused = () => page.evaluate(() => document.activeElement.getAttribute("data-key") ?? document.activeElement.getAttribute("aria-label") ?? document.activeElement.id ?? document.activeElement.textContent);

/** Returns the elements beyond the right edge of the page, except those in an element that scrolls or clips. */
const sticksOut = () =>
  page.evaluate(() => {
    const clipped = (el) => el && el !== document.body && (/(auto|scroll|hidden|clip)/.test(getComputedStyle(el).overflowX) || clipped(el.parentElement));
    return [...document.body.querySelectorAll("*")]
      .filter((el) => el.checkVisibility() && el.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5 && !clipped(el.parentElement))
      .map((el) => `${el.tagName}.${el.getAttribute("class")}`)
      .slice(0, 5);
  });

async function violations() {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } }));
  return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 140)).slice(0, 3).join(" | ")}`);
}

const steps = [
  ...widths.map((width) => [`nothing is cut off at ${width} pixels`, async () => {
    await load("vscode-light", width);
    for (const [name, state] of Object.entries(states)) {
      await paint(state);
      assert.deepEqual(await sticksOut(), [], name);
      await shot(`${width} ${name}`, width === 200 || width === 480);
    }
  }]),
  ...Object.keys(themes).map((theme) => [`axe-core reports no violation in ${theme}`, async () => {
    for (const [name, state] of Object.entries(states)) {
      await load(theme);
      await paint(state);
      await color(state);
      assert.deepEqual(await violations(), [], name);
    }
  }]),
  ["Tab reaches every control, and the arrow keys reach every source", async () => {
    await load("vscode-dark");
    await paint(states["pins and drops"]);
    const stops = [];
    do {
      await page.keyboard.press("Tab");
      stops.push(await focused());
    } while (stops.at(-1) !== "clear" && stops.length < 40);
    const [pinned, dropped] = [choice(second).id, choice(third).id];
    for (const stop of ["Follow the cursor", "Refresh", "budget", "Format", `expand:${first.id}`, "pin-choice:gone", `drop-choice:${dropped}`, "clear"]) {
      assert.ok(stops.includes(stop), `${stop} is not among ${stops.join(", ")}`);
    }
    await page.locator(`[data-key="name:${first.id}"]`).focus();
    for (const { id } of answer.sources.slice(1)) {
      await page.keyboard.press("ArrowDown");
      assert.equal(await focused(), `name:${id}`);
    }
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("p");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Enter");
    assert.deepEqual([await posted("pin"), await posted("drop"), await posted("open")], [[{ type: "pin", id: pinned }], [{ type: "drop", id: pinned }], [{ type: "open", id: pinned, aside: false }]]);
  }],
  ["the arrow keys move the slider, and the panel asks once the slider rests", async () => {
    await load("vscode-dark");
    await paint(base);
    await page.locator("#budget").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await eventually("the page posts the budget", async () => (await posted("budget")).some((m) => m.budget === 16_000));
    assert.equal(await page.locator("#budget").getAttribute("aria-valuetext"), "16,000 tokens");
  }],
  ["the slider ends where a larger budget adds nothing", async () => {
    await load("vscode-dark");
    await paint(base);
    await page.locator("#budget").focus();
    await page.keyboard.press("ArrowRight");
    assert.equal((await posted("reach")).length, 1, "asked once");
    await eventually("the page posts the budget", async () => (await posted("budget")).length === 1);
    await paint({ ...base, budget: 12_000, reach: 16_000 });
    for (let i = 0; i < 5; i++) {
      await page.keyboard.press("ArrowRight");
    }
    await eventually("the page posts the last stop", async () => (await posted("budget")).at(-1).budget === 16_000);
    assert.equal(await page.locator("output").innerText(), "16,000, all");
    assert.equal(await page.locator("#budget").getAttribute("aria-valuetext"), "16,000 tokens, which show all there is");
  }],
  ["a new answer keeps the focus, and a screen reader announces it", async () => {
    await load("vscode-dark");
    await paint(base);
    await page.locator(`[data-key="pin:${third.id}"]`).focus();
    await paint({ ...base, pinned: [choice(third)] });
    assert.equal(await focused(), `pin:${third.id}`);
    await paint({ ...base, answer: { ...answer, sources: answer.sources.filter((s) => s.id !== third.id) } });
    assert.equal(await focused(), `name:${answer.sources[3].id}`, "the row in its place");
    assert.match(await page.locator("#live").textContent(), /^Context of GenMarkdownCustom: \d+ sources, [\d,]+ of 8,000 tokens\.$/);
    await paint(states["an error"]);
    assert.equal(await page.locator("#live").textContent(), states["an error"].error);
  }],
  ["a new answer keeps the focus and the place of a text that is read", async () => {
    await load("vscode-dark", 480);
    await paint(states["all expanded"]);
    const text = page.locator(`[data-key="text:${first.id}"]`);
    await text.focus();
    await text.evaluate((pre) => pre.scrollTo(20, 60));
    await paint({ ...states["all expanded"], explainAll: false, pinned: [choice(third)] });
    assert.equal(await focused(), `text:${first.id}`);
    assert.deepEqual(await text.evaluate((pre) => [pre.scrollLeft, pre.scrollTop]), [20, 60]);
    await page.locator(".outline summary").focus();
    await paint(base);
    assert.equal(await focused(), "summary:outline");
  }],
  ["an answer that lacks files says so at the top, with the reason and the next step", async () => {
    await load("vscode-dark");
    for (const [name, text, button, type] of [
      ["while indexing", "Not complete yet. 9,903 files are not in this answer.", "Show Index Status", "status"],
      ["paused", "Indexing is paused. 3 files are not in this answer.", "Resume Indexing", "resume"],
      ["a full disk", "no space left on device; free some space. 3 files are not in this answer.", "Show Output", "output"],
    ]) {
      await paint(states[name]);
      const first = page.locator(".body > *").first();
      assert.ok((await first.innerText()).includes(text), `${name}: ${await first.innerText()}`);
      await first.getByRole("button", { name: button }).click();
      assert.equal((await posted(type)).length, 1, name);
    }
    await paint(base);
    assert.equal(await page.locator(".notice, .problem").count(), 0);
  }],
  ["the question in words can be edited", async () => {
    await load("vscode-dark");
    await paint(base);
    assert.equal(await page.getByRole("button", { name: "Edit the question" }).count(), 0, "a symbol is not edited");
    await paint(states.words);
    const field = page.getByRole("textbox", { name: "Question" });
    await page.getByRole("button", { name: "Edit the question" }).click();
    assert.equal(await field.inputValue(), states.words.title);
    await field.fill("something else");
    await page.keyboard.press("Escape");
    assert.equal(await field.count(), 0);
    assert.equal(await focused(), "Edit the question");
    await page.getByRole("button", { name: "Edit the question" }).click();
    await field.fill("how are flags completed");
    await page.keyboard.press("Enter");
    assert.deepEqual(await posted("ask"), [{ type: "ask", query: "how are flags completed" }]);
  }],
  ["the numbers of the panel add up", async () => {
    await load("vscode-dark", 480);
    await paint(states["all expanded"]);
    const number = (text) => Number(text.replaceAll(",", ""));
    for (const section of await page.locator("section").all()) {
      const total = number((await section.locator("h2 .detail").innerText()).match(/([\d,]+) tokens/)[1]);
      const rows = (await section.locator(".tokens").allInnerTexts()).map(number);
      assert.ok(rows.length === 0 || rows.reduce((a, b) => a + b) === total, `${rows} is not ${total}`);
    }
    const [of, ...parts] = (await page.locator(".legend").innerText()).match(/[\d,]+(?= of)|(?<=(Primary|Supporting|Structure|Framework|Markup) )[\d,]+/g).map(number);
    assert.equal(parts.reduce((a, b) => a + b), of);
    for (const table of await page.locator("table.signals").all()) {
      const terms = (await table.locator("tbody td").allInnerTexts()).map(number);
      if (terms.length > 1) {
        const open = terms.reduce((left, s) => left * (1 - s), 1);
        assert.ok(Math.abs(number(await table.locator("tfoot td").innerText()) - (1 - open)) <= 0.011, `${terms}`);
      }
    }
  }],
  ["a pinned source has no relevance, and what is inside of another source is not left out", async () => {
    await load("vscode-dark");
    const [a, b] = [choice(second), choice(third)].map((c) => ({ ...c, tokens: 12 }));
    await paint({ ...base, pinned: [choice(second)], answer: { ...answer, omitted: [{ ...a, reason: "no room" }, { ...b, reason: "shown inside Command" }] } });
    assert.match(await page.locator("li.source.pinned .why").innerText(), /^pinned/);
    assert.equal(await page.locator("li.source.pinned .relevance").count(), 0);
    assert.deepEqual(await page.locator("details.omitted summary").allInnerTexts(), ["Left out: 1 source", "Shown inside other sources: 1 source"]);
  }],
  ["the head leaves room for the sources at 300 pixels", async () => {
    await load("vscode-dark", 300);
    await paint(base);
    const { height } = await page.locator("header").boundingBox();
    assert.ok(height <= 800 / 5, `${height} of 800 pixels`);
  }],
  ["the picture is usable from the keyboard, and shows all neighbours when asked", async () => {
    for (const width of [300, 520, 900]) {
      await load("vscode-dark", width);
      await paint(base);
      await page.keyboard.press("Tab");
      await page.locator(".graph [tabindex='0']").focus();
      const boxes = await page.locator(".graph [tabindex]").count();
      assert.equal(await page.locator(".graph [tabindex='0']").count(), 1);
      for (let i = 1; i < boxes; i++) {
        await page.keyboard.press("ArrowDown");
      }
      assert.match(await focused(), /^node:more:\+\d+$/);
      await shot(`graph ${width}`, true);
      await page.keyboard.press("Enter");
      assert.ok((await page.locator(".graph [tabindex]").count()) > boxes);
      await page.locator(".graph [tabindex='0']").focus();
      await page.keyboard.press("Enter");
      assert.equal((await posted("open")).length, 1);
    }
  }],
  ["the outline of the answer can be read", async () => {
    await load("vscode-dark", 480);
    await paint(base);
    await page.locator(".outline summary").click();
    await page.locator(".outline pre", { hasText: "func GenMarkdownTree(" }).waitFor();
    await paint(base);
    assert.ok(await page.locator(".outline pre").isVisible(), "it stays open");
  }],
  ["the text of a source has colors, and keeps them and its characters", async () => {
    await load("vscode-dark", 480);
    await paint(states["all expanded"]);
    const code = page.locator("li.source pre code");
    const plain = await code.allTextContents();
    assert.equal((await posted("highlight")).length, plain.length, "each text is asked for");
    await color(base);
    for (const kind of kinds.filter(Boolean)) {
      assert.ok((await page.locator(`.token.${kind}`).count()) > 0, kind);
    }
    assert.deepEqual(await code.allTextContents(), plain);
    await paint({ ...states["all expanded"], explainAll: false });
    assert.ok((await page.locator(".token.keyword").count()) > 0, "they stay after a repaint");
    assert.equal((await posted("highlight")).length, plain.length, "each text is asked for once");
  }],
  ["a list that the user has opened stays open", async () => {
    await load("vscode-dark");
    await paint(states["pins and drops"]);
    await page.locator("details.omitted summary").click();
    await page.locator("details.omitted .link").first().waitFor();
    await paint(states["pins and drops"]);
    assert.ok(await page.locator("details.omitted .link").first().isVisible());
  }],
  ["a repaint while the mouse is pressed does not take the click away", async () => {
    await load("vscode-dark", 480);
    await paint(base);
    await page.locator(`[data-key="name:${second.id}"]`).hover();
    await page.mouse.down();
    await paint(states["an error"]);
    await page.mouse.up();
    await eventually("the page posts the click", async () => (await posted("open")).some((m) => m.id === second.id));
    await page.locator(".problem").waitFor(); // painted after the click
  }],
  ["the answer of the stored pictures has the fields of a real one", () => {
    const stored = JSON.parse(readFileSync(join(here, "answer.json"), "utf8"));
    assert.deepEqual(Object.keys(stored), Object.keys(answer));
    assert.deepEqual(Object.keys(stored.sources[0]), Object.keys(first));
  }],
  ["without a server, the panel offers the next steps", async () => {
    await load("vscode-dark");
    await paint(states["no server"]);
    for (const [name, type] of [["Restart Server", "restart"], ["Open Settings", "settings"], ["Show Output", "output"]]) {
      await page.getByRole("button", { name }).click();
      assert.equal((await posted(type)).length, 1, name);
    }
  }],
  ["measure: painting", async () => {
    await load("vscode-dark", 480);
    await paint(base);
    const times = [];
    for (let i = 0; i < 15; i++) {
      times.push(await paint(base));
    }
    measured["an answer painted, p50 of 15, ms"] = times.sort((a, b) => a - b)[7].toFixed(1);
    measured["600 sources painted, ms"] = (await paint(states["600 sources"])).toFixed(1);
  }],
];

async function shot(name, wanted) {
  if (shots && wanted) {
    mkdirSync(shots, { recursive: true });
    await page.screenshot({ path: join(shots, `${name.replaceAll(" ", "-")}.png`) });
  }
}

try {
  browser = await launch();
  page = await browser.newPage();
  panel = new PanelPage(page, dir);
  await runSteps("page", steps, () => ({ page }));
  printMeasured(measured);
} finally {
  await browser?.close();
  rmSync(dir, { recursive: true, force: true });
}
