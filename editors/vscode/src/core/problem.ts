/** What a button does for the user. */
export interface Remedy {
  title: string;
  command: string;
  args?: unknown[];
}

/** An error as the user sees it. */
export interface Problem {
  text: string;
  remedies: Remedy[];
}

/** The user has to do something first. It is no error, and a button does it. */
export class NotYet extends Error {
  readonly remedy: Remedy;

  constructor(message: string, remedy: Remedy) {
    super(message);
    this.remedy = remedy;
  }
}

export const openFile: Remedy = { title: "Open a File…", command: "workbench.action.quickOpen" };
export const openFolder: Remedy = { title: "Open a Folder…", command: "workbench.action.files.openFolder" };
const showStatus: Remedy = { title: "Show Index Status", command: "ambit.showStatus" };
const setting = (name: string, title: string): Remedy => ({ title, command: "workbench.action.openSettings", args: [name] });

/** Messages of the server, which speaks of its command line, with what a user of VS Code does. */
const steps: readonly [found: RegExp, said: string, ...remedies: Remedy[]][] = [
  [/\(too large\); ambit status lists .*$/, "(too large). The setting ambit.maxFileBytes is the limit.", setting("ambit.maxFileBytes", "Change the Limit"), showStatus],
  [/; ambit status lists what is left out.*$/, ".", showStatus],
  [/; ask again when ambit status says that nothing is pending/, "; ask again when the index is ready", showStatus],
  [/; set XDG_CACHE_HOME .*$/, ". Name a directory that you can write in the setting ambit.cacheDir.", setting("ambit.cacheDir", "Open Settings")],
  [/no folder is open; open one/, "No folder is open.", openFolder],
];

/** Returns an error in the words of VS Code, with the buttons for the next step. */
export function problemOf(e: unknown): Problem {
  const message = e instanceof Error ? e.message : String(e);
  const step = steps.find(([found]) => found.test(message));
  if (!step) {
    return { text: message, remedies: e instanceof NotYet ? [e.remedy] : [] };
  }
  const [found, said, ...remedies] = step;
  return { text: message.replace(found, said), remedies };
}
