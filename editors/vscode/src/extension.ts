import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  State,
} from "vscode-languageclient/node";
import { preview } from "./preview";

/** Languages whose documents the server is asked about; it validates those of a kind that it knows. */
const LANGUAGES = ["markdown", "quarto", "mermaid", "yaml", "json", "jsonc", "toml", "org"];

let client: LanguageClient | undefined;
let status: vscode.StatusBarItem;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  status = vscode.window.createStatusBarItem("proofmark", vscode.StatusBarAlignment.Right);
  status.name = "Proofmark";
  status.command = "proofmark.showLog";
  context.subscriptions.push(
    status,
    vscode.commands.registerCommand("proofmark.restart", () => restart(context)),
    vscode.commands.registerCommand("proofmark.showLog", () => client?.outputChannel.show()),
    vscode.commands.registerCommand("proofmark.preview", () => preview(() => program(context))),
    vscode.commands.registerCommand("proofmark.fixAll", () =>
      vscode.commands.executeCommand("editor.action.codeAction", {
        kind: "source.fixAll.proofmark",
        apply: "first",
      }),
    ),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("proofmark")) {
        await restart(context);
      }
    }),
  );
  await start(context);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function restart(context: vscode.ExtensionContext): Promise<void> {
  await client?.stop();
  client = undefined;
  await start(context);
}

/** The program: the configured one, the one in the extension, or the one on `PATH`. */
function program(context: vscode.ExtensionContext): string {
  const configured = vscode.workspace.getConfiguration("proofmark").get<string>("path", "");
  if (configured !== "") {
    return configured;
  }
  const name = process.platform === "win32" ? "proofmark.exe" : "proofmark";
  const bundled = path.join(context.extensionPath, "bin", name);
  return fs.existsSync(bundled) ? bundled : name;
}

async function start(context: vscode.ExtensionContext): Promise<void> {
  const settings = vscode.workspace.getConfiguration("proofmark");
  const command = program(context);
  const args = ["lsp", ...settings.get<string[]>("arguments", [])];
  const serverOptions: ServerOptions = { command, args };
  const rulePages = settings.get<string>("rulePages", "");
  const clientOptions: LanguageClientOptions = {
    documentSelector: [
      ...LANGUAGES.map((language) => ({ language })),
      { scheme: "file", pattern: "**/*.{qmd,mmd,mermaid,org}" },
    ],
    initializationOptions: rulePages === "" ? {} : { rulePages },
  };
  client = new LanguageClient("proofmark", "Proofmark", serverOptions, clientOptions);
  client.onDidChangeState(({ newState }) => show(newState));
  try {
    await client.start();
  } catch (error) {
    show(State.Stopped);
    void vscode.window.showErrorMessage(`Proofmark: \`${command}\` cannot be started: ${error}`);
  }
}

function show(state: State): void {
  const [icon, tooltip] = {
    [State.Starting]: ["$(loading~spin)", "Proofmark is starting"],
    [State.Running]: ["$(check)", "Proofmark validates open documents"],
    [State.Stopped]: ["$(error)", "Proofmark is not running: see the log"],
  }[state];
  status.text = `${icon} Proofmark`;
  status.tooltip = tooltip;
  status.show();
}
