#!/usr/bin/env python3
"""How fast the packs `markdownlint` and `openapi` are, beside the tools whose rules they have.

    benches/rulesets.py [--documents N] [--descriptions N] [--runs N]

Makes 1,000 Markdown files of 5 KB and 200 OpenAPI descriptions of 50 KB, and runs every tool on them that is there. A
tool that is missing is left out with a message. Times are seconds of the clock and of the processors (user and system),
the least of the runs; caches of tools are off.

    PROOFMARK           the program [default: target/release/proofmark]
    MARKDOWNLINT_CLI2   markdownlint-cli2 [npm install markdownlint-cli2]
    RUMDL               rumdl [pip install rumdl]
    SPECTRAL            spectral [npm install @stoplight/spectral-cli]
    VACUUM              vacuum [npm install @quobix/vacuum]
"""

import argparse
import os
import random
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROOFMARK = os.environ.get("PROOFMARK", str(REPOSITORY / "target/release/proofmark"))

WORDS = """a about after all also and any are at be been before by but can check could day each even file first for from good has
have how if in into is it its know line like made make many may more most must name new no not now of on one only or other our out
over page part people right rule same see should so some such text than that the their them then there these this time to two""".split()


def sentence(random_, least=6, most=12):
    words = [random_.choice(WORDS) for _ in range(random_.randint(least, most))]
    return " ".join(words).capitalize() + "."


def markdown(random_, size):
    """A page with everything that pages have, and a mistake here and there."""
    parts = [f"# {sentence(random_, 3, 5)[:-1]}"]
    while sum(map(len, parts)) < size:
        roll = random_.random()
        if roll < 0.15:
            parts.append(f"{random_.choice(['##', '##', '###', '## '])} {sentence(random_, 3, 6)[:-1]}")
        elif roll < 0.35:
            bullet = random_.choice(["-", "-", "-", "*"])
            parts.append("\n".join(f"{bullet} {sentence(random_)}" for _ in range(random_.randint(2, 6))))
        elif roll < 0.45:
            parts.append("\n".join(f"{number}. {sentence(random_)}" for number in range(1, random_.randint(3, 6))))
        elif roll < 0.55:
            parts.append("```sh\nproofmark check docs\n```")
        elif roll < 0.65:
            rows = "\n".join(f"| {random_.choice(WORDS)} | {random_.choice(WORDS)} |" for _ in range(4))
            parts.append(f"| name | value |\n| --- | --- |\n{rows}")
        elif roll < 0.72:
            parts.append(f"> {sentence(random_)}\n> {sentence(random_)}")
        else:
            link = f"[{random_.choice(WORDS)}](https://example.com/{random_.choice(WORDS)})"
            parts.append(f"{sentence(random_)}\n{sentence(random_)} *{random_.choice(WORDS)}* `{random_.choice(WORDS)}` {link}")
    return "\n\n".join(parts) + "\n"


def description(random_, size):
    """An OpenAPI description in YAML with paths, schemas, references and examples."""
    head = "openapi: 3.0.3\ninfo:\n  title: Shop\n  version: '1'\n  description: A shop\nservers:\n  - url: https://api.example.com/v1\ntags:\n  - name: items\npaths:\n"
    schemas = "components:\n  schemas:\n"
    paths, number = "", 0
    while len(head) + len(paths) + len(schemas) < size:
        number += 1
        paths += (
            f"  /items{number}/{{id}}:\n    get:\n      operationId: getItem{number}\n      summary: {sentence(random_)}\n"
            f"      description: {sentence(random_)}\n      tags: [items]\n      parameters:\n"
            "        - {name: id, in: path, required: true, schema: {type: string}}\n"
            f"        - {{name: limit, in: query, description: {random_.choice(WORDS)}, schema: {{type: integer, minimum: 1}}, example: 5}}\n"
            "      responses:\n        '200':\n          description: An item\n          content:\n            application/json:\n"
            f"              schema: {{$ref: '#/components/schemas/Item{number}'}}\n              example: {{id: a, count: 3}}\n"
        )
        schemas += (
            f"    Item{number}:\n      type: object\n      required: [id]\n      description: {sentence(random_)}\n      properties:\n"
            "        id: {type: string}\n        count: {type: integer, example: 3}\n        kind: {type: string, enum: [small, large]}\n"
        )
    return head + paths + schemas


def timed(command, folder, runs):
    """The least seconds of the clock and of the processors; nothing if the program is missing."""
    if shutil.which(command[0]) is None:
        return None
    best = None
    for _ in range(runs):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        clock, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best = min(best, (clock, used)) if best else (clock, used)
    return best


def compare(title, commands, folder, runs):
    print(title)
    base = None
    for name, command in commands:
        result = timed(command, folder, runs)
        if result is None:
            print(f"  {name:36} skipped: `{command[0]}` is not installed")
            continue
        base = base or result[0]
        print(f"  {name:36} {result[0]:8.2f} s, processors {result[1]:8.2f} s, {result[0] / base:7.1f} times the first")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--descriptions", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    random_ = random.Random(1)
    check = [PROOFMARK, "check", "--isolated", "--exit-zero", "--quiet", "--format", "concise"]
    cli2 = os.environ.get("MARKDOWNLINT_CLI2", "markdownlint-cli2")
    rumdl = os.environ.get("RUMDL", "rumdl")
    spectral, vacuum = os.environ.get("SPECTRAL", "spectral"), os.environ.get("VACUUM", "vacuum")
    with tempfile.TemporaryDirectory(prefix="proofmark-rulesets-") as folder:
        folder = Path(folder)
        (folder / "pages").mkdir()
        (folder / "api").mkdir()
        for number in range(given.documents):
            (folder / "pages" / f"{number}.md").write_text(markdown(random_, 5000))
        for number in range(given.descriptions):
            (folder / "api" / f"{number}.yaml").write_text(description(random_, 50000))
        (folder / ".spectral.yaml").write_text("extends: spectral:oas\n")
        pages = [
            ("proofmark, 53 rules", [*check, "--select", "markdownlint", "pages"]),
            ("proofmark, default rules", [*check, "pages"]),
            ("rumdl", [rumdl, "check", "--no-cache", "--silent", "pages"]),
            ("markdownlint-cli2", [cli2, "pages/*.md"]),
        ]
        compare(f"{given.documents} Markdown files of 5 KB", pages, folder, given.runs)
        files = [f"api/{number}.yaml" for number in range(given.descriptions)]
        api = [
            ("proofmark", [*check, "--kind", "openapi", "api"]),
            ("vacuum", [vacuum, "lint", "--silent", *files]),
            ("spectral", [spectral, "lint", "--quiet", *files]),
        ]
        compare(f"{given.descriptions} OpenAPI descriptions of 50 KB", api, folder, given.runs)


if __name__ == "__main__":
    main()
