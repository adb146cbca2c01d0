// Accessibility of pages in HTML, in both color schemes and two widths: node pages.mjs CHROMIUM PAGE…
// axe-core must have nothing to say, with all of its rules.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [executablePath, ...pages] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
let wrong = 0;
for (const file of pages) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 420]) {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 }, bypassCSP: true });
      await page.goto(`file://${path.resolve(file)}`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document));
      for (const { id, help, nodes } of violations) {
        wrong += 1;
        console.log(`${path.basename(file)}, ${colorScheme}, ${width}: ${id}: ${help}: ${nodes[0].html.slice(0, 120)} (${nodes.length})`);
      }
      await page.close();
    }
  }
}
await browser.close();
console.log(`${pages.length} pages, ${wrong} violations`);
process.exit(wrong === 0 ? 0 : 1);
