import type { Piece } from "../core/highlight";
import type { FromPanel, PanelState } from "../core/messages";
import { type Choice, codeOf, type ContextAnswer, type Explanation, type Omission, outlineOf, type Source } from "../core/protocol";
import { counted, describe, grouped, lackOf } from "../core/status";
import { Colors } from "./colors";
import { h, icon } from "./dom";
import { drawGraph } from "./graphView";
import { Head, titleOf } from "./head";
import { sourceRow } from "./row";

/** How long a notice stays visible, in milliseconds. */
const toastTime = 2500;

/** The key of the outline among the ids of the expanded sources. The lists of other sources have their titles. */
const outlineKey = "outline";

/** Paints the panel. It keeps which rows are expanded and where the focus is; the rest comes with each state. */
export class View {
  readonly expanded: Set<string>;
  readonly #root: HTMLElement;
  readonly #post: (m: FromPanel) => void;
  readonly #head: Head;
  readonly #body = h("div", { class: "body" });
  readonly #toast = h("p", { class: "toast", attrs: { "aria-hidden": "true" } });
  readonly #colors: Colors;
  readonly #explanations = new Map<string, Explanation>();
  #allNeighbours: string | undefined; // the symbol whose neighbours are all shown
  #width = 0;
  #pressed = false; // a button of the mouse is down: a repaint would take its target away, and the click with it
  #waiting = false; // a repaint waits until it is up
  #toasting: ReturnType<typeof setTimeout> | undefined;
  #text = ""; // the text of the answer that the explanations belong to
  state: PanelState | undefined;

  constructor(root: HTMLElement, post: (m: FromPanel) => void, expanded: Set<string>) {
    this.#root = root;
    this.#post = post;
    this.expanded = expanded;
    this.#head = new Head(post);
    this.#colors = new Colors((id) => post({ type: "highlight", id }));
    root.append(this.#head.el, this.#body, this.#toast);
    // Reading a height or a width while painting would lay out the page an extra time.
    new ResizeObserver(() => root.style.setProperty("--head", `${this.#head.el.offsetHeight}px`)).observe(this.#head.el);
    root.addEventListener("keydown", (e) => this.#key(e));
    this.#body.addEventListener("pointerdown", (e) => (this.#pressed = (e.target as Element).closest("button, summary, .node") !== null)); // a scroll bar gets no pointerup
    for (const event of ["pointerup", "pointercancel", "blur"]) {
      window.addEventListener(event, () => this.#released());
    }
  }

  /** Paints a state. */
  show(state: PanelState): void {
    if (state.answer?.text !== this.#text) {
      this.#text = state.answer?.text ?? "";
      this.#explanations.clear();
      this.#colors.renew();
    }
    this.state = state;
    if (state.explainAll && state.answer) {
      for (const { id } of state.answer.sources) {
        this.expanded.add(id);
        this.#post({ type: "explain", id });
      }
    }
    this.#paint();
  }

  /** Shows the explanation of a source. */
  explained(id: string, explanation: Explanation): void {
    this.#explanations.set(id, explanation);
    this.#paint();
  }

  /** Shows the colors of the text of a source. */
  highlighted(id: string, language: string, pieces: Piece[]): void {
    this.#colors.add(this.#body, id, language, pieces);
  }

  /** Shows a notice for a moment. */
  toast(text: string): void {
    this.#toast.textContent = text;
    this.#toast.classList.add("shown");
    clearTimeout(this.#toasting);
    this.#toasting = setTimeout(() => this.#toast.classList.remove("shown"), toastTime);
  }

  /** Repaints when the width has changed. */
  resized(width: number): void {
    if (width !== this.#width) {
      this.#width = width;
      this.#paint();
    }
  }

  /** Paints what came while a button of the mouse was down, after its click. */
  #released(): void {
    this.#pressed = false;
    if (this.#waiting) {
      this.#waiting = false;
      setTimeout(() => this.#paint());
    }
  }

  #paint(): void {
    const s = this.state;
    if (!s || this.#width === 0) {
      return;
    }
    if (this.#pressed) {
      this.#waiting = true;
      return;
    }
    const scrolled = this.#scrolled();
    const focused = this.#body.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : undefined;
    const row = document.activeElement?.closest("li");
    const at = { id: row?.getAttribute("data-row"), index: row ? this.#rows().indexOf(row) : -1 };
    this.#root.setAttribute("aria-busy", String(s.busy));
    this.#head.show(s);
    document.body.classList.toggle("in-view", s.inView);
    const notShown = s.pinned.filter((p) => !s.answer?.sources.some((x) => x.id === p.id));
    this.#body.replaceChildren(
      ...(s.error ? [this.#problem(s)] : incomplete(s, this.#post)),
      ...(s.answer ? this.#answer(s, s.answer) : s.error ? [] : [h("p", { class: "quiet nothing", text: "Assembling the context…" })]),
      ...this.#choices("Pinned, not in this answer", "Unpin", notShown, "pin"),
      ...this.#choices("Dropped by you", "Restore", s.dropped, "drop"),
      this.#footer(s),
    );
    this.#rove(focused, at);
    for (const { key, top, left } of scrolled) {
      this.#keyed(key)?.scrollTo(left, top);
    }
  }

  /** Returns where the texts are scrolled to. */
  #scrolled(): { key: string; top: number; left: number }[] {
    return [...this.#body.querySelectorAll<HTMLElement>("pre[data-key]")]
      .map((pre) => ({ key: pre.getAttribute("data-key") ?? "", top: pre.scrollTop, left: pre.scrollLeft }))
      .filter(({ top, left }) => top > 0 || left > 0);
  }

  #keyed(key: string): HTMLElement | null {
    return this.#body.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  }

  /** Puts one row into the tab order, and restores the focus: to the same control, or to the row in its place. */
  #rove(focused: string | null | undefined, was: { id: string | null | undefined; index: number }): void {
    const rows = this.#rows();
    const current = rows.find((r) => r.getAttribute("data-row") === was.id) ?? rows[Math.max(0, Math.min(was.index, rows.length - 1))];
    setTabStops(current, 0);
    if (focused) {
      (this.#keyed(focused) ?? current?.querySelector<HTMLElement>(".name"))?.focus({ preventScroll: true });
    }
  }

  #rows(): HTMLElement[] {
    return [...this.#body.querySelectorAll<HTMLElement>("li[data-row]")];
  }

  #answer(s: PanelState, a: ContextAnswer): Element[] {
    const graph = drawGraph(a, this.#width, this.#allNeighbours === a.symbol?.identifier, (id) => this.#post({ type: "open", id, aside: false }), () => {
      this.#allNeighbours = a.symbol?.identifier;
      this.#paint();
    });
    const left = a.omitted.filter((o) => !s.dropped.some((d) => d.id === o.id));
    const inside = left.filter((o) => o.reason.startsWith("shown inside"));
    const omitted = left.filter((o) => !inside.includes(o));
    return [
      ...(a.sources.length === 0 ? [h("p", { class: "quiet nothing", text: "Nothing was found. Put the cursor on a name, or use other words." })] : []),
      ...(graph ? [graph] : []),
      ...a.sections.map((section) => this.#section(section.name, section.tokens, a.sources.filter((x) => x.section === section.name), s)),
      ...(omitted.length > 0 ? [this.#omitted("Left out", omitted)] : []),
      ...(inside.length > 0 ? [this.#omitted("Shown inside other sources", inside)] : []),
    ];
  }

  /** Shows why there is no answer, with buttons for the next steps. */
  #problem(s: PanelState): HTMLElement {
    const button = (text: string, type: "restart" | "refresh" | "settings" | "output"): HTMLElement => h("button", { class: "button", key: type, text, on: { click: () => this.#post({ type }) } });
    return h(
      "div",
      { class: "problem" },
      h("p", { text: s.error }),
      h("div", { class: "remedies" }, 
        ...s.remedies.map((text, index) => h("button", { class: "button", key: `remedy:${index}`, text, on: { click: () => this.#post({ type: "remedy", index }) } })),
        ...(s.status.state === "stopped" ? [button("Restart Server", "restart"), button("Open Settings", "settings")] : s.remedies.length > 0 ? [] : [button("Try Again", "refresh")]),
        ...(s.remedies.length > 0 ? [] : [button("Show Output", "output")]),
      ),
    );
  }

  #section(name: string, tokens: number, sources: Source[], s: PanelState): HTMLElement {
    const detail = sources.length > 0 ? `${counted(sources.length, "source")}, ${grouped(tokens)} tokens` : `${grouped(tokens)} tokens`;
    const id = `section-${name}`;
    return h(
      "section",
      { attrs: { "aria-labelledby": id } },
      h(
        "h2",
        { attrs: { id } },
        h("span", { class: `dot ${name}`, attrs: { "aria-hidden": "true" } }),
        h("span", { text: titleOf(name) }),
        h("span", { class: "detail", text: detail }),
      ),
      sources.length > 0
        ? h("ul", {}, ...sources.map((x) => this.#row(x, s)))
        : this.#outline(s.answer),
    );
  }

  /** Shows the text of the structural section. */
  #outline(a: ContextAnswer | undefined): HTMLElement {
    return this.#details(
      "outline",
      outlineKey,
      "An outline of the files in this answer",
      h("pre", { key: "text:outline", attrs: { tabindex: "0", role: "region", "aria-label": "Outline" } }, h("code", { text: a ? outlineOf(a) : "" })),
    );
  }

  /** Returns a list that opens and closes, and stays so after a repaint. */
  #details(cls: string, key: string, summary: string, content: HTMLElement): HTMLElement {
    const toggled = (): unknown => (details.open ? this.expanded.add(key) : this.expanded.delete(key));
    const details: HTMLDetailsElement = h("details", { class: cls, attrs: { open: this.expanded.has(key) }, on: { toggle: toggled } }, h("summary", { key: `summary:${key}`, text: summary }), content);
    return details;
  }

  #row(x: Source, s: PanelState): HTMLElement {
    const expanded = this.expanded.has(x.id);
    const text = expanded && s.answer ? codeOf(s.answer, x) : "";
    return sourceRow(
      x,
      { expanded, pinned: s.pinned.some((p) => p.id === x.id), code: text === "" ? undefined : this.#colors.code(x.id, x.language, text), explanation: this.#explanations.get(x.id) },
      {
        open: (aside) => this.#post({ type: "open", id: x.id, aside }),
        pin: () => this.#post({ type: "pin", id: x.id }),
        drop: () => this.#post({ type: "drop", id: x.id }),
        expand: () => this.#expand(x.id),
      },
    );
  }

  #expand(id: string): void {
    if (!this.expanded.delete(id)) {
      this.expanded.add(id);
      this.#post({ type: "explain", id });
    }
    this.#paint();
  }

  /** Lists the sources that have no row of their own, each with a pin. */
  #omitted(title: string, omitted: Omission[]): HTMLElement {
    return this.#details(
      "omitted",
      title,
      `${title}: ${counted(omitted.length, "source")}`,
      h(
        "ul",
        {},
        ...omitted.map((o) =>
          h(
            "li",
            { class: "choice" },
            h(
              "span",
              { class: "choice-name" },
              h("button", { class: "link", key: `omitted:${o.id}`, text: o.identifier, attrs: { title: `Open ${o.path}` }, on: { click: () => this.#post({ type: "openPath", path: o.path }) } }),
              h("span", { class: "detail", text: ` ${grouped(o.tokens)} tokens · ${o.reason}` }),
            ),
            this.#choiceButton("pin", `Pin ${o.identifier}`, "pin", o.id),
          ),
        ),
      ),
    );
  }

  /** Lists pinned or dropped sources that this answer does not show, each with a button that undoes the choice. */
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
            h("li", { class: "choice" }, h("span", { class: "choice-name", text: c.identifier, attrs: { title: c.path } }), this.#choiceButton("undo", `${verb} ${c.identifier}`, type, c.id)),
          ),
        ),
      ),
    ];
  }

  #choiceButton(shape: "pin" | "undo", label: string, type: "pin" | "drop", id: string): HTMLElement {
    return h("button", { class: "icon-button", key: `${type}-choice:${id}`, attrs: { "aria-label": label, title: label }, on: { click: () => this.#post({ type, id }) } }, icon(shape));
  }

  #footer(s: PanelState): HTMLElement {
    const sentence = s.error === "" ? describe(s.status).sentence : "";
    return h(
      "footer",
      {},
      h("p", { class: "quiet", text: sentence }),
      s.pinned.length + s.dropped.length > 0
        ? h("button", { class: "link", key: "clear", text: "Clear pins and drops", on: { click: () => this.#post({ type: "clear" }) } })
        : undefined,
    );
  }

  /** Up and down move between sources, left and right between the buttons of one; p pins and Delete drops. */
  #key(e: KeyboardEvent): void {
    const row = (e.target as Element).closest<HTMLElement>("li[data-row]");
    if (!row || e.ctrlKey || e.metaKey || e.altKey) {
      return;
    }
    const rows = this.#rows();
    const at = rows.indexOf(row);
    const buttons = [...row.querySelectorAll<HTMLElement>(".row button")];
    const button = buttons.indexOf(e.target as HTMLElement);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(row, rows[at + 1]),
      ArrowUp: () => go(row, rows[at - 1]),
      Home: () => go(row, rows[0]),
      End: () => go(row, rows[rows.length - 1]),
      ArrowRight: () => buttons[button + 1]?.focus(),
      ArrowLeft: () => buttons[button - 1]?.focus(),
      p: () => row.querySelector<HTMLElement>(".pin")?.click(),
      Delete: () => row.querySelector<HTMLElement>(".drop")?.click(),
    };
    const move = button >= 0 ? moves[e.key] : undefined;
    if (move) {
      e.preventDefault();
      move();
    }
  }
}

const setTabStops = (row: HTMLElement | undefined, tabIndex: number): void => row?.querySelectorAll<HTMLElement>(".row button").forEach((b) => (b.tabIndex = tabIndex));

/** Moves the focus from one row to another. */
function go(from: HTMLElement, to: HTMLElement | undefined): void {
  if (to) {
    setTabStops(from, -1);
    setTabStops(to, 0);
    to.querySelector<HTMLElement>(".name")?.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  }
}

/** Says at the top that an answer lacks something, why, and what the user can do. */
function incomplete(s: PanelState, post: (m: FromPanel) => void): HTMLElement[] {
  const fresh = s.answer?.freshness;
  const lacks = fresh && lackOf(fresh);
  if (!fresh || !lacks) {
    return [];
  }
  const why = { error: s.status.message || "The index has an error.", paused: "Indexing is paused." }[fresh.state as string] ?? "Not complete yet.";
  const next: [text: string, type: "resume" | "status" | "output"] = fresh.state === "paused" ? ["Resume Indexing", "resume"] : fresh.state === "error" ? ["Show Output", "output"] : ["Show Index Status", "status"];
  return [
    h(
      "div",
      { class: fresh.state === "error" ? "problem" : "notice" },
      h("p", { text: `${why.replace(/[^.]$/, "$&.")} ${lacks[0]?.toUpperCase()}${lacks.slice(1)}.` }),
      h("div", { class: "remedies" }, h("button", { class: "button", key: next[1], text: next[0], on: { click: () => post({ type: next[1] }) } })),
    ),
  ];
}
