// Chromium, and the actions of a user in VS Code. Each action waits until its effect is
// visible; none waits for a fixed time.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { tools } from "./codeserver.mjs";
import { insist, patience } from "./insist.mjs";
import { Panel } from "./panel.mjs";

const { chromium } = createRequire(join(tools, "js/"))("playwright-core");

const flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = (more = []) => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: [...flags, ...more] });

const quickInput = ".quick-input-widget:visible input[type=text]";

/** A window of VS Code. */
export class Workbench {
  constructor(page) {
    this.page = page;
    this.panel = new Panel(page);
  }

  /** Opens a window: on a folder, on a .code-workspace file, or without a folder. */
  static async open(browser, url, folder, { width = 1360, height = 860 } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const what = folder === undefined ? "ew=true" : `${folder.endsWith(".code-workspace") ? "workspace" : "folder"}=${encodeURIComponent(folder)}`;
    await page.goto(`${url}/?${what}`);
    const w = new Workbench(page);
    await w.#loaded();
    return w;
  }

  async close() {
    await this.page.context().close();
  }

  /** Runs a command by its title in the palette. */
  async command(title) {
    await this.#quick("F1", `>${title}`, title);
    await this.accept(`>${title}`);
  }

  /** Returns the commands of ambit that the palette offers for a text, of which there is at least one. */
  async offers(text) {
    await this.#quick("F1", text, "Ambit: ");
    const rows = await this.page.locator(".quick-input-list .monaco-list-row .quick-input-list-row:first-child .label-name").allInnerTexts();
    await this.escape();
    return rows.filter((r) => r.startsWith("Ambit: "));
  }

  /** Opens a file of the workspace, at the first place of a text in it. */
  async openFile(name, place) {
    await this.#quick("Control+p", name, name);
    await this.accept(name);
    // The focus can arrive late where it was to go before: then a user clicks on the tab.
    let tries = 0;
    await insist(`${name} is open and has the keyboard`, async (timeout) => tries++ > 0 && this.#tab(name).first().click({ timeout }), (timeout) => this.#editing(name, timeout));
    if (place) {
      await this.goTo(place);
    }
  }

  /** Gives the keyboard to the editor of a file. Opens the file if it is closed. */
  async editor(name) {
    const tab = this.#tab(name).first();
    await insist(`the editor of ${name} has the keyboard`, async (timeout) => ((await tab.count()) > 0 ? tab.click({ timeout }) : this.openFile(name)), (ms) => this.#editing(name, ms));
  }

  /** Moves the cursor of the active editor, which then has the keyboard. Lines and columns count from 1. */
  async goTo({ line, column = 1 }) {
    const text = `:${line}:${column}`;
    await this.#quick("Control+g", text);
    await this.accept(text);
    await this.cursorAt({ line });
    await this.#typing(patience);
  }

  /** Waits until the cursor is on a line of the active editor. */
  async cursorAt({ line }, timeout = patience) {
    await this.page.locator('[id="status.editor.selection"]', { hasText: `Ln ${line},` }).waitFor({ timeout });
  }

  /** Waits until a file is the active one of its group. */
  async shows(name, timeout = patience) {
    await this.page.locator(`.tab.active[aria-label*="${name}"]`).first().waitFor({ timeout });
  }

  /** Picks a row of the quick input by the keyboard. The hover of a row can cover the row below it from the mouse. */
  async pick(label) {
    await insist(`the quick input offers ${label}`, () => this.type(label), (timeout) => this.row(label, { focused: true }).first().waitFor({ timeout }));
    await this.accept(label);
  }

  /** Types into the quick input, and presses Enter with `enter`. */
  async type(text, { enter = false } = {}) {
    await this.page.locator(quickInput).fill(text);
    if (enter) {
      await this.accept(text);
    }
  }

  /** Returns the rows of the quick input with a text. With `focused` it is the row that Enter picks. */
  row(text, { focused = false } = {}) {
    return this.page.locator(`.quick-input-list .monaco-list-row${focused ? ".focused" : ""}`, { hasText: text });
  }

  /** Closes the quick input. */
  async escape() {
    await insist("the quick input closes", () => this.page.keyboard.press("Escape"), (timeout) => this.page.locator(quickInput).waitFor({ state: "hidden", timeout }));
  }

  /** Reloads the window. */
  async reload() {
    const gone = this.page.waitForEvent("framenavigated", { predicate: (f) => f === this.page.mainFrame() });
    await this.command("Developer: Reload Window");
    await gone;
    await this.#loaded();
  }

  /** Waits until the status bar item of ambit has a text. */
  async status(text, timeout = patience) {
    await this.page.locator(`.statusbar-item[id*="ambit.status"] [aria-label*="${text}"]`).first().waitFor({ timeout });
  }

  ready() {
    return this.status("The index is ready");
  }

  /** Opens the list of the index by a click on the status bar. */
  async indexStatus(row) {
    await insist("the status of the index is shown", (timeout) => this.page.locator('.statusbar-item[id*="ambit.status"] a').click({ timeout }), (timeout) => row.first().waitFor({ timeout }));
  }

  /** Returns a message on the screen. */
  toast(text) {
    return this.page.locator(".notification-toast", { hasText: text }).first();
  }

  /** Returns all messages since they were last cleared. */
  async messages() {
    await this.command("Notifications: Show Notifications");
    await this.page.locator(".notifications-center.visible").waitFor();
    return this.page.locator(".notifications-center .notification-list-item-message").allInnerTexts();
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  #tab(name) {
    return this.page.locator(`.tab[aria-label^="${name}"]`);
  }

  /** Waits until the extension is in the status bar. */
  async #loaded() {
    await this.page.locator('.statusbar-item[id*="ambit.status"]').first().waitFor({ timeout: 2 * patience });
  }

  /** Waits until the editor of a file has the keyboard. */
  async #editing(name, timeout) {
    await this.page.locator(`.editor-group-container.active .tab.active[aria-label^="${name}"]`).first().waitFor({ timeout });
    await this.#typing(timeout);
  }

  /** Waits until the active editor has the keyboard. */
  #typing(timeout) {
    return this.page.locator(".editor-group-container.active .editor-instance .monaco-editor.focused").first().waitFor({ timeout });
  }

  /** Opens the quick input with a key, types, and waits until Enter would pick a row. */
  async #quick(key, text, row) {
    await insist(
      `the quick input takes ${text}`,
      async () => {
        if ((await this.page.locator(quickInput).count()) > 0) {
          await this.page.keyboard.press("Escape"); // its list may be outdated
        }
        await this.page.keyboard.press(key);
      },
      async (timeout) => {
        await this.page.locator(quickInput).fill(text, { timeout });
        if (row) {
          await this.row(row, { focused: true }).first().waitFor({ timeout });
        }
      },
    );
  }

  /** Presses Enter in the quick input with a text, and waits until it has closed or changed. */
  async accept(text) {
    const has = () => this.page.evaluate(inQuickInput, text);
    await this.page.waitForFunction(inQuickInput, text, { timeout: patience }); // or Enter would go elsewhere
    await insist(
      `Enter accepts ${text}`,
      async () => (await has()) && this.page.keyboard.press("Enter"),
      (timeout) => this.page.waitForFunction((text) => ![...document.querySelectorAll(".quick-input-widget input[type=text]")].some((i) => i.checkVisibility() && i.value === text), text, { timeout }),
    );
  }
}

/** Runs in the page: reports whether the quick input is open with a text. */
const inQuickInput = (text) => [...document.querySelectorAll(".quick-input-widget input[type=text]")].some((i) => i.checkVisibility() && i.value === text);

/** Returns where a file first has a text. Lines and columns count from 1. */
export function placeOf(file, text) {
  const before = readFileSync(file, "utf8").split(text, 1)[0].split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}
