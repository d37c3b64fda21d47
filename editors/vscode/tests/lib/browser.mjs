// Chromium, and what a user does in the workbench.
import { createRequire } from "node:module";
import { join } from "node:path";
import { tools } from "./codeserver.mjs";

const { chromium } = createRequire(join(tools, "js/"))("playwright-core");

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: flags });

/** A window of VS Code. */
export class Workbench {
  constructor(page) {
    this.page = page;
  }

  static async open(browser, url, folder, { width = 1360, height = 860 } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const w = new Workbench(page);
    await page.goto(`${url}/?folder=${encodeURIComponent(folder)}`);
    await page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 60_000 });
    return w;
  }

  /** Runs a command by its title in the palette, as a user does. */
  async command(title) {
    await this.#quick("F1", `>${title}`, title);
    await this.page.keyboard.press("Enter");
  }

  /** Opens a file of the workspace, at a line and column from 1. */
  async openFile(name, line, column = 1) {
    await this.#quick("Control+p", name, name);
    await this.page.keyboard.press("Enter");
    await this.page.locator(".editor-instance .monaco-editor").first().waitFor();
    await this.page.locator(`.tab.active[aria-label*="${name}"]`).waitFor();
    if (line) {
      await this.goTo(line, column);
    }
  }

  async goTo(line, column) {
    const input = await this.#quick("Control+g", `:${line}:${column}`);
    await this.page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /**
   * Opens the quick input with a key, types, and waits for a row. What had the focus before
   * may take it back and close the input; a user would press the key again.
   */
  async #quick(key, text, row) {
    const input = this.page.locator(".quick-input-widget:visible input[type=text]");
    for (let tries = 0; ; tries++) {
      await this.page.keyboard.press(key);
      try {
        await input.fill(text, { timeout: 5000 });
        if (row) {
          await this.page.locator(".quick-input-list .monaco-list-row", { hasText: row }).first().waitFor({ timeout: 5000 });
        }
        return input;
      } catch (e) {
        if (tries === 3) {
          throw e;
        }
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** The content of the context panel. */
  get panel() {
    return this.page.frameLocator("iframe.webview.ready").frameLocator("iframe");
  }

  /** The item of the status bar. */
  get status() {
    return this.page.locator('[id="ambit.ambit.ambit.status"], .statusbar-item[id*="ambit.status"]').first();
  }

  async ready() {
    await this.page.locator('.statusbar-item[id*="ambit.status"] [aria-label*="The index is ready"]').first().waitFor({ timeout: 60_000 });
  }

  clipboard() {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }
}
