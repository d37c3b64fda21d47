// Chromium, and what a user does in the workbench. Nothing here waits for a time to pass:
// each act waits until what it does is to be seen.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { tools } from "./codeserver.mjs";
import { Panel } from "./panel.mjs";

const { chromium } = createRequire(join(tools, "js/"))("playwright-core");

const flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: flags });

/** The longest that a state is waited for, in milliseconds; a loaded machine is slow. */
export const patience = 180_000;

/**
 * Does something until it is seen to have worked. While the focus moves from one frame to
 * another a key can get lost; whoever sits there presses it again. Only for what does no
 * harm when it is done twice. What was done again is told.
 *
 * @param seen waits for the effect, at most for the milliseconds it is given
 */
export async function insist(what, act, seen) {
  for (let tries = 1; ; tries++) {
    try {
      await act();
      return await seen(tries < 4 ? 10_000 : patience);
    } catch (e) {
      if (tries === 4) {
        throw e;
      }
      console.log(`   again: ${what}: ${String(e.message).split("\n", 1)[0]}`);
    }
  }
}

const quickInput = ".quick-input-widget:visible input[type=text]";

/** A window of VS Code. */
export class Workbench {
  constructor(page) {
    this.page = page;
    this.panel = new Panel(page);
  }

  /** Opens a window: on a folder, on a .code-workspace file, or on nothing. */
  static async open(browser, url, folder, { width = 1360, height = 860 } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const what = folder === undefined ? "ew=true" : `${folder.endsWith(".code-workspace") ? "workspace" : "folder"}=${encodeURIComponent(folder)}`;
    await page.goto(`${url}/?${what}`);
    const w = new Workbench(page);
    await w.#there();
    return w;
  }

  async close() {
    await this.page.context().close();
  }

  /** Runs a command by its title in the palette, as a user does. */
  async command(title) {
    await this.#quick("F1", `>${title}`, title);
    await this.#accept(`>${title}`);
  }

  /** Opens a file of the workspace, at the first place of a text in it. */
  async openFile(name, place) {
    await this.#quick("Control+p", name, name);
    await this.#accept(name);
    await this.#editing(name, patience);
    if (place) {
      await this.goTo(place);
    }
  }

  /** Brings the keyboard to the editor of a file, which is opened unless it is open. */
  async editor(name) {
    const tab = this.#tab(name).first();
    await insist(`the keyboard goes to ${name}`, async () => ((await tab.count()) > 0 ? tab.click() : this.openFile(name)), (ms) => this.#editing(name, ms));
  }

  /** Puts the cursor somewhere in the active editor; lines and columns count from 1. */
  async goTo({ line, column = 1 }) {
    const text = `:${line}:${column}`;
    await this.#quick("Control+g", text);
    await this.#accept(text);
    await this.cursorAt({ line });
  }

  /** Waits until the cursor is on a line of the active editor. */
  async cursorAt({ line }) {
    await this.page.locator('[id="status.editor.selection"]', { hasText: `Ln ${line},` }).waitFor();
  }

  /** Waits until a file is the active one of its group. */
  async shows(name) {
    await this.page.locator(`.tab.active[aria-label*="${name}"]`).first().waitFor();
  }

  /** Picks a row of the quick input. */
  async pick(label) {
    await this.row(label).first().click();
  }

  /** Types into the quick input; Enter goes with `enter`. */
  async type(text, { enter = false } = {}) {
    await this.page.locator(quickInput).fill(text);
    if (enter) {
      await this.#accept(text);
    }
  }

  /** Rows of the quick input with a text; `focused` is the one that Enter takes. */
  row(text, { focused = false } = {}) {
    return this.page.locator(`.quick-input-list .monaco-list-row${focused ? ".focused" : ""}`, { hasText: text });
  }

  /** Closes the quick input. */
  async escape() {
    await insist("the quick input closes", () => this.page.keyboard.press("Escape"), (timeout) => this.page.locator(quickInput).waitFor({ state: "hidden", timeout }));
  }

  /** Loads the window anew, as the command does. */
  async reload() {
    const gone = this.page.waitForEvent("framenavigated", { predicate: (f) => f === this.page.mainFrame() });
    await this.#quick("F1", ">Developer: Reload Window", "Developer: Reload Window");
    await this.page.keyboard.press("Enter");
    await gone;
    await this.#there();
  }

  /** Waits until ambit's item in the status bar says something. */
  async status(text, timeout = patience) {
    await this.page.locator(`.statusbar-item[id*="ambit.status"] [aria-label*="${text}"]`).first().waitFor({ timeout });
  }

  ready() {
    return this.status("The index is ready");
  }

  /** A message that is shown. */
  toast(text) {
    return this.page.locator(".notification-toast", { hasText: text }).first();
  }

  /** Returns the messages that nobody has cleared, also those that are not shown any more. */
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

  /** The window is there when the extension has put itself into its status bar. */
  async #there() {
    await this.page.locator('.statusbar-item[id*="ambit.status"]').first().waitFor({ timeout: 2 * patience });
  }

  /** Waits until a file is shown and its editor has the keyboard. */
  async #editing(name, timeout) {
    await this.page.locator(`.editor-group-container.active .tab.active[aria-label^="${name}"]`).first().waitFor({ timeout });
    await this.page.locator(".editor-group-container.active .editor-instance .monaco-editor.focused").first().waitFor({ timeout });
  }

  /** Opens the quick input with a key, types, and waits until Enter would take a row. */
  async #quick(key, text, row) {
    await insist(
      `the quick input takes ${text}`,
      async () => {
        if ((await this.page.locator(quickInput).count()) > 0) {
          await this.page.keyboard.press("Escape"); // its list may be of a moment before
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

  /** Presses Enter, and waits until the quick input is another one or gone. */
  async #accept(text) {
    await insist(
      `Enter takes ${text}`,
      () => this.page.keyboard.press("Enter"),
      (timeout) =>
        this.page.waitForFunction(
          (text) => ![...document.querySelectorAll(".quick-input-widget input[type=text]")].some((i) => i.checkVisibility() && i.value === text),
          text,
          { timeout },
        ),
    );
  }
}

/** Returns where a text stands in a file for the first time; lines and columns count from 1. */
export function placeOf(file, text) {
  const before = readFileSync(file, "utf8").split(text, 1)[0].split("\n");
  return { line: before.length, column: before.at(-1).length + 1 };
}
