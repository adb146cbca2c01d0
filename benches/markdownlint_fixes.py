#!/usr/bin/env python3
"""What `proofmark fix` leaves in Markdown documents, as markdownlint sees it, and whether the pages stay what they are.

    benches/markdownlint_fixes.py [--unsafe] [--show N] [--most N] PATH...

PATH is a folder with Markdown files, or a JSONL file whose lines have `id` and `text`. Every document is fixed with the pack
`markdownlint` alone. The script then counts the findings that markdownlint could still fix itself, by rule, and compares
the HTML of each document before and after, made by pulldown-cmark. Rules that exist to change the page (MEANT) are left
out of the comparison by fixing without them once more.

    PROOFMARK        the program [default: target/release/proofmark]
    MARKDOWNLINT     a folder with `node_modules/markdownlint`; without it, the first part is skipped

The package `pyromark` of PyPI makes the HTML; without it, the second part is skipped. Exit code 1 if a document changed.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import pyromark
except ImportError:
    pyromark = None

REPOSITORY = Path(__file__).resolve().parent.parent
PROOFMARK = os.environ.get("PROOFMARK", str(REPOSITORY / "target/release/proofmark"))
MARKDOWNLINT = os.environ.get("MARKDOWNLINT")

# A bare address becomes a link, `#Text` a heading, `(a)[b]` a link; spaces in code, emphasis and links, punctuation of headings,
# names, tabs and prompts are what these rules are about. A blank line makes a list loose, ends a paragraph, or starts a list.
MEANT = ["MD011", "MD014", "MD018", "MD020", "MD026", "MD034", "MD037", "MD038", "MD039", "MD044", "MD051", "MD053"]

LINTER = """
import { lint } from "markdownlint/promise"; import { readFileSync } from "fs";
for (const line of readFileSync(0, "utf8").split("\\n").filter(Boolean)) {
  const { id, text } = JSON.parse(line);
  const found = await lint({ strings: { d: text }, config: { default: true }, handleRuleFailures: true });
  const fixable = found.d.filter(one => one.fixInfo).map(one => [one.ruleNames[0], one.lineNumber]);
  process.stdout.write(JSON.stringify({ id, all: found.d.length, fixable }) + "\\n");
}
"""


def documents(paths, most):
    """The documents by name."""
    found = {}
    for path in map(Path, paths):
        if path.suffix == ".jsonl":
            lines = path.read_text(encoding="utf-8").split("\n")
            found.update((row["id"], row["text"]) for row in map(json.loads, filter(None, lines)))
            continue
        for file in sorted(path.rglob("*.md")):
            try:
                found[str(file)] = file.read_bytes().decode("utf-8")
            except (UnicodeDecodeError, OSError):
                continue
    return dict(list(found.items())[:most])


def fixed(texts, arguments):
    """Each document after `proofmark fix` with the pack alone."""
    folder = Path(tempfile.mkdtemp(prefix="proofmark-fixes-"))
    try:
        files = {name: folder / f"{index}.md" for index, name in enumerate(texts)}
        for name, file in files.items():
            file.write_bytes(texts[name].encode("utf-8"))
        command = [PROOFMARK, "fix", "--isolated", "--exit-zero", "--quiet", "--select", "markdownlint", *arguments, str(folder)]
        run = subprocess.run(command, capture_output=True)
        if run.returncode not in (0, 1):
            sys.exit(f"{PROOFMARK} fix failed: {run.stderr.decode(errors='replace')[-500:]}")
        return {name: file.read_bytes().decode("utf-8") for name, file in files.items()}
    finally:
        shutil.rmtree(folder)


def linted(texts):
    """What markdownlint could fix in each document."""
    script = Path(MARKDOWNLINT) / "proofmark-fixes.mjs"
    script.write_text(LINTER)
    try:
        records = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items())
        run = subprocess.run(["node", str(script)], input=records.encode(), capture_output=True, check=True)
    finally:
        script.unlink()
    rows = map(json.loads, filter(None, run.stdout.decode().split("\n")))
    return {row["id"]: row for row in rows}


def page(text):
    """The HTML of a document, with white space that no browser shows left out."""
    options = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES | pyromark.Options.ENABLE_STRIKETHROUGH
    body = re.sub(r"\A\ufeff?---\n.*?\n---\n", "", text.replace("\r\n", "\n"), flags=re.S)
    parts = re.split(r"(<pre>.*?</pre>)", pyromark.html(body, options=options), flags=re.S)
    parts[::2] = (re.sub(r"[ \t]*\n[ \t]*", "\n", re.sub(r"[ \t]+", " ", part)) for part in parts[::2])
    return "".join(parts).strip()


def left(before, after, show):
    """Prints what markdownlint could still fix."""
    if not MARKDOWNLINT:
        print("skipped: MARKDOWNLINT names no folder with markdownlint")
        return
    was, now = linted(before), linted(after)
    count = collections.Counter(rule for row in was.values() for rule, _ in row["fixable"])
    rest = collections.Counter(rule for row in now.values() for rule, _ in row["fixable"])
    clean = sum(not row["fixable"] for row in now.values())
    print(f"fixable by markdownlint: {sum(count.values())} before, {sum(rest.values())} after; {clean} of {len(now)} documents have none")
    for rule, number in rest.most_common():
        print(f"  {rule}: {number} of {count[rule]} left")
    for name, row in now.items():
        if row["fixable"] and show > 0:
            show -= 1
            print(f"--- {name}: {row['fixable'][:6]}")


def changed(before, arguments, show):
    """Compares the pages where only those fixes are applied that must not change them. Returns how many did."""
    if pyromark is None:
        print("skipped: the package pyromark is not installed")
        return 0
    after = fixed(before, [*arguments, *(word for rule in MEANT for word in ("--ignore", rule))])
    names = [name for name, text in before.items() if page(text) != page(after[name])]
    print(f"pages that changed: {len(names)} of {len(before)}")
    for name in names[:show]:
        old, new = page(before[name]).split("\n"), page(after[name]).split("\n")
        at = next((at for at, pair in enumerate(zip(old, new)) if pair[0] != pair[1]), 0)
        print(f"--- {name}\n  - {old[at : at + 3]}\n  + {new[at : at + 3]}")
    return len(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--unsafe", action="store_true", help="apply unsafe fixes, too")
    parser.add_argument("--show", type=int, default=0, help="show this many documents")
    parser.add_argument("--most", type=int, default=None, help="take this many documents at most")
    given = parser.parse_args()
    arguments = ["--unsafe"] if given.unsafe else []
    before = documents(given.paths, given.most)
    left(before, fixed(before, arguments), given.show)
    sys.exit(changed(before, arguments, given.show) > 0)


if __name__ == "__main__":
    main()
