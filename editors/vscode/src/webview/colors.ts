import type { Piece } from "../core/highlight";
import { h } from "./dom";

/** The most texts that are kept. */
const maxKept = 1000;

/** Keeps the kinds of the pieces of the shown texts, and asks for those that it does not know. */
export class Colors {
  readonly #ask: (id: string) => void;
  readonly #known = new Map<string, Piece[]>();
  #asked = new Set<string>();

  /** @param ask asks for the pieces of the text of a source */
  constructor(ask: (id: string) => void) {
    this.#ask = ask;
  }

  /** Returns the code of a source: in colors when its pieces are known, or else plain. */
  code(id: string, language: string, text: string): HTMLElement {
    const key = keyOf(language, text);
    const pieces = this.#known.get(key);
    if (!pieces && !this.#asked.has(key)) {
      this.#asked.add(key);
      this.#ask(id);
    }
    return h("code", { attrs: { "data-key": `code:${id}` } }, ...(pieces ? colored(pieces) : [text]));
  }

  /** Notes the pieces of a text. Colors it below root, if it is still shown there. */
  add(root: HTMLElement, id: string, language: string, pieces: Piece[]): void {
    const text = pieces.map((p) => p[1]).join("");
    if (this.#known.size >= maxKept) {
      this.#known.clear();
    }
    this.#known.set(keyOf(language, text), pieces);
    const code = root.querySelector(`[data-key="${CSS.escape(`code:${id}`)}"]`);
    if (code?.textContent === text) {
      code.replaceChildren(...colored(pieces));
    }
  }

  /** Asks again for the texts whose pieces are not known: there is another answer. */
  renew(): void {
    this.#asked = new Set();
  }
}

const keyOf = (language: string, text: string): string => `${language}\n${text}`;
const colored = (pieces: Piece[]): (Element | string)[] => pieces.map(([kind, text]) => (kind === "" ? text : h("span", { class: `token ${kind}`, text })));
