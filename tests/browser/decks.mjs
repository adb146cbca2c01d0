// Tries decks in Chromium as a speaker uses them:
//
//     node tests/browser/decks.mjs PROGRAM CHROMIUM FOLDER DOCUMENT...
//
// PROGRAM is `proofmark`, FOLDER the folder for decks and pictures. Exits with 1 and says why where something is not as
// expected. With PICTURES=1, there is a picture of each slide.

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as http from "node:http";
import { createRequire } from "node:module";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [program, browserPath, folder, ...documents] = process.argv.slice(2).map((name) => path.resolve(name));
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const errors = [];

function check(what, holds, detail) {
  if (!holds) {
    throw new Error(`${what}: ${JSON.stringify(detail)}`);
  }
  console.log(`ok: ${what}`);
}

// Where a deck is, and what of it is seen.
const state = (page) =>
  page.evaluate(() => {
    const { h, v, f } = Reveal.getIndices();
    const { left, right, up, down } = Reveal.availableRoutes();
    return { at: `${h}/${v ?? 0}`, key: `${h}/${v ?? 0}/${f ?? -1}`, routes: { left, right, up, down } };
  });

// Presses keys until nothing follows; gives the slides and steps that were seen.
async function walk(page, isVertical, forward) {
  const seen = [(await state(page)).key];
  for (let presses = 0; presses < 500; presses += 1) {
    const { routes } = await state(page);
    const fragments = await page.evaluate(() => Reveal.availableFragments());
    let key = forward ? "ArrowRight" : "ArrowLeft";
    if (isVertical && forward && (routes.down || fragments.next)) key = routes.down ? "ArrowDown" : "ArrowRight";
    if (isVertical && !forward && (routes.up || fragments.prev)) key = routes.up ? "ArrowUp" : "ArrowLeft";
    await page.keyboard.press(key);
    const { key: now } = await state(page);
    if (now === seen.at(-1)) return seen;
    seen.push(now);
  }
  throw new Error("the deck does not end");
}

async function opened(context, url) {
  const page = await context.newPage();
  page.on("console", (message) => {
    // The parts of the view of a speaker are documents without an icon.
    if (message.type() === "error") errors.push(`${url}: ${message.text()}`);
  });
  page.on("pageerror", (error) => errors.push(`${url}: ${error.message}`));
  page.on("request", (request) => {
    const isHere = request.url().startsWith(url.split("?")[0]) || /^(data|about|blob):/.test(request.url());
    if (!isHere) errors.push(`${url} loads ${request.url()}`);
  });
  await page.goto(url);
  await page.waitForFunction(() => typeof Reveal === "undefined" || Reveal.isReady());
  return page;
}

async function tried(context, name, url) {
  const page = await opened(context, url);
  check(`${name}: it is a deck of reveal.js 5`, await page.evaluate(() => Reveal.VERSION.startsWith("5.")));
  const slides = await page.evaluate(() => Reveal.getSlides().map((slide) => {
    const { h, v } = Reveal.getIndices(slide);
    return { at: `${h}/${v ?? 0}`, fragments: Reveal.getState && new Set(Array.from(slide.querySelectorAll(".fragment"), (part) => part.dataset.fragmentIndex)).size };
  }));
  const steps = slides.reduce((sum, slide) => sum + 1 + slide.fragments, 0);
  const isVertical = await page.evaluate(() => Reveal.getConfig().navigationMode !== "linear");
  const seen = await walk(page, isVertical, true);
  check(`${name}: arrow keys lead through ${slides.length} slides and ${steps - slides.length} further steps`, seen.length === steps && new Set(seen).size === steps, { steps, seen });
  const back = await walk(page, isVertical, false);
  check(`${name}: arrow keys lead back to the first slide`, back.at(-1).startsWith("0/0"), back);
  await accessible(page, name, slides);
  await page.close();
  return slides.length;
}

// Rules of axe on each slide, with all of its fragments. Pictures of the slides, if they are asked for.
async function accessible(page, name, slides) {
  await page.evaluate(() => Reveal.configure({ transition: "none", backgroundTransition: "none", autoAnimate: false }));
  await page.addStyleTag({ content: "* { transition: none !important; }" });
  await page.addScriptTag({ path: axe });
  const found = [];
  for (const { at } of slides) {
    const [h, v] = at.split("/").map(Number);
    await page.evaluate(([h, v]) => Reveal.slide(h, v, 1000), [h, v]);
    await page.waitForTimeout(30);
    if (process.env.PICTURES) await page.screenshot({ path: path.join(folder, `${name}-${h}-${v}.png`) });
    const { violations } = await page.evaluate(() => window.axe.run({ iframes: false }));
    for (const { id, nodes } of violations) {
      for (const node of nodes) found.push(`${at} ${id}: ${node.html.slice(0, 160)} ${node.any.map((one) => one.message).join("; ").slice(0, 160)}`);
    }
  }
  check(`${name}: axe finds nothing on any slide`, found.length === 0, [...new Set(found)].slice(0, 20));
}

async function notes(context, url, text) {
  const page = await opened(context, url);
  await page.evaluate(() => Reveal.slide(1, 0));
  const [view] = await Promise.all([context.waitForEvent("page"), page.keyboard.press("s")]);
  await view.waitForFunction((text) => document.querySelector(".speaker-controls-notes .value")?.textContent.includes(text), text);
  check("the view of the speaker shows the notes", true);
  await view.waitForFunction(() => document.querySelectorAll("iframe").length === 2);
  await page.keyboard.press("ArrowRight");
  const shown = page.waitForFunction(() => Reveal.getIndices().v === 1);
  await shown;
  const frame = view.frames().find((frame) => frame.url().includes("receiver"));
  await frame.waitForFunction(() => typeof Reveal !== "undefined" && Reveal.isReady() && Reveal.getIndices().v === 1);
  check("the view of the speaker follows the deck", true);
  await view.close();
  await page.close();
}

async function printed(context, name, url, count, words) {
  for (const query of ["?print-pdf", "?view=print"]) {
    const page = await opened(context, url + query);
    await page.waitForFunction((count) => document.querySelectorAll(".pdf-page").length === count, count);
    await page.waitForTimeout(200);
    const file = path.join(folder, `${name}.pdf`);
    await page.pdf({ path: file, preferCSSPageSize: true, printBackground: true });
    const expected = await page.evaluate(() => {
      const pages = Array.from(document.querySelectorAll(".pdf-page"), (page) => page.offsetHeight);
      const height = Math.min(...pages);
      return pages.reduce((sum, own) => sum + Math.round(own / height), 0);
    });
    const pages = Number(/^Pages:\s+(\d+)/m.exec(execFileSync("pdfinfo", [file]).toString())[1]);
    check(`${name}${query}: ${count} slides are ${pages} pages`, pages === expected && pages >= count, { pages, expected, count });
    const text = execFileSync("pdftotext", [file, "-"]).toString().replace(/\s+/g, " ");
    check(`${name}${query}: the pages have the words`, words.every((word) => text.includes(word)), { words, text });
    await page.close();
  }
}

async function withoutScripts(browser, name, url) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 1000, height: 700 } });
  const page = await context.newPage();
  await page.goto(url);
  const hidden = [];
  for (const part of await page.locator(".slides section h2, .slides section li, .slides section .fragment").all()) {
    if (!(await part.isVisible())) hidden.push(await part.innerHTML());
  }
  const shown = hidden.filter((html) => !html.includes("nav-link") && html.trim() && !html.includes("Left out"));
  check(`${name}: without scripts, all of it is shown`, shown.length === 0, shown.slice(0, 5));
  if (process.env.PICTURES) await page.screenshot({ path: path.join(folder, `${name}-plain.png`), fullPage: true });
  await context.close();
}

// What single slides do.
async function details(context, url) {
  const page = await opened(context, url("talk"));
  const slideOf = (id) => page.evaluate((id) => {
    const { h, v } = Reveal.getIndices(document.getElementById(id));
    Reveal.slide(h, v, -1);
    return `${h}/${v}`;
  }, id);
  const at = await slideOf("by-looking");
  await page.locator(".nav-link.active").first().focus();
  await page.keyboard.press("ArrowRight");
  const tab = await page.evaluate(() => document.querySelector(".tab-pane.active").textContent);
  check("arrow keys on a tab change the tab and not the slide", tab.includes("dry") && (await state(page)).at === at, tab);
  await slideOf("by-counting");
  const lines = () => page.evaluate(() => Array.from(document.querySelectorAll(".present.slide code > .on"), (line) => line.textContent.trim().slice(0, 8)));
  const steps = [await lines()];
  for (let step = 0; step < 2; step += 1) {
    await page.keyboard.press("ArrowRight");
    steps.push(await lines());
  }
  check("steps highlight lines of code", steps.map((step) => step.length).join() === "2,3,1", steps);
  await page.goto(`${url("talk")}#/by-a-formula`);
  const footer = () => page.evaluate(() => document.querySelector(".reveal > .footer").textContent.trim());
  check("the footer is that of the deck", (await footer()).startsWith("Green Fields"), await footer());
  await page.evaluate(() => {
    const { h, v } = Reveal.getIndices(Reveal.getSlides().at(-1));
    Reveal.slide(h, v);
  });
  await page.waitForFunction(() => document.querySelector(".reveal > .footer").textContent.includes("Questions"));
  check("a slide has its own footer", true);
  await page.close();

  const long = await opened(context, url("lesson"));
  for (const [id, selector] of [["a-long-slide", "section.present"], ["forty-lines-of-code", "section.present code"]]) {
    const moves = await long.evaluate(([id, selector]) => {
      const { h, v } = Reveal.getIndices(document.getElementById(id));
      Reveal.slide(h, v, -1);
      const area = document.querySelector(selector);
      return area.scrollHeight > area.clientHeight && area.tabIndex === 0;
    }, [id, selector]);
    check(`what is too long on ${id} scrolls and gets the focus`, moves);
  }
  await long.evaluate(() => document.querySelector("section.present code").focus());
  const before = await state(long);
  await long.keyboard.press("PageDown");
  await long.waitForFunction(() => document.activeElement.scrollTop > 0);
  check("keys scroll code that has the focus", (await state(long)).key === before.key);
  const wide = await long.evaluate(() => {
    const { h, v } = Reveal.getIndices(document.getElementById("a-wide-table"));
    Reveal.slide(h, v);
    const slide = Reveal.getCurrentSlide();
    return { room: slide.clientWidth, table: slide.querySelector("table").offsetWidth, scroll: slide.querySelector(".table-scroll") !== null };
  });
  check("a wide table fits or scrolls", wide.table <= wide.room || wide.scroll, wide);
  await long.close();
}

fs.mkdirSync(folder, { recursive: true });
const names = documents.map((document) => path.basename(document, ".qmd"));
for (const [index, document] of documents.entries()) {
  execFileSync(program, ["convert", document, "--to", "revealjs", "-o", path.join(folder, `${names[index]}.html`)], { stdio: ["ignore", "ignore", "pipe"] });
}
const server = http.createServer((request, response) => {
  const name = path.basename(new URL(request.url, "http://localhost").pathname);
  if (!names.includes(path.basename(name, ".html"))) {
    response.writeHead(204).end();
    return;
  }
  response.writeHead(200, { "content-type": "text/html" });
  response.end(fs.readFileSync(path.join(folder, name)));
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const url = (name) => `http://127.0.0.1:${server.address().port}/${name}.html`;
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
let failed = false;
try {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(15_000);
  const words = { talk: ["Three points", "Then we do", "Noon", "The field is dry", "Questions to"], pitch: ["Elephants enter", "Posts are cheaper"], lesson: ["North field", "Decide what to do", "north 12.5"] };
  for (const name of names) {
    const count = await tried(context, name, url(name));
    await printed(context, name, url(name), count, words[name] ?? []);
    await withoutScripts(browser, name, url(name));
  }
  if (names.includes("talk") && names.includes("lesson")) {
    await details(context, url);
    await notes(context, url("talk"), "Wait until");
  }
  const file = await opened(context, pathToFileURL(path.join(folder, `${names[0]}.html`)).href);
  await file.keyboard.press("ArrowRight");
  check("a deck works as a file", (await state(file)).at === "1/0", await state(file));
  check("nothing is loaded, and no script fails", errors.length === 0, errors.slice(0, 10));
} catch (error) {
  console.error(`FAILED: ${error.message}`);
  failed = true;
} finally {
  await browser.close();
  server.close();
}
process.exit(failed ? 1 : 0);
