import type { FromPanel, PanelState, ToPanel } from "../core/messages";
import "./panel.css";
import { announce } from "./announce";
import { View } from "./view";

interface Kept {
  memento?: PanelState["memento"];
  expanded?: string[];
  scroll?: number;
}

declare function acquireVsCodeApi(): { postMessage(m: FromPanel): void; getState(): Kept | undefined; setState(s: Kept): void };

const vscode = acquireVsCodeApi();
const kept = vscode.getState() ?? {};
const root = document.getElementById("panel");
const live = document.getElementById("live");

if (root && live) {
  const speak = (text: string): void => {
    live.textContent = text;
  };
  const view = new View(root, (m) => vscode.postMessage(m), new Set(kept.expanded));
  let scroll = kept.scroll; // where to scroll to with the first answer
  let at = kept.scroll ?? 0; // asking the window would lay out the page before its frame
  const keep = (): void => vscode.setState({ memento: view.state?.memento, expanded: [...view.expanded], scroll: at });
  let spoken = "";

  window.addEventListener("message", (e: MessageEvent<ToPanel>) => {
    const m = e.data;
    switch (m.type) {
      case "state": {
        view.show(m.state);
        const text = announce(m.state);
        if (text !== spoken) {
          spoken = text;
          speak(text);
        }
        if (scroll !== undefined && m.state.answer) {
          window.scrollTo(0, scroll);
          scroll = undefined;
        }
        keep();
        requestAnimationFrame(() => setTimeout(() => vscode.postMessage({ type: "painted", seq: m.state.seq })));
        break;
      }
      case "explained":
        view.explained(m.id, m.explanation);
        break;
      case "highlighted":
        view.highlighted(m.id, m.language, m.pieces);
        break;
      case "notice":
        speak(m.text);
        view.toast(m.text);
        break;
    }
  });
  window.addEventListener("scrollend", () => {
    at = window.scrollY;
    keep();
  });
  root.addEventListener("toggle", keep, true);
  new ResizeObserver(() => view.resized(root.clientWidth)).observe(root);
  vscode.postMessage({ type: "ready" });
}
