import { spend, stopOf, stops } from "../core/budget";
import type { Choice, FromPanel, PanelState } from "../core/messages";
import { type Explanation, type Format, formats, type Source } from "../core/protocol";
import { counted, describe, grouped } from "../core/status";
import { h, icon } from "./dom";
import { drawGraph } from "./graphView";
import { type RowActions, sourceRow } from "./row";

/** Titles of the sections of an answer, and of the rest of the bar. */
const titles: Record<string, string> = { primary: "Primary", supporting: "Supporting", structural: "Structure", framework: "Framework", "mark-up": "Mark-up", free: "Free" };
const titleOf = (section: string): string => titles[section] ?? section;

/** How long the slider rests before the answer is asked for, in milliseconds. */
const sliderDelay = 80;

/** Paints the panel. It holds what is open and where the keyboard is; all else is the state's. */
export class View {
  readonly expanded: Set<string>;
  readonly #root: HTMLElement;
  readonly #post: (m: FromPanel) => void;
  readonly #explanations = new Map<string, Explanation>();
  #width = 0;
  #sliding: ReturnType<typeof setTimeout> | undefined;
  #toasting: ReturnType<typeof setTimeout> | undefined;
  #answerText = "";
  state: PanelState | undefined;

  constructor(root: HTMLElement, post: (m: FromPanel) => void, expanded: Set<string>) {
    this.#root = root;
    this.#post = post;
    this.expanded = expanded;
    root.addEventListener("keydown", (e) => this.#key(e));
  }

  /** Paints a state. */
  show(state: PanelState): void {
    if (state.answer?.text !== this.#answerText) {
      this.#answerText = state.answer?.text ?? "";
      this.#explanations.clear();
    }
    const newlyExplained = state.explain && !this.state?.explain;
    this.state = state;
    if (newlyExplained) {
      state.answer?.sources.forEach((s) => this.expanded.add(s.id));
    }
    this.#paint();
  }

  /** Adds the terms of all channels to a source. */
  explained(id: string, explanation: Explanation): void {
    this.#explanations.set(id, explanation);
    this.#paint();
  }

  /** Says something for a moment. */
  toast(text: string): void {
    const el = this.#root.querySelector(".toast");
    if (el) {
      el.textContent = text;
      el.classList.add("shown");
      clearTimeout(this.#toasting);
      this.#toasting = setTimeout(() => el.classList.remove("shown"), 2500);
    }
  }

  resized(width: number): void {
    if (width !== this.#width) {
      this.#width = width;
      this.#paint();
    }
  }

  #paint(): void {
    const s = this.state;
    if (!s || this.#width === 0) {
      return;
    }
    const focused = document.activeElement?.getAttribute("data-key");
    const row = document.activeElement?.closest("li")?.getAttribute("data-row");
    this.#root.setAttribute("aria-busy", String(s.busy));
    this.#root.replaceChildren(
      this.#header(s),
      ...(s.error ? [h("p", { class: "problem", text: s.error })] : []),
      ...(s.answer ? this.#answer(s) : s.error ? [] : [h("p", { class: "quiet", text: "Assembling the context…" })]),
      ...this.#choices("Dropped by you", "Take back the drop of", s.dropped, "drop"),
      ...this.#choices("Pinned, not in this answer", "Unpin", s.answer ? s.pinned.filter((p) => !s.answer?.sources.some((x) => x.id === p.id)) : s.pinned, "pin"),
      this.#footer(s),
    );
    this.#rove(focused, row);
  }

  /** Gives one row a place in the tab order, and the focus back to what had it. */
  #rove(focused: string | null | undefined, row: string | null | undefined): void {
    const rows = this.#rows();
    const current = rows.find((r) => r.getAttribute("data-row") === row) ?? rows[0];
    current?.querySelectorAll("button").forEach((b) => (b.tabIndex = 0));
    if (focused) {
      const same = this.#root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focused)}"]`);
      (same ?? current?.querySelector<HTMLElement>(".name"))?.focus({ preventScroll: true });
    }
  }

  #rows(): HTMLElement[] {
    return [...this.#root.querySelectorAll<HTMLElement>("li[data-row]")];
  }

  #header(s: PanelState): HTMLElement {
    const symbol = s.answer?.symbol;
    return h(
      "header",
      {},
      h(
        "div",
        { class: "title" },
        h("h1", { text: s.title || "Context", attrs: { title: s.title } }),
        symbol ? h("span", { class: "kind", text: symbol.kind }) : undefined,
        h(
          "div",
          { class: "actions", attrs: { role: "group", "aria-label": "Panel" } },
          this.#iconButton("target", "Follow the cursor", { type: "follow", follow: !s.follow }, s.follow),
          this.#iconButton("refresh", "Assemble anew", { type: "refresh" }),
        ),
      ),
      s.place ? h("button", { class: "link place", key: "origin", text: s.place, attrs: { title: "Go to where the question was asked" }, on: { click: () => this.#post({ type: "origin" }) } }) : undefined,
      s.answer ? this.#bar(s) : undefined,
      this.#slider(s),
      this.#copyRow(s),
    );
  }

  #iconButton(name: "target" | "refresh", label: string, m: FromPanel, pressed?: boolean): HTMLElement {
    return h(
      "button",
      {
        class: "icon-button",
        key: name,
        attrs: { title: label, "aria-label": label, "aria-pressed": pressed === undefined ? undefined : String(pressed) },
        on: { click: () => this.#post(m) },
      },
      icon(name),
    );
  }

  /** Shows how the budget is spent. */
  #bar(s: PanelState): HTMLElement | undefined {
    const a = s.answer;
    if (!a) {
      return undefined;
    }
    const segments = spend(a);
    const used = segments.filter((x) => x.name !== "free");
    const words = used.map((x) => `${titleOf(x.name).toLowerCase()} ${grouped(x.tokens)}`).join(", ");
    return h(
      "div",
      { class: "spent" },
      h(
        "div",
        { class: "bar", attrs: { role: "img", "aria-label": `${grouped(a.tokens)} of ${grouped(a.budget)} tokens: ${words}` } },
        ...used.map((x) => h("span", { class: `segment ${x.name}`, style: { "flex-grow": String(x.share) }, attrs: { title: `${titleOf(x.name)}: ${grouped(x.tokens)} tokens` } })),
        h("span", { style: { "flex-grow": String(segments.find((x) => x.name === "free")?.share ?? 0) } }),
      ),
      h(
        "p",
        { class: "legend" },
        h("strong", { text: `${grouped(a.tokens)} of ${grouped(a.budget)} tokens` }),
        ...used.map((x) => h("span", { class: "entry" }, h("span", { class: `dot ${x.name}`, attrs: { "aria-hidden": "true" } }), `${titleOf(x.name)} ${grouped(x.tokens)}`)),
      ),
    );
  }

  #slider(s: PanelState): HTMLElement {
    const words = (tokens: number): string => `${grouped(tokens)} tokens`;
    const at = stopOf(s.budget);
    const output = h("output", { text: grouped(s.budget), attrs: { for: "budget" } });
    const input = h("input", {
      key: "budget",
      attrs: { id: "budget", type: "range", min: "0", max: String(stops.length - 1), step: "1", value: String(at), "aria-valuetext": words(s.budget) },
    });
    input.addEventListener("input", () => {
      const budget = stops[Number(input.value)] ?? s.budget;
      output.textContent = grouped(budget);
      input.setAttribute("aria-valuetext", words(budget));
      clearTimeout(this.#sliding);
      this.#sliding = setTimeout(() => this.#post({ type: "budget", budget }), sliderDelay);
    });
    return h("div", { class: "slider" }, h("label", { text: "Budget", attrs: { for: "budget" } }), input, output);
  }

  #copyRow(s: PanelState): HTMLElement {
    const none = !s.answer;
    const select = h("select", {
      key: "format",
      attrs: { "aria-label": "Format", title: "The format to copy in" },
      on: { change: (e) => this.#post({ type: "format", format: (e.target as HTMLSelectElement).value as Format }) },
    });
    select.append(...formats.map((f) => h("option", { text: f.label, attrs: { value: f.id, selected: f.id === s.format } })));
    return h(
      "div",
      { class: "copy-row" },
      h("button", { class: "button primary-button", key: "copy", attrs: { disabled: none }, on: { click: () => this.#post({ type: "copy" }) } }, icon("copy"), "Copy"),
      select,
      h("button", { class: "button", key: "document", attrs: { disabled: none, title: "Open the text that Copy copies" }, on: { click: () => this.#post({ type: "document" }) } }, icon("document"), "Open"),
    );
  }

  #answer(s: PanelState): Element[] {
    const a = s.answer;
    if (!a) {
      return [];
    }
    const graph = drawGraph(a, this.#root.clientWidth, (id) => this.#post({ type: "open", id, line: undefined, aside: false }));
    return [
      ...(graph ? [graph] : []),
      ...a.sections.map((section) => this.#section(section.name, section.tokens, a.sources.filter((x) => x.section === section.name), s)),
      ...(a.omitted.length > 0 ? [this.#omitted(a.omitted)] : []),
    ];
  }

  #section(name: string, tokens: number, sources: Source[], s: PanelState): HTMLElement {
    const title = titleOf(name);
    const detail = sources.length > 0 ? `${counted(sources.length, "source")}, ${grouped(tokens)} tokens` : `${grouped(tokens)} tokens`;
    const id = `section-${name}`;
    return h(
      "section",
      { attrs: { "aria-labelledby": id } },
      h("h2", { attrs: { id } }, h("span", { class: `dot ${name}`, attrs: { "aria-hidden": "true" } }), h("span", { text: title }), h("span", { class: "detail", text: detail })),
      sources.length > 0 ? h("ul", {}, ...sources.map((x) => this.#row(x, s))) : h("p", { class: "quiet", text: name === "structural" ? "Where things are: an outline of the files above." : "" }),
    );
  }

  #row(x: Source, s: PanelState): HTMLElement {
    const actions: RowActions = {
      open: (line, aside) => this.#post({ type: "open", id: x.id, line, aside }),
      pin: () => this.#post({ type: "pin", id: x.id }),
      drop: () => this.#post({ type: "drop", id: x.id }),
      expand: () => this.#expand(x.id),
    };
    const [first, last] = x.text_lines ?? [0, -1];
    const lines = this.expanded.has(x.id) && last >= 0 ? (s.answer?.text.split("\n").slice(first - 1, last) ?? []) : [];
    return sourceRow(
      x,
      {
        expanded: this.expanded.has(x.id),
        pinned: s.pinned.some((p) => p.id === x.id),
        text: lines.join("\n"),
        explanation: this.#explanations.get(x.id),
      },
      actions,
    );
  }

  #expand(id: string): void {
    if (!this.expanded.delete(id)) {
      this.expanded.add(id);
      this.#post({ type: "explain", id });
    }
    this.#paint();
  }

  #omitted(omitted: NonNullable<PanelState["answer"]>["omitted"]): HTMLElement {
    return h(
      "details",
      { class: "omitted" },
      h("summary", { text: `Left out: ${counted(omitted.length, "source")}` }),
      h(
        "ul",
        {},
        ...omitted.map((o) =>
          h(
            "li",
            {},
            h("button", { class: "link", text: o.identifier, attrs: { title: `Open ${o.path}` }, on: { click: () => this.#post({ type: "openPath", path: o.path }) } }),
            h("span", { class: "detail", text: ` ${grouped(o.tokens)} tokens, ${o.reason}` }),
          ),
        ),
      ),
    );
  }

  /** Lists what the user chose and this answer does not show, to take it back. */
  #choices(title: string, verb: string, choices: Choice[], type: "pin" | "drop"): HTMLElement[] {
    if (choices.length === 0) {
      return [];
    }
    const id = `choices-${type}`;
    return [
      h(
        "section",
        { class: "choices", attrs: { "aria-labelledby": id } },
        h("h2", { attrs: { id } }, h("span", { text: title }), h("span", { class: "detail", text: String(choices.length) })),
        h(
          "ul",
          {},
          ...choices.map((c) =>
            h(
              "li",
              { class: "choice" },
              h("span", { class: "choice-name", text: c.identifier, attrs: { title: c.path } }),
              h("button", { class: "icon-button", key: `${type}:${c.id}`, attrs: { "aria-label": `${verb} ${c.identifier}`, title: `${verb} ${c.identifier}` }, on: { click: () => this.#post({ type, id: c.id }) } }, icon("undo")),
            ),
          ),
        ),
      ),
    ];
  }

  #footer(s: PanelState): HTMLElement {
    const fresh = s.answer?.freshness;
    const words = fresh && fresh.state !== "ready" ? `Made while indexing: ${counted(fresh.pending, "file")} not looked at yet.` : describe(s.status).sentence;
    const chosen = s.pinned.length + s.dropped.length;
    return h(
      "footer",
      {},
      h("p", { class: "quiet", text: words }),
      chosen > 0 ? h("button", { class: "link", key: "clear", text: "Clear pins and drops", on: { click: () => this.#post({ type: "clear" }) } }) : undefined,
      h("p", { class: "toast", attrs: { "aria-hidden": "true" } }),
    );
  }

  /** Up and down go from source to source, left and right along one; p pins and Delete drops. */
  #key(e: KeyboardEvent): void {
    const row = (e.target as Element).closest<HTMLElement>("li[data-row]");
    if (!row || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const rows = this.#rows();
    const at = rows.indexOf(row);
    const buttons = [...row.querySelectorAll<HTMLElement>(".row > button, .row > .row-actions > button")];
    const button = buttons.indexOf(e.target as HTMLElement);
    const go = (r: HTMLElement | undefined): boolean => this.#go(row, r);
    const click = (selector: string): boolean => {
      row.querySelector<HTMLElement>(selector)?.click();
      return true;
    };
    const moves: Record<string, () => boolean> = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows[rows.length - 1]),
      ArrowRight: () => (buttons[button + 1]?.focus(), true),
      ArrowLeft: () => (buttons[button - 1]?.focus(), true),
      p: () => click(".pin"),
      Delete: () => click(".drop"),
    };
    if (button >= 0 && moves[e.key]?.()) {
      e.preventDefault();
    }
  }

  /** Brings the focus from one row to the same button of another. */
  #go(from: HTMLElement, to: HTMLElement | undefined): boolean {
    if (to) {
      from.querySelectorAll<HTMLElement>(".row button").forEach((b) => (b.tabIndex = -1));
      to.querySelectorAll<HTMLElement>(".row button").forEach((b) => (b.tabIndex = 0));
      to.querySelector<HTMLElement>(".name")?.focus();
      to.scrollIntoView({ block: "nearest" });
    }
    return true;
  }
}

