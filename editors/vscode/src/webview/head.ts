import { spend, stopOf, stops } from "../core/budget";
import type { FromPanel, PanelState } from "../core/messages";
import { type ContextAnswer, type Format, formats } from "../core/protocol";
import { grouped } from "../core/status";
import { h, icon } from "./dom";

/** The titles of the segments of the budget bar. */
const titles: Record<string, string> = { primary: "Primary", supporting: "Supporting", structural: "Structure", framework: "Framework", markup: "Markup", free: "Free" };
export const titleOf = (section: string): string => titles[section] ?? section;

/** How long the slider rests before the panel asks for the answer, in milliseconds. */
const sliderDelay = 80;

const inTokens = (n: number): string => `${grouped(n)} tokens`;

/**
 * The top of the panel: the question, the budget and how it is spent, and the copy button.
 * The controls are created once, so that a new answer neither moves the focus nor the
 * slider while the user holds it.
 */
export class Head {
  readonly el: HTMLElement;
  readonly #post: (m: FromPanel) => void;
  readonly #title = h("h1");
  readonly #question = h("textarea", { class: "question", key: "question", attrs: { "aria-label": "Question", rows: "2", maxlength: "4096", hidden: true } });
  readonly #kind = h("span", { class: "kind" });
  readonly #place = h("button", { class: "link place", attrs: { title: "Go to the place of the question" } });
  readonly #follow = h("button", { class: "icon-button", attrs: { title: "Follow the cursor", "aria-label": "Follow the cursor" } }, icon("target"));
  readonly #edit = h("button", { class: "icon-button", attrs: { title: "Edit the question", "aria-label": "Edit the question" } }, icon("edit"));
  readonly #move = h("button", { class: "icon-button" }, icon("move"));
  readonly #refresh = h("button", { class: "icon-button", attrs: { title: "Refresh", "aria-label": "Refresh" } }, icon("refresh"));
  readonly #spent = h("div", { class: "spent" });
  readonly #slider = h("input", { attrs: { id: "budget", type: "range", min: "0", max: String(stops.length - 1), step: "1" } });
  readonly #output = h("output", { attrs: { for: "budget" } });
  readonly #copy = h("button", { class: "button primary-button" }, icon("copy"), "Copy");
  readonly #format = h("select", { attrs: { "aria-label": "Format", title: "The format of the copy" } });
  readonly #open = h("button", { class: "button", attrs: { title: "Open the text that Copy copies", "aria-label": "Open" } }, icon("document"), h("span", { class: "optional", text: "Open" }));
  readonly #chat = h("button", { class: "button", attrs: { title: "Attach the text that Copy copies to the chat", "aria-label": "Add to Chat" } }, icon("chat"), h("span", { class: "optional", text: "Add to Chat" }));
  #sliding: ReturnType<typeof setTimeout> | undefined;
  #following = false;
  #reach: number | undefined;
  #asked = ""; // the text of the answer whose reach was asked for
  #text = "";

  constructor(post: (m: FromPanel) => void) {
    this.#post = post;
    this.#format.append(...formats.map((f) => h("option", { text: f.label, attrs: { value: f.id } })));
    this.el = h(
      "header",
      {},
      h("div", { class: "title" }, this.#title, this.#question, this.#kind, h("div", { class: "actions", attrs: { role: "group", "aria-label": "Panel" } }, this.#edit, this.#follow, this.#refresh, this.#move)),
      this.#place,
      this.#spent,
      h("div", { class: "slider" }, h("label", { text: "Budget", attrs: { for: "budget" } }), this.#slider, this.#output),
      h("div", { class: "copy-row" }, this.#copy, this.#format, this.#open, this.#chat),
    );
    this.#listen();
  }

  #listen(): void {
    const on = (el: HTMLElement, m: () => FromPanel): void => el.addEventListener("click", () => this.#post(m()));
    on(this.#place, () => ({ type: "origin" }));
    on(this.#follow, () => ({ type: "follow", follow: !this.#following }));
    on(this.#refresh, () => ({ type: "refresh" }));
    on(this.#move, () => ({ type: "move" }));
    this.#edit.addEventListener("click", () => this.#editing(this.#question.hidden === true));
    this.#question.addEventListener("keydown", (e) => this.#typed(e));
    on(this.#copy, () => ({ type: "copy" }));
    on(this.#open, () => ({ type: "document" }));
    on(this.#chat, () => ({ type: "chat" }));
    this.#format.addEventListener("change", () => this.#post({ type: "format", format: this.#format.value as Format }));
    for (const event of ["focus", "pointerenter"] as const) {
      this.#slider.addEventListener(event, () => this.#findReach());
    }
    this.#slider.addEventListener("input", () => {
      this.#findReach();
      const last = this.#reach === undefined ? stops.length - 1 : stopOf(this.#reach);
      this.#slider.value = String(Math.min(Number(this.#slider.value), last));
      const budget = stops[Number(this.#slider.value)] ?? stops[0];
      this.#setBudget(budget);
      clearTimeout(this.#sliding);
      this.#sliding = setTimeout(() => {
        this.#sliding = undefined;
        this.#post({ type: "budget", budget });
      }, sliderDelay);
    });
  }

  /** Asks once an answer from which budget on it stays the same: the slider goes no further. */
  #findReach(): void {
    if (this.#reach === undefined && this.#asked !== this.#text) {
      this.#asked = this.#text;
      this.#post({ type: "reach" });
    }
  }

  /** Shows the question in a field in place of the title, or the title again. */
  #editing(on: boolean): void {
    this.#question.hidden = !on;
    this.#title.classList.toggle("hidden", on); // a screen reader still finds the heading
    this.#question.value = this.#title.title;
    (on ? this.#question : this.#edit).focus();
  }

  /** Enter asks, Shift+Enter is a new line, and Escape leaves the question as it was. */
  #typed(e: KeyboardEvent): void {
    const ask = e.key === "Enter" && !e.shiftKey && !e.isComposing;
    if (!ask && e.key !== "Escape") {
      return;
    }
    e.preventDefault();
    const query = this.#question.value;
    this.#editing(false);
    if (ask && query.trim() !== "") {
      this.#post({ type: "ask", query });
    }
  }

  /** Paints a state. */
  show(s: PanelState): void {
    const symbol = s.answer?.symbol;
    const words = s.memento?.question.type === "words";
    this.#edit.hidden = !words;
    if (!words || this.#question.value === "") {
      this.#question.hidden = true;
      this.#title.classList.remove("hidden");
    }
    const move = s.inView ? "Move to the editor area" : "Move to the side bar";
    this.#move.title = move;
    this.#move.setAttribute("aria-label", move);
    this.#title.textContent = s.title || "Context";
    this.#title.title = s.title;
    this.#kind.textContent = symbol?.kind ?? "";
    this.#place.textContent = s.place;
    this.#place.hidden = s.place === "";
    this.#text = s.answer?.text ?? "";
    this.#reach = s.reach;
    this.#following = s.follow;
    this.#follow.setAttribute("aria-pressed", String(s.follow));
    this.#spent.replaceChildren(...(s.answer ? spent(s.answer) : []));
    if (this.#sliding === undefined) {
      this.#slider.value = String(stopOf(s.budget));
      this.#setBudget(s.budget);
    }
    this.#format.value = s.format;
    for (const button of [this.#copy, this.#open, this.#chat]) {
      button.disabled = !s.answer;
    }
  }

  #setBudget(budget: number): void {
    const all = this.#reach !== undefined && budget >= this.#reach;
    const part = (stop: number): string => `${(stop / (stops.length - 1)) * 100}%`;
    this.#output.textContent = `${grouped(budget)}${all ? ", all" : ""}`;
    this.#slider.title = this.#reach === undefined ? "" : `A budget above ${inTokens(this.#reach)} adds nothing`;
    this.#slider.setAttribute("aria-valuetext", `${inTokens(budget)}${all ? ", which show all there is" : ""}`);
    this.#slider.style.setProperty("--at", part(Number(this.#slider.value)));
    this.#slider.style.setProperty("--reach", part(this.#reach === undefined ? stops.length - 1 : stopOf(this.#reach)));
  }
}

/** Shows how the budget is spent, as a bar and in words. */
function spent(a: ContextAnswer): HTMLElement[] {
  const segments = spend(a);
  const used = segments.filter((x) => x.name !== "free");
  const parts = used.map((x) => `${titleOf(x.name).toLowerCase()} ${grouped(x.tokens)}`).join(", ");
  const free = segments.find((x) => x.name === "free")?.share ?? 0;
  return [
    h(
      "div",
      { class: "bar", attrs: { role: "img", "aria-label": `${grouped(a.tokens)} of ${inTokens(a.budget)}: ${parts}` } },
      ...used.map((x) => h("span", { class: `segment ${x.name}`, style: { "flex-grow": String(x.share) }, attrs: { title: `${titleOf(x.name)}: ${inTokens(x.tokens)}` } })),
      h("span", { style: { "flex-grow": String(free) } }),
    ),
    h(
      "p",
      { class: "legend" },
      h("strong", { text: `${grouped(a.tokens)} of ${inTokens(a.budget)}` }),
      ...used.map((x) => h("span", { class: "entry" }, h("span", { class: `dot ${x.name}`, attrs: { "aria-hidden": "true" } }), `${titleOf(x.name)} ${grouped(x.tokens)}`)),
    ),
  ];
}
