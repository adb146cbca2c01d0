"""A table of all fixes that are offered: each one applied alone to faulty documents.

    cargo build --release
    python3 tests/reference/fixes.py --documents target/faulty.jsonl \
        --reference mermaid="node mermaid.mjs" --reference qtype="venv/bin/python tests/reference/load_flows.py" \
        > docs/explanation/fixes-table.md

`--documents` takes JSON lines {id, kind, text}, more than once; without it, the invalid examples of the built-in rules are
tried. A reference reads JSON lines {id, text} and writes {id, ok}; without one for a kind, Proofmark itself says what is
valid. Documents with several errors stay invalid after one fix, so the share that a reference accepts is a lower bound.

tried:     how often the fix was offered, up to --cap
removes:   its finding is gone
clean:     and no rule reports more errors than before
accepted:  the reference accepts the result
loses:     the result lacks a word of two letters or more that is not a keyword and was not corrected
"""

import argparse
import collections
import difflib
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default=os.path.join(ROOT, "target/release/proofmark"))
    parser.add_argument("--documents", action="append", default=[])
    parser.add_argument("--reference", action="append", default=[], metavar="KIND=COMMAND")
    parser.add_argument("--cap", type=int, default=40)
    parser.add_argument("--below", type=float, help="only fixes of which fewer than this share are clean")
    parser.add_argument("batch", nargs="*", help="further options of `proofmark batch`")
    return parser.parse_args()


def examples(binary):
    """The invalid examples of all rules, without those that need other files."""
    listed = subprocess.run([binary, "rules", "list", "--format", "json"], capture_output=True, text=True, check=True)
    for rule in json.loads(listed.stdout):
        command = [binary, "explain", rule["id"], "--format", "json"]
        explained = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for number, example in enumerate(explained["examples"], 1):
            if example["invalid"] and example["text"] and rule["kinds"][:1] not in ([], ["engine"]):
                yield {"id": f"{rule['id']}-{number}", "kind": rule["kinds"][0], "text": example["text"]}


def batch(binary, options, records):
    lines = "".join(json.dumps(record) + "\n" for record in records)
    run = subprocess.run([binary, "batch", *options], input=lines, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    return {row["id"]: row for row in map(json.loads, filter(None, run.stdout.split("\n")))}


def applied(text, edits):
    """The text after edits, which are in bytes; nothing where one is in another file."""
    raw = text.encode()
    for edit in sorted(edits, key=lambda edit: (edit["byte_start"], edit["byte_end"]), reverse=True):
        if edit.get("file"):
            return None
        raw = raw[: edit["byte_start"]] + edit["new"].encode() + raw[edit["byte_end"] :]
    return raw.decode()


def keywords():
    """Words that belong to the languages."""
    written = [
        literal
        for path in glob.glob(f"{ROOT}/grammars/**/*.pest", recursive=True)
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', open(path, encoding="utf-8").read())
    ]
    for path in glob.glob(f"{ROOT}/schemas/tree/*.json"):
        written += re.findall(r'"([A-Za-z_]+)"', open(path, encoding="utf-8").read())
    return {word.lower() for text in written for word in re.findall(r"[^\W_]{2,}", text)}


def lost(before, after, known):
    words = lambda text: collections.Counter(re.findall(r"[^\W_]{2,}", text))
    gone, come = words(before) - words(after), words(after) - words(before)
    joined = "".join(re.findall(r"[^\W_]+", after)).lower()
    near = lambda word: any(difflib.SequenceMatcher(None, word.lower(), new.lower()).ratio() > 0.7 for new in come)
    return [word for word in gone if word.lower() not in known and word.lower() not in joined and not near(word)]


def errors(row):
    return collections.Counter(found["id"] for found in row.get("diagnostics", []) if found["severity"] == "error")


def main():
    options = arguments()
    documents = []
    for path in options.documents:
        documents += [json.loads(line) for line in open(path, encoding="utf-8") if line.strip()]
    documents = documents or list(examples(options.bin))
    record = lambda row: {"id": row["id"], "kind": row["kind"], "text": row["text"]}
    before = batch(options.bin, options.batch, map(record, documents))
    trials, seen = [], collections.Counter()
    for row in documents:
        for found in before[row["id"]].get("diagnostics", []):
            for fix in found.get("fixes", []):
                key = (found["id"], re.sub(r"`[^`]*`", "`…`", fix["title"]), fix["applicability"])
                new = applied(row["text"], fix["edits"]) if seen[key] < options.cap else None
                if new is not None:
                    seen[key] += 1
                    trials.append((key, row, new))
    named = [{"id": str(number), "kind": row["kind"], "text": new} for number, (_, row, new) in enumerate(trials)]
    after = batch(options.bin, options.batch, named)
    valid = {number: not errors(row) for number, row in after.items()}
    for reference in options.reference:
        kind, command = reference.split("=", 1)
        lines = "".join(json.dumps(row) + "\n" for row in named if row["kind"] == kind)
        run = subprocess.run(command, shell=True, input=lines, capture_output=True, text=True, check=True)
        valid.update((row["id"], row["ok"]) for row in map(json.loads, filter(None, run.stdout.split("\n"))))
    known, table = keywords(), collections.defaultdict(lambda: [0] * 5)
    for number, (key, row, new) in enumerate(trials):
        old, then, counts = before[row["id"]], after[str(number)], table[key]
        count = lambda of: sum(found["id"] == key[0] for found in of.get("diagnostics", []))
        removes = count(then) < count(old)
        counts[0] += 1
        counts[1] += removes
        counts[2] += removes and not errors(then) - errors(old)
        counts[3] += bool(valid.get(str(number)))
        counts[4] += bool(lost(row["text"], new, known))
    print("| rule | fix | applicability | tried | removes | clean | accepted | loses words |")
    print("|---|---|---|---:|---:|---:|---:|---:|")
    for key, counts in sorted(table.items()):
        if options.below is None or counts[2] < options.below * counts[0]:
            print("| " + " | ".join([*(part.replace("|", "\\|") for part in key), *map(str, counts)]) + " |")
    rules, total = len({key[0] for key in table}), [sum(column) for column in zip(*table.values())]
    print(f"{len(documents)} documents, {rules} rules, {len(table)} fixes, {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
