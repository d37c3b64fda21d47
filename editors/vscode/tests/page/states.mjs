// The states of the panel, which the tests of its page show.

const ready = { state: "ready", generation: 1, files: 64, pending: 0, message: "" };
const stopped = { state: "stopped", generation: 0, files: 0, pending: 0, message: "x" };
const long = `${"aVeryLongNameThatNobodyWouldWrite".repeat(6)}.method`;

/** The part of a source that a choice keeps. */
export const choice = ({ id, identifier, path }) => ({ id, identifier, path });

/** Returns the states of the panel by name, made from an answer. */
export function statesOf(answer) {
  const [first, second, third] = answer.sources;
  const longOne = { ...second, identifier: long, path: `${"directory/".repeat(20)}file.go` };
  const base = { title: "GenMarkdownCustom", place: "doc/md_docs.go:57", answer, error: "", busy: false, budget: answer.budget, format: "markdown", follow: false, pinned: [], dropped: [], remedies: [], explainAll: false, inView: false, status: ready };
  return {
    "an answer": base,
    words: { ...base, memento: { question: { type: "words", query: "how" } }, title: "how is the markdown documentation of a command with all of its options made?", place: "", answer: { ...answer, symbol: undefined, dependencies: [] } },
    "pins and drops": { ...base, follow: true, pinned: [choice(second), { id: "gone", identifier: long, path: "a.go" }], dropped: [choice(third)], answer: { ...answer, omitted: [choice(first)].map((c) => ({ ...c, tokens: 12_345, reason: "no room" })) } },
    "long names": { ...base, title: long, place: `${longOne.path}:1234`, answer: { ...answer, symbol: { ...answer.symbol, identifier: long }, sources: [longOne, ...answer.sources], dependencies: [{ from: long, to: `${long}2`, kind: "calls" }] } },
    "nothing found": { ...base, answer: { ...answer, tokens: 12, symbol: undefined, sources: [], sections: [], dependencies: [], omitted: [] } },
    loading: { ...base, answer: undefined },
    busy: { ...base, busy: true },
    "while indexing": { ...base, status: { state: "indexing", generation: 1, files: 10, pending: 9903, message: "" }, answer: { ...answer, freshness: { generation: 1, pending: 9903, state: "indexing" } } },
    paused: { ...base, answer: { ...answer, freshness: { generation: 1, pending: 3, state: "paused" } } },
    "a full disk": { ...base, status: { state: "error", generation: 1, files: 10, pending: 3, message: "write the index: no space left on device; free some space" }, answer: { ...answer, freshness: { generation: 1, pending: 3, state: "error" } } },
    "no server": { ...base, answer: undefined, status: stopped, error: "The setting ambit.server.path names /a/very/long/path/that/does/not/end/for/a/while/ambit, which does not exist. Correct it, or clear it to use the server of this extension." },
    "an error": { ...base, answer: undefined, error: "position is beyond the end of the document" },
    "all expanded": { ...base, explainAll: true },
    "600 sources": { ...base, budget: 200_000, answer: { ...answer, budget: 200_000, tokens: 190_000, sources: Array.from({ length: 600 }, (_, i) => ({ ...second, id: `s${i}`, identifier: `Type${i}.method${i}`, section: "supporting" })) } },
  };
}
