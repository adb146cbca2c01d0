#!/usr/bin/env python3
"""How many documents `batch --jobs 1` validates in a second of the processor, for the table of the README and `docs/scale.md`.

  benches/batch.py PROGRAM [--real DIAGRAMS.jsonl] [--seconds 10] [--against PROGRAM] [--only TEXT]

Generated documents of several sorts and sizes, and with `--real` the `text` of the lines of a file. The time of a smaller run is
taken off, so that the start does not count. With `--against`, another program runs the same documents in turn. Standard library only.
"""
import argparse
import json
import os
import pathlib
import subprocess
import tempfile

WORDS = ("the plan says that we review each part of this service before a release and write down what was found by those who "
         "use it every day").split()


def numbered(head, part):
    """Documents of a size: a head and as many parts as fit, different ones in each document."""

    def text(size, number):
        made, length, count = [head.replace("#N", str(number))], len(head), 0
        while length < size:
            count += 1
            made.append(part(number * 31 + count, count))
            length += len(made[-1])
        return "".join(made)

    return text


def sentence(number, count):
    words = " ".join(WORDS[(number * 7 + at * at) % len(WORDS)] for at in range(14))
    title = f"## Part {count}\n\n" if count % 7 == 0 else ""
    tail = " with *stress*, `code` and [a link](https://example.org)" if count % 3 == 0 else ""
    return f"{title}A careful reader knows that {words}{tail}.\n\n"


def product(number, count):
    return (f"---\nSCOPE: products\nsku: SKU-{count:05}\nname: Widget {number}\nprice: {count}.5\n---\n\n"
            f"A *fine* widget, number {number}.\n\n")


def step(number, count):
    one, two = number % 97, number * 13 % 97
    return f"  N{one}[{WORDS[one % len(WORDS)]} {number}] -->|{WORDS[two % len(WORDS)]}| N{two}\n"


def model(number, count):
    read = f"answer{count - 1}" if count > 1 else "question"
    return (f"      - {{id: step{count}, type: PromptTemplate, template: \"Say {number} of {{{read}}}\", "
            f"inputs: [{read}], outputs: [answer{count}]}}\n")


def flow(size, number):
    parts, length = [], 0
    while length < size - 500:
        parts.append(model(number * 31, len(parts) + 1))
        length += len(parts[-1]) + 40
    declared = "".join(f"      - {{id: answer{count}, type: text}}\n" for count in range(1, len(parts) + 1))
    return (f"id: app{number}\nflows:\n  - id: main\n    variables:\n      - {{id: question, type: text}}\n{declared}"
            f"    inputs: [question]\n    outputs: [answer{len(parts)}]\n    steps:\n{''.join(parts)}")


REPORT = "---\ntitle: Report #N\nauthor: Ada Lovelace\ndate: 2026-11-21\ntags: [report, draft]\n---\n\n# Report\n\n"
CATALOGUE = "---\nQUILL: product_catalog\ntitle: Catalogue #N\ncompany: Acme\n---\n\n# Catalogue\n\n"

# What a line of the table says, the kind, the size, and what makes a document.
SORTS = [
    ("prose with frontmatter, 1 KB", "markdown", 1_000, numbered(REPORT, sentence)),
    ("prose with frontmatter, 2 KB", "markdown", 2_000, numbered(REPORT, sentence)),
    ("prose with frontmatter, 5 KB", "markdown", 5_000, numbered(REPORT, sentence)),
    ("prose with frontmatter, 30 KB", "markdown", 30_000, numbered(REPORT, sentence)),
    ("SCOPE blocks for a built-in quill, 5 KB", "markdown", 5_000, numbered(CATALOGUE, product)),
    ("generated flowcharts, 1 KB", "mermaid", 1_000, numbered("flowchart LR\n", step)),
    ("QType flows, 5 KB", "qtype", 5_000, flow),
]


def processor(program, path):
    """Seconds of the processor that a run takes."""
    with open(path, "rb") as lines:
        command = [program, "batch", "--isolated", "--jobs", "1"]
        process = subprocess.Popen(command, stdin=lines, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise SystemExit(f"{program} ended with {process.returncode}")
    return used.ru_utime + used.ru_stime


def written(path, kind, texts):
    with open(path, "w", encoding="utf-8") as lines:
        for number, text in enumerate(texts):
            lines.write(json.dumps({"id": number, "kind": kind, "text": text}) + "\n")


def rates(programs, kind, text_of, seconds, folder):
    """Documents per second of the processor for each program, and the bytes of a document: the best of three rounds."""
    few, many = pathlib.Path(folder, "few"), pathlib.Path(folder, "many")
    sample = [text_of(number) for number in range(400)]
    written(few, kind, sample)
    guess = max(processor(programs[0], few), 0.01)
    count = max(800, min(400_000, int(400 / guess * seconds / 3)))
    texts = [text_of(number) for number in range(count)]
    written(few, kind, texts[: count // 10])
    written(many, kind, texts)
    best = [0.0] * len(programs)
    for _ in range(3):
        for at, program in enumerate(programs):
            took = processor(program, many) - processor(program, few)
            best[at] = max(best[at], (count - count // 10) / max(took, 0.001))
    return best, sum(len(text.encode()) for text in texts) / count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--real", type=pathlib.Path, help="JSON Lines with the `text` of diagrams")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the processor for each line")
    parser.add_argument("--against", help="another program to compare with")
    parser.add_argument("--only", default="", help="lines with this text")
    options = parser.parse_args()
    programs = [options.program, *([options.against] if options.against else [])]
    sorts = [(name, kind, lambda number, make=make, size=size: make(size, number)) for name, kind, size, make in SORTS]
    if options.real:
        real = [json.loads(line)["text"] for line in options.real.read_text("utf-8").split("\n") if line]
        sorts.append(("real diagrams", "mermaid", lambda number: real[number % len(real)]))
    against = " the other program | to it |" if options.against else ""
    print(f"| documents | per CPU second | MB/s |{against}\n|---|---:|---:|{'---:|---:|' if against else ''}")
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, text_of in sorts:
            if options.only not in name:
                continue
            best, size = rates(programs, kind, text_of, options.seconds, folder)
            other = f" {best[1]:,.0f} | {best[0] / best[1]:.0%} |" if against else ""
            print(f"| {name} | {best[0]:,.0f} | {best[0] * size / 1e6:.1f} |{other}", flush=True)


if __name__ == "__main__":
    main()
