"""Compares Proofmark with other linters on documents that this script generates.

    python3 benches/linters.py make FOLDER            documents with planted mistakes, and the rules of every tool
    python3 benches/linters.py peers FOLDER           every tool on them; PROOFMARK, RUMDL, CHECK_JSONSCHEMA and
                                                      AST_GREP name the programs
    python3 benches/linters.py project FOLDER         10 000 files, with and without rules that compare documents
    python3 benches/linters.py ordinary FOLDER        what is reported in the Markdown files of each folder in FOLDER

Times are CPU seconds of the user and the system, the least of three runs; memory is the largest resident set.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PROOFMARK = os.environ.get("PROOFMARK", str(REPOSITORY / "target/release/proofmark"))
RUMDL = os.environ.get("RUMDL", "rumdl")
CHECK_JSONSCHEMA = os.environ.get("CHECK_JSONSCHEMA", "check-jsonschema")
AST_GREP = os.environ.get("AST_GREP", "ast-grep")

WORDS = """a about after all also and any are at be been before but by can check could day each even file first
for from good has have how if in into is it its know like line made make many may more most must name new no not now of on one only or
other our out over page part people right rule same see should so some such text than that the their them then there these they this
time to two under up use value was way we well were what when which will with word work would write you""".split()

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "level", "steps"],
    "properties": {
        "id": {"type": "string", "pattern": "^[a-z][a-z0-9-]*$"},
        "level": {"enum": ["low", "medium", "high"]},
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "run"],
                "properties": {
                    "name": {"type": "string"},
                    "run": {"type": "string"},
                    "retries": {"type": "integer", "minimum": 0},
                },
            },
        },
    },
}

PACK = """version: 1
name: jobs
description: Jobs of the comparison
prefix: JB
kinds: [yaml]
schemas: {job: job.schema.json}
"""


def rule(number, name, given, check, explain):
    return f"""  - id: JB{number:03}
    name: {name}
    severity: error
    since: 0.1.0
    given: {given}
    check: {check}
    message: "{name.replace("-", " ")}"
    explain: "{explain}"
"""


SCHEMA_RULES = "version: 1\nrules:\n" + rule(
    1, "job-schema", "$", "{schema: {file: job}}", "A job has the fields that its schema describes."
)

# The same three rules for ast-grep are below.
TREE_RULES = (
    "version: 1\nrules:\n"
    + rule(11, "job-level", "$.level", "{one_of: [low, medium, high]}", "A level is one of three known ones.")
    + rule(12, "job-id-pattern", "$.id", "{pattern: '^[a-z][a-z0-9-]*$'}", "An id consists of lowercase words.")
    + rule(13, "step-key", "$.steps[*]", "{keys: {names: [name, run, retries]}}", "A step has three known keys.")
)

AST_GREP_RULES = """id: job-level
language: yaml
severity: error
message: unknown level
rule:
  kind: block_mapping_pair
  all:
    - has: {field: key, regex: ^level$}
    - not: {has: {field: value, regex: ^(low|medium|high)$}}
  inside: {kind: block_mapping, inside: {kind: block_node, inside: {kind: document}}}
---
id: job-id-pattern
language: yaml
severity: error
message: bad id
rule:
  kind: block_mapping_pair
  all:
    - has: {field: key, regex: ^id$}
    - not: {has: {field: value, regex: '^[a-z][a-z0-9-]*$'}}
  inside: {kind: block_mapping, inside: {kind: block_node, inside: {kind: document}}}
---
id: step-key
language: yaml
severity: error
message: unknown key of a step
rule:
  kind: block_mapping_pair
  all:
    - not: {has: {field: key, regex: ^(name|run|retries)$}}
  inside: {kind: block_mapping, inside: {kind: block_node, inside: {kind: block_sequence_item}}}
"""

# What is planted in every tenth file, and the tasks that must find it.
YAML_MISTAKES = {
    "enum": (lambda text: text.replace("level: low", "level: lowest", 1), {"schema", "tree"}),
    "pattern": (lambda text: text.replace("id: job", "id: Job", 1), {"schema", "tree"}),
    "unknown key": (lambda text: text.replace("    retries:", "    retry:", 1), {"schema", "tree"}),
    "missing": (lambda text: text.replace("level: low\n", "", 1), {"schema"}),
    "type": (lambda text: text.replace("retries: 2", "retries: two", 1), {"schema"}),
}
MARKDOWN_MISTAKES = {
    "skipped level": lambda text: text.replace("\n## ", "\n#### ", 1),
    "unknown anchor": lambda text: text.replace("(#", "(#no-such-", 1),
    "undefined reference": lambda text: text.replace("[reference]: ", "[other]: ", 1),
    "empty target": lambda text: text.replace("(https://example.org/report)", "()", 1),
}


def sentence(random_):
    words = [random_.choice(WORDS) for _ in range(random_.randint(8, 16))]
    return words[0].capitalize() + " " + " ".join(words[1:]) + "."


def markdown(random_, number, size):
    head = f"---\nid: DOC-{number}\n"
    if number > 0:
        head += f"depends: [DOC-{random_.randrange(number)}]\n"
    parts = [head + "---\n", f"# Document {number}\n", "See [the first part](#part-1), [the report](https://example.org/report) and [the table][reference].\n"]
    part = 0
    while sum(map(len, parts)) < size:
        part += 1
        parts.append(f"## Part {part}\n")
        for _ in range(3):
            parts.append("\n".join(sentence(random_) for _ in range(4)) + "\n")
        parts.append(f"```yaml\nreq: REQ-{number}-{part}\nseverity: major\n```\n")
    parts.append("[reference]: https://example.org/table\n")
    return "\n".join(parts)


def job(random_, number):
    text = f"id: job-{number}\nlevel: low\nsteps:\n"
    for step in range(12):
        text += f"  - name: step {step} {random_.choice(WORDS)}\n    run: make {random_.choice(WORDS)}\n    retries: 2\n"
    return text


def make(folder):
    shutil.rmtree(folder, ignore_errors=True)
    random_ = random.Random(7)
    planted = {"markdown": {}, "yaml": {}}
    for kind in planted:
        (folder / kind).mkdir(parents=True)
    for number in range(1000):
        text, name = markdown(random_, number, 5000), f"doc{number:04}.md"
        if number % 10 == 5:
            mistakes = list(MARKDOWN_MISTAKES)
            mistake = mistakes[number // 10 % len(mistakes)]
            text = MARKDOWN_MISTAKES[mistake](text)
            planted["markdown"][name] = mistake
        (folder / "markdown" / name).write_text(text)
        text, name = job(random_, number), f"job{number:04}.yaml"
        if number % 10 == 5:
            mistakes = list(YAML_MISTAKES)
            mistake = mistakes[number // 10 % len(mistakes)]
            text = YAML_MISTAKES[mistake][0](text)
            planted["yaml"][name] = mistake
        (folder / "yaml" / name).write_text(text)
    (folder / "planted.json").write_text(json.dumps(planted))
    (folder / "job.schema.json").write_text(json.dumps(SCHEMA))
    for name, rules in (("schema", SCHEMA_RULES), ("tree", TREE_RULES)):
        pack = folder / f"pack-{name}"
        pack.mkdir()
        (pack / "pack.yaml").write_text(PACK if name == "schema" else PACK.replace("schemas: {job: job.schema.json}\n", ""))
        (pack / "rules.yaml").write_text(rules)
        (pack / "job.schema.json").write_text(json.dumps(SCHEMA))
        (folder / f"{name}.toml").write_text(f'[packs]\npaths = ["pack-{name}"]\n[rules]\nselect = ["JB"]\n')
    (folder / "ast-grep.yaml").write_text(AST_GREP_RULES)


def run(command, times=3, **arguments):
    """The output, the least CPU seconds, the wall seconds of that run, and the largest resident set in MiB."""
    best = None
    for _ in range(times):
        start = time.monotonic()
        with open("/dev/null", "rb") as nothing:
            process = subprocess.Popen(command, stdin=nothing, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **arguments)
            output = process.stdout.read().decode(errors="replace")
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall, cpu = time.monotonic() - start, usage.ru_utime + usage.ru_stime
        if best is None or cpu < best[1]:
            best = (output, cpu, wall, usage.ru_maxrss / 1024)
    return best


def names(output, pattern):
    return set(re.findall(pattern, output))


def peers(folder):
    planted = json.loads((folder / "planted.json").read_text())
    yaml = {task: {name for name, mistake in planted["yaml"].items() if task in YAML_MISTAKES[mistake][1]} for task in ("schema", "tree")}
    documents = [f"yaml/{name}" for name in sorted(os.listdir(folder / "yaml"))]
    concise = ["--format", "concise", "--jobs", "1"]
    tasks = [
        ("Markdown", "rumdl", [RUMDL, "check", "--no-cache", "markdown"], r"doc\d+\.md", set(planted["markdown"])),
        ("Markdown", "proofmark", [PROOFMARK, "check", "--isolated", "markdown", *concise], r"doc\d+\.md", set(planted["markdown"])),
        ("JSON Schema", "check-jsonschema", [CHECK_JSONSCHEMA, "--schemafile", "job.schema.json", *documents], r"job\d+\.yaml", yaml["schema"]),
        ("JSON Schema", "proofmark", [PROOFMARK, "check", "--config", "schema.toml", "yaml", *concise], r"job\d+\.yaml", yaml["schema"]),
        ("three rules", "ast-grep", [AST_GREP, "scan", "--rule", "ast-grep.yaml", "--report-style", "short", "--threads", "1", "yaml"], r"job\d+\.yaml", yaml["tree"]),
        ("three rules", "proofmark", [PROOFMARK, "check", "--config", "tree.toml", "yaml", *concise], r"job\d+\.yaml", yaml["tree"]),
    ]
    print("| task | tool | files with a mistake found | other files reported | CPU s | memory MiB |\n|---|---|---|---|---|---|")
    for task, tool, command, pattern, expected in tasks:
        output, cpu, _, memory = run(command, cwd=folder, env={**os.environ, "RAYON_NUM_THREADS": "1"})
        found = names(output, pattern)
        print(f"| {task} | {tool} | {len(found & expected)} of {len(expected)} | {len(found - expected)} | {cpu:.2f} | {memory:.0f} |")


def project(folder):
    shutil.rmtree(folder, ignore_errors=True)
    random_ = random.Random(11)
    for number in range(10_000):
        path = folder / f"part{number // 500:02}" / f"doc{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(markdown(random_, number, 5000))
    packs = REPOSITORY / "examples/packs"
    (folder / "none.toml").write_text("")
    paths = ", ".join(f'"{packs / name}"' for name in ("requirements", "crossrefs"))
    (folder / "project.toml").write_text(f"[packs]\npaths = [{paths}]\n")
    print("| run | rules | CPU s | wall s | memory MiB |\n|---|---|---|---|---|")
    for config in ("none", "project"):
        for jobs in ("1", "2"):
            command = [PROOFMARK, "check", "--config", f"{config}.toml", "--format", "concise", "--quiet", "--jobs", jobs]
            output, cpu, wall, memory = run(command, cwd=folder)
            print(f"| all files, {jobs} thread{'s'[: jobs != '1']} | {config} | {cpu:.2f} | {wall:.2f} | {memory:.0f} |")
        command = [PROOFMARK, "check", "--config", f"{config}.toml", "--format", "concise", "--quiet", "part07/doc03600.md"]
        output, cpu, wall, memory = run(command, cwd=folder)
        print(f"| one file | {config} | {cpu:.2f} | {wall:.2f} | {memory:.0f} |")
    served(folder)


def served(folder):
    """The first call of a service, later ones, and one after another file has changed."""
    process = subprocess.Popen(
        [PROOFMARK, "serve", "--config", "project.toml", "--root", "."],
        cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    number = 0

    def call(method, parameters, answered=True):
        nonlocal number
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if answered:
            number += 1
            message["id"] = number
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline()) if answered else None

    information = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
    call("initialize", information)
    call("notifications/initialized", {}, answered=False)

    def validate(what):
        start = time.monotonic()
        answer = call("tools/call", {"name": "validate", "arguments": {"path": "part07/doc03600.md"}})
        assert "result" in answer, answer
        print(f"| service: {what} | project | | {time.monotonic() - start:.3f} | |")

    validate("first call")
    validate("second call")
    time.sleep(1.5)
    validate("a call after a second, no file changed")
    path = folder / "part07" / "doc03601.md"
    path.write_text(path.read_text().replace("id: DOC-3601", "id: DOC-36010"))
    time.sleep(1.5)
    validate("a call after another file changed")
    process.stdin.close()
    process.wait()


def ordinary(folder):
    """Errors and warnings in documentation that was written without Proofmark, a folder for each repository."""
    print("| documentation | files | errors | files with an error | warnings | files with a warning |\n|---|---|---|---|---|---|")
    shown = []
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = sorted(str(path.relative_to(repository)) for path in repository.rglob("*.md") if not path.is_symlink())
        command = [PROOFMARK, "check", "--isolated", "--format", "json", *files]
        report = subprocess.run(command, cwd=repository, capture_output=True, text=True).stdout
        findings = [finding for finding in json.loads(report)["diagnostics"] if not finding.get("suppressed")]
        cells = [repository.name, str(len(files))]
        for severity in ("error", "warning"):
            places = [finding["location"]["file"] for finding in findings if finding["severity"] == severity]
            cells += [str(len(places)), str(len(set(places)))]
        print("| " + " | ".join(cells) + " |")
        errors = (finding for finding in findings if finding["severity"] == "error")
        shown += [f"{repository.name}/{e['location']['file']}:{e['location']['line']}: {e['id']} {e['message']}" for e in errors]
    print(*shown, sep="\n")


COMMANDS = {"make": make, "peers": peers, "project": project, "ordinary": ordinary}

if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](Path(sys.argv[2]).absolute())
