// Tries the extension in Visual Studio Code, as code-server and Chromium show it:
//
//     node editors/vscode/test.mjs PROGRAM CODE_SERVER VSIX CHROMIUM PICTURES
//
// PROGRAM is `proofmark`, CODE_SERVER the folder of the npm package, PICTURES a folder for pictures of each step. Exits with 1
// and says why where something is not as expected.

import { execFileSync, spawn } from "node:child_process";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { chromium } from "playwright-core";

const [program, codeServer, vsix, browserPath, pictures] = process.argv.slice(2).map((name) => path.resolve(name));
const home = fs.mkdtempSync(path.join(os.tmpdir(), "proofmark-vscode-"));
const folder = path.join(home, "workspace");
const entry = path.join(codeServer, "out", "node", "entry.js");
const own = ["--user-data-dir", path.join(home, "data"), "--extensions-dir", path.join(home, "extensions")];
const environment = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home };
const broken = "---\ntitle: Part 1: the plan\n---\n\n# Plan\n";
const diagram = "flowchart LR\nstart --> finish\nfinish --> start\n";

fs.mkdirSync(pictures, { recursive: true });
fs.mkdirSync(folder, { recursive: true });
fs.mkdirSync(path.join(home, "data", "User"), { recursive: true });
for (const name of ["fix.md", "save.md", "command.md"]) {
  fs.writeFileSync(path.join(folder, name), broken);
}
fs.writeFileSync(path.join(folder, "flow.mmd"), diagram);
fs.writeFileSync(
  path.join(home, "data", "User", "settings.json"),
  JSON.stringify({
    "editor.codeActionsOnSave": { "source.fixAll.proofmark": "explicit" },
    "editor.quickSuggestions": { other: "off" },
    "workbench.startupEditor": "none",
    "security.workspace.trust.enabled": false,
    "files.autoSave": "off",
  }),
);
execFileSync(program, ["fix", path.join(folder, "command.md")], { stdio: "ignore" });
const fixed = fs.readFileSync(path.join(folder, "command.md"), "utf8");
fs.rmSync(path.join(folder, "command.md"));

function check(what, holds, detail) {
  if (!holds) {
    throw new Error(`${what}: ${JSON.stringify(detail)}`);
  }
  console.log(`ok: ${what}`);
}

const read = (name) => fs.readFileSync(path.join(folder, name), "utf8");

/** Whether something holds within ten seconds. */
async function comesTrue(holds) {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await holds()) {
      return true;
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return false;
}

/** Presses keys until something is there: a busy window loses some, and closes menus without a reason. */
async function pressUntil(what, keys, holds, detail) {
  for (let tries = 0; tries < 3; tries += 1) {
    await page.keyboard.press(keys);
    if (await comesTrue(holds)) {
      return check(what, true);
    }
    console.log(`not yet: ${what}`);
  }
  check(what, false, await detail());
}

async function until(what, holds, detail) {
  check(what, await comesTrue(holds), await detail());
}

function freePort() {
  return new Promise((done) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

execFileSync(process.execPath, [entry, ...own, "--install-extension", vsix], { stdio: "ignore", env: environment });
const port = await freePort();
const server = spawn(
  process.execPath,
  [entry, ...own, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check",
    "--disable-workspace-trust", "--disable-getting-started-override", folder],
  { stdio: ["ignore", fs.openSync(path.join(pictures, "server.log"), "w"), "ignore"], env: environment },
);
let browser;
let page;
try {
  for (let tries = 0; tries < 200; tries += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) {
      break;
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
  page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(60_000);
  await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(folder)}`);
  await page.locator(".monaco-workbench").waitFor();
  const picture = (name) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
  const open = async (name) => {
    await page.keyboard.press("Control+p");
    await page.locator(".quick-input-widget input").first().fill(name);
    await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: name }).waitFor();
    await page.locator(".editor-instance .view-lines").first().click({ position: { x: 5, y: 5 } });
  };

  await page.locator(".explorer-folders-view", { hasText: "fix.md" }).waitFor();
  await open("fix.md");
  await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
  check("an error is underlined", true);
  await picture("1-underlined");

  await page.keyboard.press("F8");
  await page.locator(".zone-widget", { hasText: "YM101" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Control+i");
  const hover = page.locator(".monaco-hover:visible", { hasText: "YM101" }).first();
  await hover.waitFor();
  check("a hover explains the rule", true);
  await picture("2-hover");
  await page.keyboard.press("Escape");

  const menu = page.locator(".action-widget:not(.action-list-submenu-panel)").first();
  await pressUntil("quick fixes are offered", "Control+.", () => menu.isVisible(), () => "no menu");
  await picture("3-quick-fix");
  await page.keyboard.press("Enter");
  await menu.waitFor({ state: "hidden" });
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
  await page.keyboard.press("Control+s");
  await until("a quick fix gives the bytes of `proofmark fix`", () => read("fix.md") === fixed, () => read("fix.md"));

  await open("save.md");
  await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Text.\n");
  const isSaved = () => read("save.md") === `${fixed}Text.\n`;
  await pressUntil("saving applies all safe fixes", "Control+s", isSaved, () => read("save.md"));
  await picture("4-saved");

  await open("flow.mmd");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("start --> ");
  await page.keyboard.press("Control+Space");
  const proposals = page.locator(".suggest-widget.visible .monaco-list-row");
  await proposals.first().waitFor();
  await picture("5-completion");
  const labels = await proposals.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
  check("names of nodes are proposed first", labels.slice(0, 2).some((label) => label?.startsWith("finish")), labels);
  await page.keyboard.press("Escape");
  await page.keyboard.type("finish\n");

  await page.keyboard.press("Control+Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("F2");
  const input = page.locator(".rename-input");
  await input.waitFor();
  await input.fill("begin");
  await picture("6-rename");
  await page.keyboard.press("Enter");
  await page.locator(".view-line", { hasText: "begin" }).first().waitFor();
  await page.keyboard.press("Control+s");
  const renamed = "flowchart LR\nbegin --> finish\nfinish --> begin\nbegin --> finish\n";
  await until("a node is renamed", () => read("flow.mmd") === renamed, () => read("flow.mmd"));

  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().fill(">Proofmark: Show the rendered pages");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Show the rendered pages" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tab", { hasText: "Pages of flow.mmd" }).waitFor();
  const shown = page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame").locator("img, pre");
  await shown.first().waitFor();
  await page.waitForTimeout(1_000);
  await picture("7-preview");
  // Without the program that lays out pages, the panel says so.
  const says = await shown.first().evaluate((node) => node.textContent || (node.naturalWidth > 0 ? "a picture" : "nothing"));
  check("a preview shows the drawing, or why there is none", says === "a picture" || /render/.test(says), says);
} catch (error) {
  await page?.screenshot({ path: path.join(pictures, "failed.png") });
  console.error(`not ok: ${error.message}`);
  process.exitCode = 1;
} finally {
  await browser?.close();
  server.kill();
  fs.rmSync(home, { recursive: true, force: true });
}
