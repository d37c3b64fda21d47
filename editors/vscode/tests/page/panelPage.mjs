// The page of the panel in Chromium, without VS Code.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const extension = resolve(here, "../..");

/** The variables of VS Code that panel.css uses, by theme. */
export const themes = JSON.parse(readFileSync(join(here, "themes.json"), "utf8"));

/** What a piece of code can be. */
export const kinds = ["comment", "string", "number", "keyword", "type", "function", "variable", "heading", ""];

const fileUrl = (...path) => pathToFileURL(join(...path)).href;
const html = `<!DOCTYPE html><html lang="en"><head><meta charset="UTF-8"><title>Context</title><link rel="stylesheet" href="${fileUrl(extension, "dist/panel.css")}"></head>
<body><main id="panel"></main><div id="live" role="status" aria-live="polite"></div>
<script>window.posted = []; window.acquireVsCodeApi = () => ({ postMessage: (m) => posted.push(m), getState: () => undefined, setState: () => {} });</script>
<script src="${fileUrl(extension, "dist/panel.js")}"></script></body></html>`;

export class PanelPage {
  #file;
  #seq = 0;

  /** @param dir takes the file of the page */
  constructor(page, dir) {
    this.page = page;
    this.#file = join(dir, "panel.html");
    writeFileSync(this.#file, html);
  }

  /** Loads the page in the colors of a theme, with other variables and styles if given. */
  async load(theme, { width = 320, variables = {}, style = "" } = {}) {
    await this.page.setViewportSize({ width, height: 800 });
    await this.page.goto(pathToFileURL(this.#file).href);
    await this.page.evaluate(
      async ({ class: name, variables, style }) => {
        document.body.className = name;
        Object.entries(variables).forEach(([k, v]) => document.documentElement.style.setProperty(k, v));
        document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
        await Promise.all([...document.fonts].map((f) => f.load()));
      },
      { ...themes[theme], variables: { ...themes[theme].variables, ...variables }, style },
    );
  }

  /** Has the page paint a state. Returns how long that took, in milliseconds. */
  paint(state) {
    return this.page.evaluate(
      (state) =>
        new Promise((resolve) => {
          const at = performance.now();
          window.postMessage({ type: "state", state });
          const look = () => (window.posted.some((m) => m.type === "painted" && m.seq === state.seq) ? resolve(performance.now() - at) : requestAnimationFrame(look));
          look();
        }),
      { ...state, seq: ++this.#seq },
    );
  }

  /** Colors the text of each expanded source, as if its words were of all kinds in turn. */
  color(state) {
    return this.page.evaluate(
      ({ state, kinds }) => {
        for (const { id, language } of state.answer?.sources ?? []) {
          const words = document.querySelector(`[data-key="code:${id}"]`)?.textContent.split(/(?<=\s)(?=\S)/) ?? [];
          window.postMessage({ type: "highlighted", id, language, pieces: words.map((word, i) => [kinds[i % kinds.length], word]) });
        }
        return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))); // after the messages
      },
      { state, kinds },
    );
  }
}
