import { type Line, type Node, picture } from "../core/graph";
import type { ContextAnswer } from "../core/protocol";
import { h, svg } from "./dom";

/** Draws a symbol and its neighbours. Returns undefined when it has none. */
export function drawGraph(a: ContextAnswer, width: number, open: (id: string) => void): HTMLElement | undefined {
  const p = picture(a, width);
  if (!p) {
    return undefined;
  }
  return h(
    "figure",
    { class: "graph" },
    svg(
      "svg",
      { attrs: { viewBox: `0 0 ${p.width} ${p.height}`, width: String(p.width), height: String(p.height), role: "img", "aria-label": p.text } },
      svg(
        "defs",
        {},
        svg(
          "marker",
          { attrs: { id: "arrow", viewBox: "0 0 8 8", refX: "7", refY: "4", markerWidth: "7", markerHeight: "7", orient: "auto" } },
          svg("path", { class: "arrow", attrs: { d: "M0 1 7 4 0 7z" } }),
        ),
      ),
      ...p.lines.map((l) => edge(l, p.flow)),
      ...p.nodes.map((n) => node(n, open)),
    ),
  );
}

/** Draws an arrow between the facing sides of two nodes. */
function edge({ from, to }: Line, flow: "right" | "down"): SVGElement {
  const half = 9;
  const right = flow === "right";
  const [x1, y1] = right ? [from.x + from.width / 2, from.y] : [from.x, from.y + half];
  const [x2, y2] = right ? [to.x - to.width / 2, to.y] : [to.x, to.y - half];
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  const bend = right ? `${mx} ${y1} ${mx} ${y2}` : `${x1} ${my} ${x2} ${my}`;
  return svg("path", { class: "edge", attrs: { d: `M${x1} ${y1}C${bend} ${x2} ${y2}`, "marker-end": "url(#arrow)" } });
}

function node(n: Node, open: (id: string) => void): SVGElement {
  const letters = Math.max(2, Math.floor((n.width - 12) / 6.7));
  const name = n.name.length > letters ? `${n.name.slice(0, letters - 1)}…` : n.name;
  const title = n.kinds ? `${n.name}: ${n.kinds}` : n.name;
  return svg(
    "g",
    {
      class: `node ${n.role}${n.id ? " source" : ""}`,
      attrs: { transform: `translate(${n.x - n.width / 2} ${n.y - 9})` },
      on: { click: () => n.id && open(n.id) },
    },
    svg("title", { text: title }),
    svg("rect", { attrs: { width: String(n.width), height: "18", rx: "4" } }),
    svg("text", { text: name, attrs: { x: String(n.width / 2), y: "12.5" } }),
  );
}
