import { execFile } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** What the program said, as far as a panel needs it. */
interface Run {
  failed: boolean;
  /** The report, which the program writes to standard error. */
  report: string;
}

/**
 * The pages of a document, or the drawing of a diagram, beside its text: made by the program each time the document is saved.
 * While it cannot be rendered, the panel shows why, above the last pages.
 */
class Preview {
  private readonly folder = fs.mkdtempSync(path.join(os.tmpdir(), "proofmark-preview-"));
  private readonly panel: vscode.WebviewPanel;
  private readonly saved: vscode.Disposable;
  private pages: string[] = [];
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly document: vscode.Uri,
    private readonly program: () => string,
    closed: () => void,
  ) {
    const name = path.basename(document.fsPath);
    this.panel = vscode.window.createWebviewPanel(
      "proofmark.preview",
      `Pages of ${name}`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: false, localResourceRoots: [vscode.Uri.file(this.folder)] },
    );
    this.saved = vscode.workspace.onDidSaveTextDocument(() => this.update());
    this.panel.onDidDispose(() => {
      this.saved.dispose();
      fs.rmSync(this.folder, { recursive: true, force: true });
      closed();
    });
    this.show("Rendering…");
    this.update();
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
    this.update();
  }

  /** Renders again, after what is being rendered. */
  private update(): void {
    this.running = this.running.then(() => this.render());
  }

  private async render(): Promise<void> {
    if (!fs.existsSync(this.folder)) {
      return;
    }
    const made = fs.mkdtempSync(path.join(this.folder, "pages-"));
    const file = this.document.fsPath;
    const isDiagram = /\.(mmd|mermaid)$/.test(file);
    const output = path.join(made, "page.svg");
    const args = isDiagram ? ["draw", file, "-o", output] : ["render", file, "--format", "svg", "-o", output];
    const { failed, report } = await this.run(args);
    const pages = fs.existsSync(made) ? fs.readdirSync(made).map((page) => path.join(made, page)) : [];
    if (pages.length > 0) {
      const number = (page: string) => Number(/(\d+)\.svg$/.exec(page)?.[1] ?? 0);
      this.pages = pages.sort((one, other) => number(one) - number(other));
    }
    this.show(failed ? report : "");
  }

  private run(args: string[]): Promise<Run> {
    const cwd = vscode.workspace.getWorkspaceFolder(this.document)?.uri.fsPath ?? path.dirname(this.document.fsPath);
    return new Promise((done) => {
      execFile(this.program(), ["--color", "never", ...args], { cwd, timeout: 120_000 }, (error, _, stderr) => {
        done({ failed: error !== null, report: stderr.trim() || (error?.message ?? "") });
      });
    });
  }

  private show(report: string): void {
    const webview = this.panel.webview;
    const text = report.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
    const pictures = this.pages.map(
      (page, index) => `<img src="${webview.asWebviewUri(vscode.Uri.file(page))}" alt="page ${index + 1}">`,
    );
    webview.html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src ${webview.cspSource}; style-src 'unsafe-inline'">
<style>img { display: block; width: 100%; background: #fff; margin: 0 0 1em; } pre { white-space: pre-wrap; }</style>
</head><body>${text === "" ? "" : `<pre>${text}</pre>`}${pictures.join("\n")}</body></html>`;
  }
}

const previews = new Map<string, Preview>();

/** Opens the preview of the document in the editor, or brings it to the front. */
export async function preview(program: () => string): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || document.uri.scheme !== "file") {
    void vscode.window.showInformationMessage("Proofmark: open a saved document to see its pages.");
    return;
  }
  await document.save();
  const key = document.uri.toString();
  const open = previews.get(key);
  if (open !== undefined) {
    open.reveal();
    return;
  }
  previews.set(key, new Preview(document.uri, program, () => previews.delete(key)));
}
