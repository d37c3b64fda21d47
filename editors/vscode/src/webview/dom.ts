/** The properties of an element. Styles are set one by one, as the content security policy demands. */
export interface Props {
  class?: string;
  text?: string;
  /** After a repaint, the focus goes to the element with the same key. */
  key?: string;
  attrs?: Record<string, string | boolean | undefined>;
  style?: Record<string, string>;
  on?: { [E in keyof HTMLElementEventMap]?: (e: HTMLElementEventMap[E]) => void };
}

type Child = Element | string | undefined;

function fill(el: Element & ElementCSSInlineStyle, props: Props, children: Child[]): void {
  if (props.class) {
    el.setAttribute("class", props.class);
  }
  if (props.text !== undefined) {
    el.textContent = props.text;
  }
  if (props.key) {
    el.setAttribute("data-key", props.key);
  }
  for (const [name, value] of Object.entries(props.attrs ?? {})) {
    if (value !== undefined && value !== false) {
      el.setAttribute(name, value === true ? "" : value);
    }
  }
  for (const [name, value] of Object.entries(props.style ?? {})) {
    el.style.setProperty(name, value);
  }
  for (const [name, listener] of Object.entries(props.on ?? {})) {
    el.addEventListener(name, listener as EventListener);
  }
  el.append(...children.filter((c) => c !== undefined));
}

/** Creates an element. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  fill(el, props, children);
  return el;
}

/** Creates an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(el, props, children);
  return el;
}

const shapes = {
  edit: "M10.500 2.500l3 3L6 13l-3.500.500L3 10z M9 4l3 3",
  move: "M2 2.500h12v11H2z M10 2.500v11",
  chevron: "M6 4l4 4-4 4",
  pin: "M9.5 2 14 6.5l-3 .8-2.6 2.6-.6 3L2.9 8l3-.6L8.500 4.800z M5.300 10.700 2 14",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M5.500 5.500v-3h8v8h-3 M2.500 5.500h8v8h-8z",
  document: "M4 1.500h5.500L13 5v9.500H4z M9.500 1.500V5H13 M6 8h5 M6 10.500h5",
  chat: "M2.500 2.500h11v8h-6l-3 3v-3h-2z",
  target: "M8 1v3 M8 12v3 M1 8h3 M12 8h3 M8 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z",
  refresh: "M13 8a5 5 0 1 1-1.500-3.600 M13 2v3h-3",
  undo: "M3 6h6.500a3.500 3.500 0 0 1 0 7H6 M6 3 3 6l3 3",
} as const;

/** Creates an icon for a button. It is hidden from screen readers, which speak the label of the button. */
export function icon(name: keyof typeof shapes, filled = false): SVGElement {
  return svg(
    "svg",
    { class: `icon icon-${name}`, attrs: { viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" } },
    svg("path", { class: filled ? "filled" : "", attrs: { d: shapes[name] } }),
  );
}
