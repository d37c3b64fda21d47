import type { Explanation, Signal, Source } from "../core/protocol";
import { counted, grouped } from "../core/status";
import { h, icon } from "./dom";

export interface RowActions {
  open: (aside: boolean) => void;
  pin: () => void;
  drop: () => void;
  expand: () => void;
}

export interface RowState {
  expanded: boolean;
  pinned: boolean;
  /** The lines of the answer that show the source, of a source that is expanded. */
  code: HTMLElement | undefined;
  explanation: Explanation | undefined;
}

/** Returns the row of a source: its name and actions, its place, and the reasons for it. */
export function sourceRow(s: Source, o: RowState, actions: RowActions): HTMLElement {
  const place = `${s.path}:${s.start_line}${s.end_line > s.start_line ? `–${s.end_line}` : ""}`;
  const detail = `detail-${s.id}`;
  const button = (name: "pin" | "close", cls: string, label: string, pressed: boolean | undefined, click: () => void): HTMLElement =>
    h(
      "button",
      {
        class: `icon-button ${cls}`,
        key: `${cls}:${s.id}`,
        attrs: { tabindex: "-1", title: label, "aria-label": label, "aria-pressed": pressed === undefined ? undefined : String(pressed) },
        on: { click },
      },
      icon(name, pressed),
    );
  return h(
    "li",
    { class: o.pinned ? "source pinned" : "source", attrs: { "data-row": s.id } },
    h(
      "div",
      { class: "row" },
      h(
        "button",
        {
          class: "icon-button expander",
          key: `expand:${s.id}`,
          attrs: { tabindex: "-1", "aria-expanded": String(o.expanded), "aria-controls": o.expanded ? detail : undefined, "aria-label": `Details of ${s.identifier}`, title: "Text and reasons" },
          on: { click: () => actions.expand() },
        },
        icon("chevron"),
      ),
      h(
        "button",
        {
          class: "name",
          key: `name:${s.id}`,
          attrs: { tabindex: "-1", title: `Open ${place}`, "aria-describedby": `where-${s.id} why-${s.id}` },
          on: { click: (e) => actions.open(e.ctrlKey || e.metaKey) },
        },
        h("span", { class: "identifier", text: s.identifier }),
        " ",
        h("span", { class: "kind", text: s.kind }),
      ),
      h("span", { class: "tokens", text: grouped(s.tokens), attrs: { title: `${grouped(s.tokens)} tokens` } }),
      h(
        "span",
        { class: "row-actions" },
        button("pin", "pin", o.pinned ? `Unpin ${s.identifier}` : `Pin ${s.identifier}`, o.pinned, actions.pin),
        button("close", "drop", `Drop ${s.identifier}`, undefined, actions.drop),
      ),
    ),
    h("p", { class: "where", text: place, attrs: { id: `where-${s.id}`, title: s.path } }),
    h("p", { class: "why", attrs: { id: `why-${s.id}` } }, o.pinned ? h("span", { text: "pinned" }) : relevance(s.relevance), h("span", { class: "reasons", text: reasons(s) })),
    o.expanded ? details(s, o, detail) : undefined,
  );
}

/** Shows the relevance as a meter and a number. */
function relevance(of: number): HTMLElement {
  return h(
    "span",
    { class: "relevance", attrs: { title: "Relevance" } },
    h("span", { class: "meter", attrs: { "aria-hidden": "true" } }, h("span", { class: "level", style: { width: `${Math.round(of * 100)}%` } })),
    h("span", { class: "hidden", text: "Relevance " }),
    h("span", { text: of.toFixed(2) }),
  );
}

/** Returns the reason for a source in plain words, and what else matters, in one line. */
function reasons(s: Source): string {
  const parts = [s.reason];
  if (s.change_frequency === "hot" || s.change_frequency === "active") {
    parts.push(s.change_frequency === "hot" ? "changes often" : "changes sometimes");
  }
  if (s.truncated) {
    parts.push(`${grouped(s.truncated.lines_omitted)} lines omitted`);
  }
  return parts.filter((p) => p !== "").join(" · ");
}

function details(s: Source, o: RowState, id: string): HTMLElement {
  const e = o.explanation;
  const facts = [
    e ? `rank ${e.rank}` : "",
    s.dependents > 0 ? `used in ${counted(s.dependents, "file")}` : "",
    s.change_frequency && s.change_frequency !== "unknown" ? `changes: ${s.change_frequency}` : "",
    s.truncated ? `${grouped(s.truncated.total_tokens)} tokens in full` : "",
  ].filter((f) => f !== "");
  return h(
    "div",
    { class: "details", attrs: { id } },
    facts.length > 0 ? h("p", { class: "quiet", text: facts.join(" · ") }) : undefined,
    signals(s, e?.why ?? s.why),
    o.code && h("pre", { key: `text:${s.id}`, attrs: { tabindex: "0", role: "region", "aria-label": `Text of ${s.identifier}` } }, o.code),
  );
}

/** Lists the terms of a source's score, the largest first. */
function signals(s: Source, why: Signal[]): HTMLElement | undefined {
  const top = Math.max(...why.map((w) => Math.abs(w.score)), 1e-9);
  const sorted = [...why].sort((a, b) => b.score - a.score);
  if (sorted.length === 0) {
    return undefined;
  }
  return h(
    "table",
    { class: "signals" },
    h("caption", { class: "hidden", text: `Reasons for ${s.identifier}` }),
    h("thead", { class: "hidden" }, h("tr", {}, h("th", { text: "Signal", attrs: { scope: "col" } }), h("th", { text: "Score", attrs: { scope: "col" } }))),
    h(
      "tbody",
      {},
      ...sorted.map((w) =>
        h(
          "tr",
          {},
          h("th", { text: w.signal, attrs: { scope: "row" } }),
          h(
            "td",
            {},
            h("span", { class: "meter", attrs: { "aria-hidden": "true" } }, h("span", { class: "level", style: { width: `${(Math.abs(w.score) / top) * 100}%` } })),
            h("span", { text: w.score.toFixed(2) }),
          ),
        ),
      ),
    ),
    // Each reason counts for what those above it leave open.
    sorted.length > 1 && sorted.every((w) => w.score >= 0 && w.score <= 1)
      ? h("tfoot", {}, h("tr", { attrs: { title: `1 − ${sorted.map((w) => `(1 − ${w.score.toFixed(2)})`).join(" × ")}` } }, h("th", { text: "together", attrs: { scope: "row" } }), h("td", { text: (1 - sorted.reduce((left, w) => left * (1 - w.score), 1)).toFixed(2) })))
      : undefined,
  );
}
