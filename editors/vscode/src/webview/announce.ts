import type { PanelState } from "../core/messages";
import { counted, grouped } from "../core/status";

/** Returns the sentence that a screen reader speaks for a new state. */
export function announce(s: PanelState): string {
  if (s.error) {
    return s.error;
  }
  if (!s.answer) {
    return "Assembling the context.";
  }
  const { sources, tokens, budget } = s.answer;
  return `Context of ${s.title}: ${counted(sources.length, "source")}, ${grouped(tokens)} of ${grouped(budget)} tokens.`;
}
