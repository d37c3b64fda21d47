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
  const keep = (): void => vscode.setState({ memento: view.state?.memento, expanded: [...view.expanded], scroll: window.scrollY });
  let scroll = kept.scroll;
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
  window.addEventListener("scrollend", keep);
  root.addEventListener("toggle", keep, true);
  new ResizeObserver(() => view.resized(root.clientWidth)).observe(root);
  vscode.postMessage({ type: "ready" });
}
