import type { ContextAnswer } from "../../api/protocol";

export type * from "../../api/client";
export type * from "../../api/protocol";

/** The state of a folder's index; sent to clients that set statusNotifications at initialization. */
export const statusNotification = "ambit/status";

/** Commands behind the server's code actions that this client carries out itself. */
export const clientCommands = ["ambit.copyContext", "ambit.showRelated"] as const;

/** The formats of an answer, with what each is for and how its text is called as a file. */
export const formats = [
  { id: "markdown", label: "Markdown", detail: "Headings and fences", extension: ".md" },
  { id: "xml", label: "XML", detail: "Tags, as Claude likes it", extension: ".xml" },
  { id: "plain", label: "Plain", detail: "Text with separators, for any model", extension: ".txt" },
  { id: "human", label: "Human", detail: "A box for people to read", extension: ".txt" },
  { id: "json", label: "JSON", detail: "The whole structure, for programs", extension: ".json" },
] as const;

export type Format = (typeof formats)[number]["id"];

export const isFormat = (id: unknown): id is Format => formats.some((f) => f.id === id);

/** What is copied of an answer: its text, or in JSON the whole of it. */
export const textOf = (a: ContextAnswer, format: Format): string => (format === "json" ? JSON.stringify(a, null, 2) : a.text);
