import type { ContextAnswer, ContextParams, Source } from "../../api/protocol";

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
  { id: "json", label: "JSON", detail: "The sources with their places and reasons, for programs", extension: ".json" },
] as const;

export type Format = (typeof formats)[number]["id"];

export const isFormat = (id: unknown): id is Format => formats.some((f) => f.id === id);

/**
 * Writes the text of an answer as JSON, with the names of the answer's fields. The answer itself
 * as JSON has its text beside all its numbers, which is more than the budget allows.
 */
const jsonTemplate = `{"query":{{json .Query}},"tokens":{{.Tokens}},"freshness":{{json .Freshness}},"sources":[{{range $i, $s := .Sources}}{{if $i}},{{end}}
{"identifier":{{json .Identifier}},"kind":{{json .Kind}},"path":{{json .Path}},"start_line":{{.StartLine}},"end_line":{{.EndLine}},"reason":{{json .Reason}},"relevance":{{.Relevance}},"text":{{json .Text}}}{{end}}
],"dependencies":{{json .Dependencies}},"structure":{{json .Structure}}}
`;

/** Returns the part of a question that asks for a format. */
export const inFormat = (format: Format): Pick<ContextParams, "format" | "template"> => (format === "json" ? { format, template: jsonTemplate } : { format });

interface JsonText {
  sources: { text: string }[];
  structure: string;
}

/** Returns the lines of an answer that show a source. */
export function textOf(a: ContextAnswer, s: Source): string {
  const [first, last] = s.text_lines ?? [1, 0];
  return s.text_lines ? a.text.split("\n").slice(first - 1, last).join("\n") : (jsonOf(a)?.sources[a.sources.indexOf(s)]?.text ?? "");
}

/** Returns the text of a source as it is in its file: without the heading and the markup of the answer's format. */
export function codeOf(a: ContextAnswer, s: Source): string {
  const lines = textOf(a, s).split("\n");
  switch (a.format) {
    case "markdown": {
      const first = lines.findIndex((l) => l.startsWith("```"));
      const last = lines.lastIndexOf(/^`*/.exec(lines[first] ?? "")?.[0] ?? "");
      return first >= 0 && last > first ? lines.slice(first + 1, last).join("\n") : lines.join("\n");
    }
    case "xml":
      return lines.slice(lines[0]?.startsWith("<unit ") ? 1 : 0, lines.at(-1) === "</unit>" ? -1 : undefined).join("\n");
    case "plain":
    case "human":
      return lines.slice(/^(---|───) /.test(lines[0] ?? "") ? 2 : 0).join("\n"); // the name, then the place
    default:
      return lines.join("\n");
  }
}

/** Returns the text of the structural section: what the answer says before its sources, or after them. */
export function outlineOf(a: ContextAnswer): string {
  const json = jsonOf(a);
  if (json) {
    return json.structure;
  }
  const lines = a.text.split("\n");
  const shown = a.sources.flatMap((x) => (x.text_lines ? [x.text_lines] : []));
  const [first, last] = [Math.min(lines.length, ...shown.map((l) => l[0] - 1)), Math.max(0, ...shown.map((l) => l[1]))];
  return (a.sections[0]?.name === "structural" ? lines.slice(0, first) : lines.slice(last)).join("\n").trim();
}

/** Returns the content of a text as JSON; undefined for another text. */
const jsonOf = (a: ContextAnswer): JsonText | undefined => (a.text.startsWith('{"query":') ? (JSON.parse(a.text) as JsonText) : undefined);
