#!/usr/bin/env python3
"""Hostile documents of 1 MB and 10 MB: the processor time and the memory that `check` takes for each.

  benches/hostile.py PROGRAM [--only TEXT] [--small] [--diagrams] [--markdown]

Runs `PROGRAM check` on one document after another and prints those that took most, and every one over its bound:
1 second and 300 MiB for 1 MB, 5 seconds and 1 GiB for 10 MB. Processor time is measured, of all threads, since it does
not depend on what else the machine does. A diagram may have 256 KiB, so larger documents have several in fences.
`--small` leaves out those of 10 MB, `--diagrams` tries every piece in every type of diagram. Standard library only.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

MIB = 1 << 20
# Bytes, seconds, MiB.
SMALL, LARGE = (1_000_000, 1.0, 300), (10_000_000, 5.0, 1024)
FENCE = 250_000
# Seconds after which a run is ended.
HUNG = 120


def lines(form, head=""):
    """As many numbered lines as fit."""

    def text(size):
        made, length, number = [head], len(head), 0
        while length < size:
            line = form.replace("#N", str(number))
            made.append(line)
            length += len(line)
            number += 1
        return "".join(made)

    return text


def repeated(piece, head="", tail=""):
    return lambda size: head + piece * (size // len(piece.encode())) + tail


def twice(first, second, between=""):
    """Numbered lines, as many others."""
    return lambda size: lines(first)(size // 2) + between + lines(second)(size // 2)


FLOW = ("id: app\nflows:\n  - id: f\n    variables: [{id: a, type: text}]\n    inputs: [a]\n    outputs: [a]\n"
        "    steps:\n")
RULES = "version: 1\nkinds: [yaml]\nrules:\n"
RULE = ("  - id: XX#N\n    name: rule-#N\n    severity: error\n    since: 0.1.0\n    given: $\n    message: m\n"
        "    explain: Because.\n    check: ")

CASES = {
    "a.yaml": {
        "duplicate keys": repeated("k: v\n"),
        "duplicates of many keys": twice("key#N: v\n", "key#N: w\n"),
        "keys": lines("key#N: v\n"),
        "open braces": repeated("{"),
        "open brackets": repeated("["),
        "brackets in lines": repeated("- [\n"),
        "stars": repeated("*a "),
        "anchors": repeated("- &a b\n"),
        "chain of anchors": lines("- &a#N [*a#N]\n"),
        "aliases": repeated("- *a\n", "- &a b\n"),
        "aliases of a large node": repeated("- *a\n", "- &a [" + "x, " * 10_000 + "]\n"),
        "merge keys": lines("- {<<: *a, c#N: 2}\n", "- &a {b: 1}\n"),
        "tags": lines("- !tag#N a\n"),
        "open quote": repeated("a: b\n", '"'),
        "bad lines": lines("a#N: b: c\n"),
        "tabs": lines("a#N:\n\t- b\n"),
        "suppressions": lines("# proofmark-ignore YM#N: why\n"),
        "documents": repeated("---\na: 1\n"),
        "one key": repeated("k", tail=": 1\n"),
        "lists as keys": lines("[a#N]: b\n"),
        "one line": repeated("a: "),
        "one string": repeated("a ", "k: "),
        "items": repeated("- a\n"),
        "nested items": repeated("- "),
        "question marks": repeated("? "),
        "carriage returns": repeated("\r"),
        "zero bytes": repeated("\0"),
        "bidirectional characters": repeated("\u202e"),
    },
    "a.json": {
        "duplicate keys": repeated('"a": 1, ', "{", '"a": 1}'),
        "keys": lambda size: "{" + lines('"a#N": 1, ')(size) + '"b": 1}',
        "missing commas": repeated("1 ", "[", "]"),
        "open brackets": repeated("["),
        "open braces": repeated('{"a":'),
        "one string": repeated("\\u0000", '"', '"'),
        "one number": repeated("9"),
        "commas": repeated(",", "[", "]"),
        "comments": repeated("// a\n"),
    },
    "a.toml": {
        "duplicate keys": repeated("a = 1\n"),
        "keys": lines("a#N = 1\n"),
        "open tables": lines("[a#N.b]\nc = [1, \n"),
        "tables": lines("[a#N]\nb = 1\n"),
        "arrays of tables": repeated("[[a]]\nb = 1\n"),
        "dotted keys": repeated("a.", "", "a = 1\n"),
        "open brackets": repeated("[", "a = "),
        "open string": repeated("a\n", 'a = """'),
    },
    "proofmark.toml": {
        "unknown keys": lines("key#N = 1\n"),
        "tables": lines("[a#N]\nb = 1\n"),
        "unknown rules": lines('XX#N = "off"\n', "[rules]\n"),
        "globs": lambda size: "[files]\nexclude = [" + lines('"a#N/**/*.{md,qmd}", ')(size) + "]\n",
        "braces of one glob": repeated("{", '[files]\nexclude = ["', '"]\n'),
        "duplicate keys": repeated("a = 1\n"),
    },
    "a.qtype.yaml": {
        "wrong references": lines("      - {id: s#N, type: LLMInference, model: m#N, inputs: [b#N], outputs: [c#N]}\n", FLOW),
        "wrong references to many models": twice(
            "  - {type: Model, id: model#N, provider: openai}\n",
            "      - {id: s#N, type: LLMInference, model: modle#N, inputs: [a], outputs: [a]}\n",
            FLOW.removeprefix("id: app\n")),
        "references to one step": repeated("      - $ref: s\n", FLOW),
        "unknown models": lines("  - {type: Model, id: model#N, provider: openai, auth: auth#N}\n", "id: app\nmodels:\n"),
        "unknown types": lines("  - {id: T#N, properties: {a: U#N}}\n", "id: app\ntypes:\n"),
        "nested types": repeated("list[", "id: app\ntypes:\n  - {id: T, properties: {a: \"", "\"}}\n"),
        "unknown keys": lines("key#N: 1\n", "id: app\n"),
        "same ids": repeated("  - {type: Model, id: m, provider: openai}\n", "id: app\nmodels:\n"),
        "two long ids": lambda size: ("id: app\nmodels:\n  - {type: Model, id: " + "x" * (size // 2) + ", auth: "
                                      + "x" * (size // 2) + "y, provider: openai}\n"),
        "variables of the environment": lines("a#N: ${A#N}\n", "id: app\n"),
        "placeholders": lambda size: (FLOW + '      - {id: s, type: PromptTemplate, template: "' + lines("{x#N}")(size)
                                      + '", inputs: [a], outputs: [a]}\n'),
        "one placeholder": lambda size: (FLOW + '      - {id: s, type: PromptTemplate, template: "' + "{x}" * (size // 3)
                                         + '", inputs: [a], outputs: [a]}\n'),
        "flows": lines("  - {id: f#N, variables: [{id: a, type: text}], inputs: [a], outputs: [b], steps: []}\n",
                       "id: app\nflows:\n"),
    },
    "a.rules.yaml": {
        "rules": lines(RULE + "{required: a}\n", RULES),
        "bare rules": repeated("  - {}\n", RULES),
        "same ids": repeated(RULE.replace("#N", "001") + "{required: a}\n", RULES),
        "unknown checks": lines(RULE + "{chek#N: a}\n", RULES),
        "conditions": lines(RULE + "{cel: 'self.a#N > #N'}\n", RULES),
        "patterns": lines(RULE + "{pattern: '^a#N$'}\n", RULES),
        "large patterns": lines(RULE + "{pattern: '\\pL{500}#N'}\n", RULES),
        "a chain of sums": repeated("1+", RULES + RULE.replace("#N", "001") + "{cel: '", "1'}\n"),
        "a chain of filters": repeated("|upper", RULES + RULE.replace("#N", "001").replace(
            "message: m", "message: '{{ a") + "x }}'\n"),
        "schemas": lines(RULE + "{schema: {allOf: [{type: object}, {type: string}]}}\n", RULES),
    },
    "a.md": {
        "suppressions": lines("<!-- proofmark-ignore MD#N: why -->\n\n"),
        "suppressions of findings": repeated("<!-- proofmark-ignore MD102: why -->\n\ntext  \n"),
        "suppressions of the file": repeated("<!-- proofmark-ignore-file MD102: why -->\n\ntext  \n"),
        "footnotes": lines("[^#N]: note\n\n"),
        "used footnotes": lines("[^#N] text\n\n[^#N]: note\n\n"),
        "missing footnotes": lines("[^a#N] text\n\n[^b#N]: note\n\n"),
        "same footnotes": repeated("[^a]: note\n\n"),
        "link references": lines("[a#N]: b\n"),
        "same link references": repeated("[a]: b\n"),
        "missing link references": lines("[a][b#N]\n\n[c#N]: d\n\n"),
        "anchors": lines("# Heading #N\n\n[a](#headin-#N)\n\n"),
        "headings": repeated("# Same\n\n"),
        "emphasis": repeated("*a **b "),
        "open brackets": repeated("["),
        "links": repeated("[a]("),
        "nested links": repeated("[a](b"),
        "pictures": repeated("!["),
        "quotes": repeated("> "),
        "quotes in lines": repeated("> a\n"),
        "backticks": repeated("`a``"),
        "angles": repeated("<"),
        "open comments": repeated("<!--"),
        "tables": lines("|#N|x|y|\n", "|a|b|\n|-|-|\n"),
        "wide tables": lambda size: "|a" * (size // 4) + "|\n" + "|-" * (size // 4) + "|\n",
        "blocks": lines("---\nCARD: c#N\n---\n\n"),
        "broken blocks": lines("---\nCARD: c#N\na: [\n---\n\n"),
        "fields": lines("field_#N: x\n", "---\nQUILL: letter\n"),
        "same fields": repeated("a: x\n", "---\nQUILL: letter\n"),
        "small diagrams": repeated("```mermaid\nflowchart TD\na --> [\n```\n\n"),
        "empty diagrams": repeated("```mermaid\n```\n"),
        "long id": lambda size: "---\nQUILL: " + "x" * size + "\n---\n",
        "lines": repeated("\n"),
        "long line": repeated("a"),
        "entities": repeated("&amp;"),
        "trailing spaces": repeated("a  \n"),
        "carriage returns": repeated("\r"),
    },
    "a.qmd": {
        "cross-references": lines("See @fig-a#N.\n\n![c](a.png){#fig-b#N}\n\n"),
        "divs": lines("::: {.callout-not #d#N}\na\n:::\n\n"),
        "open divs": repeated("::: {.a}\n"),
        "shortcodes": lines("{{< includ a#N.qmd >}}\n\n"),
        "options of cells": lines("```{python}\n#| lable: a#N\n```\n\n"),
        "citations": lines("[@a#N; -@b#N]\n\n"),
        "attributes": repeated("[a]{.b "),
        "math": repeated("$a"),
        "footnotes": lines("[^#N]: note\n\n"),
    },
    "a.org": {
        "headlines": lines("* TODO a#N :t#N:\n:PROPERTIES:\n:ID: x\n:END:\n"),
        "bare headlines": repeated("* a\n"),
        "deep headlines": repeated("*"),
        "open blocks": lines("#+begin_src a#N\n"),
        "open drawers": repeated(":a:\n"),
        "links": lines("[[id:a#N][b]] [[#c#N]]\n"),
        "open links": repeated("[["),
        "footnotes": lines("a[fn:#N]\n\n[fn:b#N] note\n\n"),
        "tables": lines("| a#N | <2024-13-99> |\n"),
        "formulas": lines("#+TBLFM: $1=$#N\n", "| a |\n"),
        "emphasis": repeated("*a /b _c "),
        "items": repeated("- a\n"),
        "settings": repeated("#+TODO: A | B\n"),
    },
    "Quill.yaml": {
        "fields": lines("    field_#N:\n      type: strin\n      descriptin: a\n", "Quill:\n  name: a\nmain:\n  fields:\n"),
        "cards": lines("  card_#N:\n    fields:\n      a:\n        type: string\n", "Quill:\n  name: a\ncards:\n"),
    },
    "pack.yaml": {
        "unknown keys": lines("key#N: 1\n", "name: a\n"),
    },
}

PIECES = ["{", "(\n", "[", '"', "{{", "a --> ", "a\n", "end ", "<", "%%{", "a{b\n", "a ((b\n", "#a;", "subgraph a\n",
          "%% proofmark-ignore all: why\n", "a: b : c\n", "&&&", "a --> b\n", "{\n"]
NUMBERED = ["a#N --> b#N\n", "class a#N missing#N\n", "a#N[b#N]\n"]


def headers():
    """The first word of every type of diagram: the growth test has the same list from the program itself."""
    return ["flowchart TD", "graph TD", "flowchart-elk TD", "sequenceDiagram", "classDiagram", "classDiagram-v2",
            "stateDiagram", "stateDiagram-v2", "erDiagram", "gantt", "journey", "pie", "gitGraph", "mindmap", "timeline",
            "quadrantChart", "requirementDiagram", "C4Context", "xychart-beta", "sankey-beta", "block-beta", "packet-beta",
            "kanban", "architecture-beta", "radar-beta", "treemap-beta", "zenuml", "info", "treeView-beta", "venn-beta",
            "ishikawa-beta", "wardley-beta", "cynefin-beta", "eventmodeling", "usecase-beta", "railroad-beta"]


def fenced(diagram):
    """A document with as many diagrams as fit."""
    return lambda size: "".join(f"```mermaid\n{diagram(FENCE)}\n```\n\n" for _ in range(size // FENCE))


def diagrams(every):
    cases = {}
    for header in headers():
        pieces = PIECES if every else ["{", "(\n", "a\n", "<"]
        for piece in pieces:
            cases[f"{header} {json.dumps(piece)}"] = repeated(piece, header + "\n")
        for line in NUMBERED if every else []:
            cases[f"{header} {json.dumps(line)}"] = lines(line, header + "\n")
    return cases


def measured(program, folder, name, text):
    path = pathlib.Path(folder, name)
    path.write_text(text, encoding="utf-8", newline="")
    command = [program, "--isolated", "check", "--format", "concise", "--jobs", "1", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    hung = threading.Timer(HUNG, process.kill)
    hung.start()
    _, status, used = os.wait4(process.pid, 0)
    hung.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="cases with this text in their names")
    parser.add_argument("--small", action="store_true", help="only documents of 1 MB")
    parser.add_argument("--diagrams", action="store_true", help="every piece in every type of diagram")
    parser.add_argument("--markdown", action="store_true", help="print the whole table, as Markdown")
    options = parser.parse_args()
    cases = [(name, what, text) for name, some in CASES.items() for what, text in some.items()]
    cases += [("a.md", "diagrams " + what, fenced(text)) for what, text in diagrams(options.diagrams).items()]
    cases = [case for case in cases if options.only in f"{case[0]} {case[1]}"]
    rows, over = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, what, text in cases:
            for size, seconds, mib in [SMALL] if options.small else [SMALL, LARGE]:
                code, took, memory = measured(options.program, folder, name, text(size))
                row = (f"{name} {what}", size // 1_000_000, took, memory, code)
                rows.append(row)
                if took > seconds or memory > mib or code not in (0, 1):
                    over.append(row)
                    print(f"over: {row[0]}, {row[1]} MB: {took:.2f} s, {memory:.0f} MiB, exit code {code}", flush=True)
    if options.markdown:
        print("| document | MB | s | MiB |\n|---|---|---|---|")
        for what, size, took, memory, _ in rows:
            print(f"| {what.replace('|', chr(92) + '|')} | {size} | {took:.2f} | {memory:.0f} |")
    for size in sorted({row[1] for row in rows}):
        some = [row for row in rows if row[1] == size]
        print(f"{len(some)} documents of {size} MB: longest {max(row[2] for row in some):.2f} s, "
              f"most {max(row[3] for row in some):.0f} MiB, {sum(row[1] == size for row in over)} over the bounds")
    sys.exit(1 if over else 0)


if __name__ == "__main__":
    main()
