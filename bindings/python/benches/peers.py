"""Compare with what people check such documents with now, in one run:

    python benches/peers.py --diagrams mermaid/real.jsonl --flows qtype/ [--mermaid FOLDER] [--qtype PYTHON] [--command PROOFMARK]

Diagrams: `mermaid.parse` (Node; FOLDER has `npm install mermaid@12.3.0 jsdom`, and PATH a Node that it runs on), merman (`pip install
merman`), this package, and a pipe to `proofmark batch`. Flows: `qtype` in its own process (PYTHON of an environment with `pip install
qtype==0.1.18`), this package, and a pipe. `--diagrams` is a file of JSON Lines with `text`,
`--flows` is a folder of YAML files. Both are repeated, each copy with a comment of its own, until there are enough. Every program starts once
and reads all documents; starting it counts.
"""

from __future__ import annotations

import argparse
import itertools
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa

#: Validates each line of JSON with `mermaid.parse`; the argument is the folder with the packages.
NODE = r"""
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
const folder = process.argv[2];
const require = createRequire(folder + '/package.json');
const { JSDOM } = require('jsdom');
const dom = new JSDOM('<!DOCTYPE html>', { pretendToBeVisual: true });
for (const name of ['document', 'navigator', 'Element', 'HTMLElement', 'SVGElement', 'Node', 'NodeFilter', 'DocumentFragment',
  'HTMLTemplateElement', 'NamedNodeMap', 'DOMParser', 'XMLSerializer', 'CSSStyleSheet', 'getComputedStyle']) {
  if (dom.window[name] !== undefined) Object.defineProperty(globalThis, name, { value: dom.window[name], configurable: true, writable: true });
}
globalThis.window = dom.window;
for (const name of ['log', 'debug', 'info', 'warn', 'error']) console[name] = () => {};
const mermaid = (await import(pathToFileURL(folder + '/node_modules/mermaid/dist/mermaid.core.mjs').href)).default;
mermaid.initialize({ startOnLoad: false, logLevel: 5 });
for await (const line of createInterface({ input: process.stdin })) {
  let valid = true;
  try { await mermaid.parse(JSON.parse(line).text); } catch { valid = false; }
  process.stdout.write(valid ? '1\n' : '0\n');
}
"""

#: Validates each line of JSON with what `qtype validate` calls.
QTYPE = r"""
import json, logging, sys
logging.disable(logging.CRITICAL)
from qtype.semantic.loader import load_from_string
for line in sys.stdin:
    try:
        load_from_string(json.loads(line)["text"])
        print(1)
    except Exception:
        print(0)
"""

#: Validates each line of JSON with merman.
MERMAN = r"""
import json, sys
from merman import Merman
engine = Merman()
for line in sys.stdin:
    print(int(engine.validate(json.loads(line)["text"], None).valid))
"""


def repeated(texts: Sequence[str], count: int, comment: str) -> list[str]:
    """Documents until there are enough, each copy with another comment at its end."""
    rounds = (
        f"{text.rstrip()}\n{comment} {number}\n" if number else text for number in itertools.count() for text in texts
    )
    return list(itertools.islice(rounds, count))


def piped(command: Sequence[str], texts: Sequence[str], kind: str) -> list[bool]:
    """What a program says that reads lines of JSON."""
    lines = "".join(json.dumps({"id": number, "kind": kind, "text": text}) + "\n" for number, text in enumerate(texts))
    done = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    answers = done.stdout.splitlines()
    return [answer == b"1" if len(answer) == 1 else bool(json.loads(answer)["valid"]) for answer in answers]


def spent() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def is_utf8(file: bytes) -> bool:
    """Whether every program can be given what the file has: a corpus may contain files that are wrong on purpose."""
    try:
        file.decode()
    except UnicodeDecodeError:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--diagrams", type=Path, required=True)
    parser.add_argument("--flows", type=Path, required=True)
    parser.add_argument("--mermaid", type=Path)
    parser.add_argument("--node", default="node")
    parser.add_argument("--qtype", type=Path)
    parser.add_argument("--command", default="proofmark")
    given = parser.parse_args()

    import proofmark_rs as pm

    validator = pm.Validator(deadline=None)
    # The first array that pyarrow makes of a list imports pandas where it is installed.
    pa.array([""])

    def calls(texts: Sequence[str], kind: str) -> list[bool]:
        return [validator.validate(text, kind=kind).valid for text in texts]

    def columns(texts: Sequence[str], kind: str) -> list[bool]:
        checked = pa.table(validator.check_arrow(pa.array(texts), kind=kind, threads=1))
        valid: list[bool] = checked["valid"].to_pylist()
        return valid

    records = [json.loads(line) for line in given.diagrams.read_text("utf-8").split("\n") if line]
    diagrams = repeated([record["text"] for record in records], 10_000, "%%")
    files = [path.read_bytes() for path in sorted(given.flows.rglob("*.yaml"))]
    flows = repeated([file.decode() for file in files if is_utf8(file)], 1_000, "#")
    batch = [given.command, "batch", "--isolated", "--jobs", "1"]

    def program(command: Sequence[str]) -> Callable[[Sequence[str], str], list[bool]]:
        return lambda texts, kind: piped(command, texts, kind)

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "parse.mjs"
        script.write_text(NODE)
        of_diagrams = {
            "`mermaid.parse` (Node)": program([given.node, str(script), str(given.mermaid)]) if given.mermaid else None,
            "merman": program([sys.executable, "-c", MERMAN]),
            "pipe to `proofmark batch --jobs 1`": program(batch),
            "`proofmark_rs.validate`": calls,
            "`proofmark_rs.check_arrow`, one thread": columns,
        }
        of_flows = {
            "`qtype` in process": program([str(given.qtype), "-c", QTYPE]) if given.qtype else None,
            "pipe to `proofmark batch --jobs 1`": program(batch),
            "`proofmark_rs.validate`": calls,
            "`proofmark_rs.check_arrow`, one thread": columns,
        }
        for title, texts, kind, works in (
            (f"{len(diagrams):,} diagrams", diagrams, "mermaid", of_diagrams),
            (f"{len(flows):,} flows", flows, "qtype", of_flows),
        ):
            size = sum(len(text.encode()) for text in texts)
            print(f"\n| {title}, {size / 1e6:.1f} MB | s | CPU s | documents per CPU second | valid | as `mermaid.parse` or `qtype` |")
            print("|---|---:|---:|---:|---:|---:|")
            reference: list[bool] | None = None
            for name, work in works.items():
                if work is None:
                    continue
                start, cpu = time.perf_counter(), spent()
                valid = work(texts, kind)
                seconds, used = time.perf_counter() - start, spent() - cpu
                if len(valid) != len(texts):
                    print(f"| {name} | answered {len(valid):,} of {len(texts):,} | | | | |", flush=True)
                    continue
                reference = reference or valid
                same = sum(one == other for one, other in zip(valid, reference, strict=True)) / len(texts)
                row = (f"{seconds:.1f}", f"{used:.1f}", f"{len(texts) / used:,.0f}", f"{sum(valid):,}", f"{same:.1%}")
                print(f"| {name} | {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
