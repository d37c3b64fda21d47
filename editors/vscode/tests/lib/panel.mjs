// The context panel, as a user sees it.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { insist } from "./insist.mjs";
import { eventually } from "./processes.mjs";

const axe = join(dirname(fileURLToPath(import.meta.url)), "../../node_modules/axe-core/axe.min.js");
const stops = [500, 1000, 1500, 2000, 3000, 4000, 6000, 8000];

/** The panel of a window. It may be closed. */
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

  /** Waits until the panel shows the answer for a symbol or for words. */
  async answers(title, timeout) {
    await this.content.getByRole("heading", { level: 1, name: title, exact: true }).waitFor({ timeout });
    await this.locator("li.source").first().waitFor();
  }

  /** Returns the row of the first source with an identifier. */
  row(identifier) {
    return this.locator("li.source").filter({ has: this.page.locator(`.identifier:text-is("${identifier}")`) }).first();
  }

  /** Returns the identifiers of the sources, in order. */
  sources() {
    return this.locator("li.source .identifier").allInnerTexts();
  }

  /** Returns the used tokens and the budget. */
  async spent() {
    const words = await this.locator(".legend strong").innerText();
    return words.replaceAll(",", "").match(/\d+/g).map(Number);
  }

  /** Moves the slider, and waits until the panel shows the answer for that budget. */
  async setBudget(budget) {
    const shown = this.locator(".legend strong", { hasText: `of ${budget.toLocaleString("en-US")} tokens` });
    await insist(`the budget is ${budget}`, (timeout) => this.locator("#budget").fill(String(stops.indexOf(budget)), { timeout }), (timeout) => shown.waitFor({ timeout }));
  }

  /** Expands or collapses a source, and waits until it is done. */
  async expand(identifier, open = true) {
    await this.toggle(this.row(identifier).locator(".expander"), "aria-expanded", open);
  }

  /** Pins a source, and waits until it is done. */
  async pin(identifier) {
    await this.toggle(this.row(identifier).locator(".pin"), "aria-pressed", true);
  }

  /** Drops a source that the panel shows, and waits until it is gone. */
  async drop(identifier) {
    const row = this.row(identifier);
    await row.waitFor();
    await insist(`${identifier} is dropped`, async (timeout) => (await row.count()) > 0 && row.locator(".drop").click({ timeout }), (timeout) => row.waitFor({ state: "detached", timeout }));
    await this.button(`Restore ${identifier}`).waitFor();
  }

  /** Removes the pins and drops, and waits until none is left. */
  async clear() {
    const button = this.button("Clear pins and drops");
    await button.waitFor();
    await insist("nothing is pinned or dropped", async (timeout) => (await button.count()) > 0 && button.click({ timeout }), (timeout) => button.waitFor({ state: "detached", timeout }));
  }

  /** Clicks a button that turns something on and off until an attribute has a value. */
  async toggle(button, attribute, on) {
    const done = async () => (await button.getAttribute(attribute)) === String(on);
    await insist(`${attribute} is ${on}`, async (timeout) => (await done()) || button.click({ timeout }), (timeout) => eventually(`${attribute} is ${on}`, done, timeout / 1000));
  }

  /** Runs a function in the page of the panel. */
  async inside(run) {
    for (const f of this.page.frames()) {
      if (await f.locator("main#panel").count().catch(() => 0)) {
        return f.evaluate(run);
      }
    }
    throw new Error("no panel");
  }

  /** Waits until the panel has the keyboard. */
  hasKeyboard(timeout) {
    return eventually("the panel has the keyboard", () => this.inside(() => document.hasFocus()), timeout / 1000);
  }

  /** Waits until a control of the panel has the focus. The error names the control that has it. */
  async focusOn(name) {
    let on;
    await eventually(`the focus is on ${name}`, async () => (on = await this.#focused()) === name).catch((e) => {
      throw new Error(`${e.message}; it is on ${JSON.stringify(on)}`);
    });
  }

  /** Returns the label of the control with the focus; "" when the focus is outside of the panel. */
  #focused() {
    return this.inside(() => {
      const on = document.activeElement;
      if (!document.hasFocus() || !on) {
        return "";
      }
      const label = on.getAttribute("aria-label") ?? on.querySelector(":scope > title")?.textContent ?? on.labels?.[0]?.textContent ?? on.querySelector(".identifier")?.textContent;
      return on === document.body ? "the page" : label ?? on.textContent;
    });
  }

  /** Returns the violations that axe-core reports. */
  async violations() {
    await this.inside(readFileSync(axe, "utf8"));
    return this.inside(async () => {
      const found = await window.axe.run(document, { resultTypes: ["violations"], rules: { "target-size": { enabled: true } } });
      return found.violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => n.html.slice(0, 120)).slice(0, 3).join(" | ")}`);
    });
  }
}
