import type { Memento, PanelState, Question } from "./messages";
import type { Problem } from "./problem";
import { type Choice, type ContextAnswer, type ContextParams, type Format, inFormat, type Source, type Status } from "./protocol";

/** The state of the context panel: what the user asked and chose, and the answer. */
export class PanelModel {
  question: Question | undefined;
  /** In tokens; undefined leaves it to the settings. */
  budget: number | undefined;
  format: Format;
  /** Whether the panel follows the cursor. */
  follow: boolean;
  /** Whether the next answer is painted with the reasons of all sources. */
  explainAll = false;
  /** Whether the panel is a view of a side bar. */
  inView = false;
  answer: ContextAnswer | undefined;
  /** Why there is no answer; undefined when there is one. */
  problem: Problem | undefined;
  busy = false;
  #reach: { of: string; budget: number } | undefined;
  #explaining: number | undefined; // the state that first asked the page for all reasons
  #pinned = new Map<string, Choice>();
  #dropped = new Map<string, Choice>();

  constructor(format: Format, follow: boolean) {
    this.format = format;
    this.follow = follow;
  }

  /** Takes over the state of a panel that was open when its window closed. */
  restore(m: Memento): void {
    this.question = m.question;
    this.budget = m.budget;
    this.format = m.format;
    this.follow = m.follow;
    this.#pinned = byId(m.pinned);
    this.#dropped = byId(m.dropped);
  }

  /** Pins or drops a source, or undoes that. */
  toggle(action: "pin" | "drop", id: string): void {
    const [chosen, other] = action === "pin" ? [this.#pinned, this.#dropped] : [this.#dropped, this.#pinned];
    if (chosen.delete(id)) {
      return;
    }
    const a = this.answer;
    const s = a?.sources.find((x) => x.id === id) ?? a?.omitted.find((x) => x.id === id) ?? other.get(id);
    if (s) {
      other.delete(id);
      chosen.set(id, { id, identifier: s.identifier, path: s.path });
    }
  }

  get pinned(): Choice[] {
    return [...this.#pinned.values()];
  }

  get dropped(): Choice[] {
    return [...this.#dropped.values()];
  }

  /** Removes all pins and drops. */
  clearChoices(): void {
    this.#pinned.clear();
    this.#dropped.clear();
  }

  /** Returns a source of the answer. Throws when a newer answer does not have it. */
  source(id: string): Source {
    const s = this.answer?.sources.find((x) => x.id === id);
    if (!s) {
      throw new Error("The answer has changed; choose again.");
    }
    return s;
  }

  /** Returns the pins and drops, if there are any and another answer is about the same symbol or the same words. */
  choicesFor(other: ContextAnswer, query: string | undefined): Pick<ContextParams, "pin" | "drop"> | undefined {
    const [mine, theirs] = [this.answer?.symbol, other.symbol];
    const same = mine && theirs ? mine.path === theirs.path && mine.start_line === theirs.start_line : this.question?.type === "words" && this.question.query === query;
    const { pin, drop } = this.params;
    return same && this.#pinned.size + this.#dropped.size > 0 ? { pin, drop } : undefined;
  }

  /** The argument of ambit.context. */
  get params(): ContextParams & Required<Pick<ContextParams, "pin" | "drop">> {
    const q = this.question;
    return {
      ...(q?.type === "place" ? { textDocument: { uri: q.uri }, position: q.position } : { query: q?.query ?? "" }),
      ...(this.budget === undefined ? {} : { budget: this.budget }),
      ...inFormat(this.format),
      pin: [...this.#pinned.keys()],
      drop: [...this.#dropped.keys()],
    };
  }

  /** Names what the budget is for: the question, the choices and the state of the index. */
  get reachKey(): string {
    return JSON.stringify([{ ...this.params, budget: 0 }, this.answer?.freshness.generation]);
  }

  /** Notes the budget from which on the answer that a key names stays the same. */
  setReach(of: string, budget: number): void {
    this.#reach = { of, budget };
  }

  /** What the window keeps of the panel when it closes; undefined without a question. */
  get memento(): Memento | undefined {
    return (
      this.question && {
        question: this.question,
        budget: this.budget,
        format: this.format,
        follow: this.follow,
        pinned: this.pinned,
        dropped: this.dropped,
      }
    );
  }

  /** Notes that the page has painted a state. It shows all reasons once, not for later answers. */
  painted(seq: number): void {
    if (this.#explaining !== undefined && seq >= this.#explaining) {
      this.explainAll = false;
      this.#explaining = undefined;
    }
  }

  /**
   * Returns what the page paints.
   *
   * @param pathOf returns the path of a URI as the user knows it
   */
  painting(seq: number, status: Status, pathOf: (uri: string) => string): PanelState {
    const q = this.question;
    const a = this.answer;
    const path = q?.type === "place" ? pathOf(q.uri) : "";
    const explainAll = this.explainAll && !this.busy && a !== undefined;
    if (explainAll) {
      this.#explaining ??= seq;
    }
    return {
      seq,
      title: q?.type === "words" ? q.query : (a?.symbol?.identifier ?? path.replace(/^.*[/\\]/, "")),
      place: q?.type === "place" ? `${path}:${q.position.line + 1}` : "",
      answer: a && { ...a, sources: a.sources.map((s) => ({ ...s, path: s.package === undefined ? pathOf(s.uri) : s.path })) },
      error: this.problem?.text ?? "",
      remedies: this.problem?.remedies.map((r) => r.title) ?? [],
      busy: this.busy,
      budget: this.budget ?? a?.budget ?? 8000,
      reach: this.#reach?.of === this.reachKey ? this.#reach.budget : undefined,
      format: this.format,
      follow: this.follow,
      pinned: this.pinned,
      dropped: this.dropped,
      explainAll,
      inView: this.inView,
      status,
      memento: this.memento,
    };
  }
}

const byId = (choices: Choice[]): Map<string, Choice> => new Map(choices.map((c) => [c.id, c]));
