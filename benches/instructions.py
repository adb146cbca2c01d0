#!/usr/bin/env python3
"""How many instructions a document takes, counted by valgrind: a table that is committed, so that a change that costs shows in its diff.

  benches/instructions.py PROGRAM [--profile NAME] [--write] [--only TEXT] [--against PROGRAM]

Compares with `benches/instructions.json`, and ends with 1 where a number differs by more than 3 percent; a start must also differ by more
than 50,000. `--write` writes the rows of the profile. `--against` counts another program beside it and compares nothing. The profile is the
one of Cargo that PROGRAM was built with: `release` is what users have, built by `cargo build --release --no-default-features --features
mcp`; `debug` is what the tests have built, so that `.ci/run` can compare it without another build. A change of an algorithm shows in both,
one of what the compiler makes of it in `release` alone. Another compiler or other features give other numbers. Of each sort of document two
numbers are counted: with the rules of its kind, and reading alone. The difference of two runs counts, so that the start does not. Standard
library only.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import batch

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "instructions.json"
TOLERANCE = 0.03
VALGRIND = shutil.which("valgrind")

# Thousand instructions that a start may always differ by: the system's loader takes some for each library and each page it maps.
START_TOLERANCE = 50

# A rule that no document of these kinds has: with only this one, documents are read and nothing else.
NO_RULE = "PM017"


def article(size, number):
    """A Quarto document: metadata with keys that Quarto does not know, sections, divs, code and references."""
    head = (f"---\ntitle: Article {number}\nauthor:\n  - name: Ada Lovelace\n    orcid: 0000-0001-2345-6789\ndate: 2026-11-21\n"
            "format:\n  html:\n    toc: true\n    code-fold: true\nbibliography: references.bib\nour-team: analysis\nreviewed-by: Grace\n---\n\n")
    made, count = head, 0
    while len(made) < size:
        count += 1
        word = batch.WORDS[(number + count) % len(batch.WORDS)]
        made += (f"## Part {count} {{#sec-{count}}}\n\n{batch.sentence(number, count)}::: {{.callout-note}}\nThe {word} is in @sec-{count}.\n:::\n\n"
                 f"```{{r}}\n#| label: fig-{count}\n#| fig-cap: \"The {word}\"\nplot({count})\n```\n\nSee @fig-{count} and [a link](https://example.org).\n\n")
    return made


def outline(size, number):
    """An Org file: tasks with tags, properties, dates and text."""
    made, count = f"#+TITLE: Plan {number}\n#+TODO: TODO WAIT | DONE\n\n", 0
    while len(made) < size:
        count += 1
        word = batch.WORDS[(number + count) % len(batch.WORDS)]
        state = ("TODO", "WAIT", "DONE")[count % 3]
        closed = "CLOSED: [2026-11-20 Fri 10:00] " if state == "DONE" else ""
        made += (f"* {state} Review the {word} {count} :work:{word}:\n{closed}SCHEDULED: <2026-11-{count % 28 + 1:02}>\n:PROPERTIES:\n"
                 f":ID: task-{number}-{count}\n:Effort: 1:30\n:END:\nSome text about the {word} with *stress* and [[https://example.org][a link]].\n"
                 f"- [ ] one\n- [X] two\n")
    return made


def sort(name):
    """The kind of documents that `batch.py` calls so, and what makes one."""
    _, kind, size, make = next(row for row in batch.SORTS if row[0] == name)
    return kind, lambda number: make(size, number)


# What a line of the table says, the kind, what makes a document, and how many of them.
SORTS = [
    ("prose, 5 KB", *sort("prose with frontmatter, 5 KB"), 60),
    ("SCOPE blocks, 5 KB", *sort("SCOPE blocks for a built-in quill, 5 KB"), 20),
    ("QType flows, 5 KB", *sort("QType flows, 5 KB"), 20),
    ("flowcharts, 1 KB", *sort("generated flowcharts, 1 KB"), 40),
    ("Quarto, 5 KB", "quarto", lambda number: article(5_000, number), 20),
    ("Org, 10 KB", "org", lambda number: outline(10_000, number), 10),
]

# Documents that are read in both runs.
FEW = 5

STARTS = [
    ("--version", ["--version"], {}),
    ("check of a Markdown file", ["check", "--isolated", "one.md"], {"one.md": "# One\n\nText.\n"}),
    ("check of a flow", ["check", "--isolated", "one.qtype.yaml"], {"one.qtype.yaml": "id: one\nmodels: []\n"}),
    ("check of a diagram", ["check", "--isolated", "one.mmd"], {"one.mmd": "flowchart LR\n  a --> b\n"}),
]

# The rows of starts.
STARTED = {name for name, _, _ in STARTS}


def without_auxv():
    """The program must not see the vector of the kernel that valgrind hides: the system call that reads it fails in the child."""
    prctl, seccomp = 157, 22
    load, equal, give = 0x20, 0x15, 0x06
    get_auxv, fails, allowed = 0x41555856, 0x00050000 | 22, 0x7FFF0000
    steps = [(load, 0, 0, 0), (equal, 0, 3, prctl), (load, 0, 0, 16), (equal, 0, 1, get_auxv), (give, 0, 0, fails), (give, 0, 0, allowed)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filter_ = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(code))
    library = ctypes.CDLL(None, use_errno=True)
    if os.uname().machine == "x86_64":
        library.prctl(38, 1, 0, 0, 0)
        library.prctl(seccomp, 2, ctypes.create_string_buffer(filter_), 0, 0)


def instructions(command, folder, stdin=None):
    """Instructions that a run takes."""
    log = pathlib.Path(folder, "counted")
    counted = [VALGRIND, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", f"--log-file={log}", *command]
    # The same variables everywhere: what a start does with others is not counted.
    environment = {"OPENAI_API_KEY": "none", "PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    ended = subprocess.run(counted, cwd=folder, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=environment, preexec_fn=without_auxv, check=False)
    found = re.search(r"I\s+refs:\s+([\d,]+)", log.read_text("utf-8", "replace"))
    if found is None or ended.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} ended with {ended.returncode}:\n{log.read_text('utf-8', 'replace')}")
    return int(found[1].replace(",", ""))


def of_document(program, kind, text_of, count, options, folder):
    """Instructions per document."""
    taken = []
    for number in (FEW, FEW + count):
        path = pathlib.Path(folder, "documents")
        batch.written(path, kind, [text_of(index) for index in range(number)])
        with open(path, "rb") as lines:
            taken.append(instructions([program, "batch", "--isolated", "--jobs", "1", *options], folder, lines))
    return (taken[1] - taken[0]) // count


def measured(program, only):
    """The table of a program: instructions of each sort of document and of each start, in thousands."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, text_of, count in SORTS:
            for part, options in (("", []), (", reading", ["--select", NO_RULE])):
                if only in name + part:
                    rows[name + part] = round(of_document(program, kind, text_of, count, options, folder) / 1000, 1)
                    print(f"{name + part:34} {rows[name + part]:12,.1f} k", flush=True)
        for name, arguments, files in STARTS:
            if only in name:
                for file, text in files.items():
                    pathlib.Path(folder, file).write_text(text, "utf-8")
                rows[name] = round(instructions([program, *arguments], folder) / 1000, 1)
                print(f"{name:34} {rows[name]:12,.1f} k", flush=True)
    return rows


def compared(now, before):
    """The rows that differ by more than the tolerance, or are not in both tables."""
    wrong = []
    for name in sorted({*now, *before}):
        if name not in now or name not in before:
            wrong.append(f"{name}: only in {'this run' if name in now else 'the table'}")
        elif abs(now[name] - before[name]) > max(TOLERANCE * before[name], START_TOLERANCE if name in STARTED else 0):
            wrong.append(f"{name}: {before[name]:,.1f} k before, {now[name]:,.1f} k now ({now[name] / before[name] - 1:+.1%})")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--profile", choices=["debug", "release"], default="release", help="what PROGRAM was built with (default: release)")
    parser.add_argument("--write", action="store_true", help="write the rows of the profile")
    parser.add_argument("--only", default="", help="rows with this text")
    parser.add_argument("--against", help="another program to compare with")
    options = parser.parse_args()
    if VALGRIND is None:
        print("SKIPPED: valgrind is not installed, so no instruction was counted", file=sys.stderr)
        return 0
    now = measured(str(pathlib.Path(options.program).resolve()), options.only)
    if options.against:
        print(f"\n{options.against}")
        other = measured(str(pathlib.Path(options.against).resolve()), options.only)
        print("\n| documents | the other program | this one | |\n|---|---:|---:|---:|")
        for name, count in now.items():
            print(f"| {name} | {other[name]:,.1f} k | {count:,.1f} k | {count / other[name] - 1:+.1%} |")
        return 0
    table = json.loads(TABLE.read_text("utf-8")) if TABLE.exists() else {"unit": "thousand instructions"}
    before = table.get(options.profile, {})
    if options.write:
        others = {name: count for name, count in before.items() if options.only not in name}
        table[options.profile] = {**others, **now}
        TABLE.write_text(json.dumps(table, indent=2) + "\n", "utf-8")
        return 0
    if not before:
        print(f"{TABLE.name} has no rows of the profile {options.profile}: write them with --write", file=sys.stderr)
        return 1
    wrong = compared(now, {name: count for name, count in before.items() if options.only in name})
    for line in wrong:
        print(line, file=sys.stderr)
    if wrong:
        print(f"Where this is meant, write the rows: benches/instructions.py PROGRAM --profile {options.profile} --write", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
