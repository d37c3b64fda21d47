import { boxHeight, type Node, picture } from "../core/graph";
import type { ContextAnswer } from "../core/protocol";
import { h, svg } from "./dom";

/** The first of these is in the tab order, and the arrow keys move between them. */
const stops = ".graph [tabindex]";

/**
 * Draws a symbol and its neighbours. Returns undefined when it has none.
 *
 * @param all whether to show all neighbours; the last box of a side calls showAll otherwise
 */
export function drawGraph(a: ContextAnswer, width: number, all: boolean, open: (id: string) => void, showAll: () => void): HTMLElement | undefined {
  const p = picture(a, width, all);
  if (!p) {
    return undefined;
  }
  let first = true;
  const act = (n: Node): (() => void) | undefined => (n.role === "more" ? showAll : n.id ? () => open(n.id) : undefined);
  return h(
    "figure",
    { class: "graph", on: { keydown: move } },
    h("figcaption", { class: "hidden", text: p.text }),
    svg(
      "svg",
      { attrs: { viewBox: `0 0 ${p.width} ${p.height}`, width: String(p.width), height: String(p.height), role: "group", "aria-label": "Neighbours" } },
      svg(
        "defs",
        {},
        svg(
          "marker",
          { attrs: { id: "arrow", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" } },
          svg("path", { class: "arrow", attrs: { d: "M0 1 7 4 0 7z" } }),
        ),
      ),
      ...p.arrows.map((d) => svg("path", { class: "edge", attrs: { d, "marker-end": "url(#arrow)" } })),
      ...p.nodes.map((n) => {
        const run = act(n);
        const tabIndex = run && first ? "0" : "-1";
        first &&= !run;
        return node(n, run, tabIndex);
      }),
    ),
  );
}

function node(n: Node, run: (() => void) | undefined, tabIndex: string): SVGElement {
  const letters = Math.max(2, Math.floor((n.width - 12) / 6.7));
  const name = n.name.length > letters ? `${n.name.slice(0, letters - 1)}…` : n.name;
  const title = n.role === "more" ? `${n.name} more` : n.kinds ? `${n.name}: ${n.kinds}` : n.name;
  return svg(
    "g",
    {
      class: `node ${n.role}${run ? " source" : ""}`,
      attrs: { transform: `translate(${n.x} ${n.y - boxHeight / 2})`, ...(run ? { role: "button", tabindex: tabIndex } : {}) },
      ...(run ? { key: `node:${n.role}:${n.name}`, on: { click: run, keydown: (e) => pressed(e, run) } } : {}),
    },
    svg("title", { text: title }), // what a screen reader says; the text may be cut off
    svg("rect", { attrs: { width: String(n.width), height: String(boxHeight), rx: "4" } }),
    svg("text", { text: name, attrs: { x: String(n.width / 2), y: "12.5" } }),
  );
}

function pressed(e: KeyboardEvent, run: () => void): void {
  if (e.key === "Enter" || e.key === " ") {
    e.preventDefault();
    run();
  }
}

/** Moves the focus between the boxes. */
function move(e: KeyboardEvent): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[e.key];
  const boxes = [...document.querySelectorAll<SVGElement>(stops)];
  const at = boxes.indexOf(e.target as SVGElement);
  const next = step && boxes[at + step];
  if (!next) {
    return;
  }
  e.preventDefault();
  boxes[at]?.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
