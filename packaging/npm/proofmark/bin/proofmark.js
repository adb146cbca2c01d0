#!/usr/bin/env node
"use strict";
// Starts the program of this platform, which is in a package of its own. Nothing is downloaded.

const { spawn } = require("node:child_process");
const os = require("node:os");
const path = require("node:path");

const platform = `${process.platform}-${process.arch}`;
const suffix = process.platform === "win32" ? ".exe" : "";

/** A file of an installed package, or undefined. Only packages beside this one count, never those of the current folder. */
function file(packageName, name, from) {
  try {
    const manifest = require.resolve(`${packageName}/package.json`, { paths: [from] });
    return path.join(path.dirname(manifest), "bin", name + suffix);
  } catch {
    return undefined;
  }
}

/** The render worker: a package of this platform that `@proofmark/render` depends on. */
function worker() {
  const direct = file(`@proofmark/render-${platform}`, "proofmark-render", __dirname);
  if (direct) return direct;
  const bundle = file("@proofmark/render", "", __dirname);
  return bundle && file(`@proofmark/render-${platform}`, "proofmark-render", path.dirname(bundle));
}

const program = process.env.PROOFMARK_BINARY || file(`@proofmark/cli-${platform}`, "proofmark", __dirname);
if (!program) {
  console.error(
    `error: the package @proofmark/cli-${platform} is not installed\n` +
      "hint: install without --omit=optional; if there is no such package, set PROOFMARK_BINARY to the path of the program",
  );
  process.exit(2);
}

const env = { PROOFMARK_INSTALL_RENDER: "npm install @proofmark/render", ...process.env };
const rendering = process.env.PROOFMARK_RENDER_WORKER ? undefined : worker();
if (rendering) env.PROOFMARK_RENDER_WORKER = rendering;

const child = spawn(program, process.argv.slice(2), { stdio: "inherit", env });
// A client that ends the launcher means the program.
const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
for (const signal of signals) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(2);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + (os.constants.signals[signal] || 0) : code);
});
