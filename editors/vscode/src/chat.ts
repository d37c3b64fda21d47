import * as vscode from "vscode";
import { type ContextAnswer, type Format, formats } from "./core/protocol";

/** The scheme of the documents that are attached to a chat. */
const scheme = "ambit-chat";
const open = "workbench.action.chat.open";

/**
 * The texts that were added to a chat, as files in memory: a chat attaches only files, and
 * Ambit writes none.
 */
export class ChatFiles implements vscode.FileSystemProvider {
  readonly #texts = new Map<string, Uint8Array>();
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;

  register(): vscode.Disposable {
    return vscode.workspace.registerFileSystemProvider(scheme, this, { isReadonly: true });
  }

  /** Attaches the text of an answer to the chat and gives the chat the keyboard. */
  async add(answer: ContextAnswer, format: Format): Promise<void> {
    if (!(await vscode.commands.getCommands(true)).includes(open)) {
      throw new Error("this editor has no chat; copy the context and paste it");
    }
    const extension = formats.find((f) => f.id === format)?.extension ?? ".txt";
    const uri = vscode.Uri.from({ scheme, path: `/${(answer.symbol?.identifier ?? "context").replace(/[^\p{L}\p{N}_.-]+/gu, "_")}${extension}` });
    this.#texts.set(uri.path, new TextEncoder().encode(answer.text));
    this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    await vscode.commands.executeCommand(open, { query: "", isPartialQuery: true, attachFiles: [uri] });
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const text = this.#texts.get(uri.path);
    if (!text) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return text;
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.readFile(uri).byteLength, permissions: vscode.FilePermission.Readonly };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [...this.#texts.keys()].map((path) => [path.slice(1), vscode.FileType.File]);
  }

  createDirectory = refuse;
  writeFile = refuse;
  delete = refuse;
  rename = refuse;
}

function refuse(uri: vscode.Uri): never {
  throw vscode.FileSystemError.NoPermissions(uri);
}
