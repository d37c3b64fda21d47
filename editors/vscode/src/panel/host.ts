import * as vscode from "vscode";

/** Where the page of the panel is: an editor, or a view in a side bar. */
export interface Host extends vscode.Disposable {
  readonly webview: vscode.Webview;
  readonly inView: boolean;
  readonly visible: boolean;
  /** Whether it is the editor that has the focus, or had it before a list opened. */
  readonly active: boolean;
  setTitle(symbol: string): void;
  reveal(focus: boolean): void;
  onDidChangeVisibility(listener: () => void): void;
  onDidDispose(listener: () => void): void;
}

/** Returns the panel as an editor. */
export function editorHost(panel: vscode.WebviewPanel, extension: vscode.Uri): Host {
  const media = (name: string): vscode.Uri => vscode.Uri.joinPath(extension, "media", name);
  panel.iconPath = { light: media("panel-light.svg"), dark: media("panel-dark.svg") };
  return {
    webview: panel.webview,
    inView: false,
    get visible() {
      return panel.visible;
    },
    get active() {
      return panel.active;
    },
    setTitle: (symbol) => {
      panel.title = symbol ? `Context: ${symbol}` : "Context";
    },
    reveal: (focus) => panel.reveal(undefined, !focus),
    onDidChangeVisibility: (listener) => void panel.onDidChangeViewState(listener),
    onDidDispose: (listener) => void panel.onDidDispose(listener),
    dispose: () => void panel.dispose(),
  };
}

/** Returns the panel as a view. VS Code keeps the side bar into which the user has moved it. */
export function viewHost(view: vscode.WebviewView): Host {
  return {
    webview: view.webview,
    inView: true,
    get visible() {
      return view.visible;
    },
    active: false,
    setTitle: (symbol) => {
      view.description = symbol;
    },
    reveal: (focus) => void (focus ? vscode.commands.executeCommand(`${viewId}.focus`) : view.show(true)),
    onDidChangeVisibility: (listener) => void view.onDidChangeVisibility(listener),
    onDidDispose: (listener) => void view.onDidDispose(listener),
    dispose: () => undefined, // VS Code disposes of it when the setting hides it
  };
}

/** The view in package.json, which is there when the setting ambit.panel.location says so. */
export const viewId = "ambit.contextView";
