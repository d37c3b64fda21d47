import type { ContextAnswer } from "../../api/protocol";

export type * from "../../api/client";
export type * from "../../api/protocol";

/** The state of a folder's index; sent to clients that set statusNotifications at initialization. */
export const statusNotification = "ambit/status";

/** The commands of code actions that this client carries out itself. */
export const clientCommands = ["ambit.copyContext", "ambit.showRelated"] as const;

/** The formats of an answer, with a description and the extension of a file in that format. */
export const formats = [
  { id: "markdown", label: "Markdown", detail: "Headings and fences", extension: ".md" },
  { id: "xml", label: "XML", detail: "Tags, for Claude", extension: ".xml" },
  { id: "plain", label: "Plain", detail: "Text with separators, for any model", extension: ".txt" },
  { id: "human", label: "Human", detail: "A box for people to read", extension: ".txt" },
  { id: "json", label: "JSON", detail: "The whole structure, for programs", extension: ".json" },
] as const;

export type Format = (typeof formats)[number]["id"];

export const isFormat = (id: unknown): id is Format => formats.some((f) => f.id === id);

/** Returns the text to copy: the text of the answer, or the whole answer as JSON. */
export const textOf = (a: ContextAnswer, format: Format): string => (format === "json" ? JSON.stringify(a, null, 2) : a.text);
