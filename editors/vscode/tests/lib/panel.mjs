// The context panel, as a user sees it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "./processes.mjs";

const axe = join(dirname(fileURLToPath(import.meta.url)), "../../node_modules/axe-core/axe.min.js");
const stops = [500, 1000, 1500, 2000, 3000, 4000, 6000, 8000];

/** The panel of a window; it need not be open yet. */
export class Panel {
  constructor(page) {
    this.page = page;
    this.content = page.frameLocator("iframe.webview.ready").frameLocator("iframe");
  }

  locator(selector, options) {
    return this.content.locator(selector, options);
  }

  button(name) {
    return this.content.getByRole("button", { name, exact: true });
  }

  /** Waits until the panel answers for a symbol or for words. */
  async answers(title, timeout) {
    await this.content.getByRole("heading", { level: 1, name: title, exact: true }).waitFor({ timeout });
    await this.locator("li.source").first().waitFor();
  }

  /** The row of the first source that is called so. */
  row(identifier) {
    return this.locator("li.source").filter({ has: this.page.locator(`.identifier:text-is("${identifier}")`) }).first();
  }

  /** The names of the sources, in order. */
  sources() {
    return this.locator("li.source .identifier").allInnerTexts();
  }

  /** Returns the tokens that are used, and those that there are. */
  async spent() {
    const words = await this.locator(".legend strong").innerText();
    return words.replaceAll(",", "").match(/\d+/g).map(Number);
  }

  /** Moves the slider, and waits until the answer is within the budget that it says. */
  async setBudget(budget) {
    await this.locator("#budget").fill(String(stops.indexOf(budget)));
    await this.locator(".legend strong", { hasText: `of ${budget.toLocaleString("en-US")} tokens` }).waitFor();
  }

  /** Opens a source up, or closes it, and waits until it is. */
  async expand(identifier, open = true) {
    const expander = this.row(identifier).locator(".expander");
    if ((await expander.getAttribute("aria-expanded")) !== String(open)) {
      await expander.click();
    }
    await this.row(identifier).locator(`.expander[aria-expanded="${open}"]`).waitFor();
  }

  /** Runs a function in the panel's page. */
  async inside(run) {
    for (const f of this.page.frames()) {
      if (await f.locator("main#panel").count().catch(() => 0)) {
        return f.evaluate(run);
      }
    }
    throw new Error("no panel");
  }

  /** Waits until something in the panel has the keyboard, and says what has it if not. */
  async focusOn(name) {
    let on;
    await eventually(`the focus is on ${name}`, async () => (on = await this.#focused()) === name).catch((e) => {
      throw new Error(`${e.message}; it is on ${JSON.stringify(on)}`);
    });
  }

  /** What has the focus, "" while the panel itself has it not: keys go elsewhere then. */
  #focused() {
    return this.inside(() => {
      const on = document.activeElement;
      if (!document.hasFocus() || !on) {
        return "";
      }
      const label = on.getAttribute("aria-label") ?? on.labels?.[0]?.textContent ?? on.querySelector(".identifier")?.textContent;
      return on === document.body ? "the page" : label ?? on.textContent;
    });
  }

  /** Returns what axe-core finds wrong. */
  async violations() {
    await this.inside(readFileSync(axe, "utf8"));
    return this.inside(async () => {
      const found = await window.axe.run(document, { resultTypes: ["violations"] });
      return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
    });
  }
}
