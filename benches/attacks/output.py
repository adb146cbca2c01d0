"""Attacks on what the program writes: secrets in reports, text of documents that controls a terminal or a reader of reports, and
what the repository and the binary contain."""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import threading
import tomllib

from harness import HUNG, Case, Outcome, Service, run

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The value of a variable of the environment, and the same without its last character, from which the program could guess it.
NAME, VALUE, NEAR = "OPENAI_KEY", "value-4711-of-the-environment", "value-4711-of-the-environmen"
LITERAL = "sk-SECRETSECRETSECRET4711"
IN_DOCUMENT = "text-4711-of-a-document"

# Puts the variable where messages quote text.
FLOW = f"""id: app
description: "${{{NAME}}}"
models:
  - {{type: "${{{NAME}}}", id: m, provider: "${{{NAME}}}", auth: "${{{NAME}}}"}}
auths:
  - {{type: api_key, id: k, api_key: "${{{NAME}}}"}}
  - {{id: "${{{NAME}}}", api_key: "${{{NAME}}}"}}
flows:
  - id: f
    variables:
      - {{id: "${{{NAME}}}", type: text}}
      - {{id: a, type: text}}
    inputs: [{NEAR}]
    outputs: [a]
    steps:
      - {{id: s, type: LLMInference, model: m, inputs: [b, {NEAR}, {NAME[:-1]}], outputs: [a]}}
"${{{NAME}}}": 1
"""
VARIABLES = f"id: app\nflows:\n  - id: f\n    variables:\n      - {{id: \"${{{NAME}}}\", type: text}}\n"
# Flows that the program can complete with the name of the first variable, each with an input that a fix can be made for.
FIXED = [
    [VARIABLES + "      - {id: a, type: text}\n" + f"    inputs: [{near}]\n    outputs: [a]\n    steps:\n"
     f"      - {{id: s, type: LLMInference, model: m, inputs: [{near}], outputs: [a]}}\n" for near in (NEAR, NAME[:-1])],
    [VARIABLES + "      - {id: x, type: text}\n    inputs: []\n    outputs: [x]\n    steps:\n"
     f"      - {{id: s, type: PromptTemplate, template: \"{{{name}}} {{y}}\", inputs: [{near}], outputs: [x]}}\n"
     for name, near in ((NEAR, NEAR), (NAME[:-1], NAME[:-1]))],
    [VARIABLES + f"    outputs: {outputs}\n    steps:\n      - {{id: s, type: PromptTemplate, template: \"hello\"{written}}}\n"
     for outputs in ("[]", f"[{NEAR}]") for written in ("", f", outputs: [{NEAR}]")],
]
LITERALS = f"""id: app
auths:
  - {{type: api_key, id: k, api_key: {LITERAL}}}
  - {{type: bearer_token, id: t, token: "{LITERAL}"}}
"""

# What terminals obey, what reorders or hides text, and what leaves no trace.
INVISIBLE = "\u00ad\u034f\u115f\u1160\u17b4\u180e\u3164\uffa0"
HIDDEN = INVISIBLE + ("\x1b\x9b\x07\x08\x7f\x85\x0b\x0c\u061c\u200b\u200f\u2028\u2029\u202c\u202e"
                      "\u2060\u2066\u206f\ufeff\ufff9\ue000\U0001d173\U000e0041")
# A title for the window, a colored text, and an empty screen: none is a sequence that the program writes by itself.
SEQUENCES = ["\x1b]0;owned\x07", "\x1b[95;103mred", "\x1b[2J"]
OWN_SEQUENCE = re.compile(r"\x1b\[[0-9;]*[mK]|\x1b\[\?25[hl]")
MARKUP = ["![x](http://evil.example/p.png)", "[x](http://evil.example)", "https://evil.example", "www.evil.example", "@channel",
          "a``b`[x](http://evil.example)", "<img src=x>"]
# Fields of reports that hold exact text, since programs apply or find it: a fix with other text would not fit.
EXACT = {"old", "new", "path", "suggestions", "snippet", "insertedContent", "fullyQualifiedName"}


def showed(text, secret):
    """How often a secret is in a text, also when it is broken into lines."""
    return "".join(text.split()).count(secret)


def kept(ran, secret, sign):
    """The outcome of a run that has to report something, told by a sign of it, and not the secret."""
    times, said = showed(ran.text, secret), sign in ran.text
    return Outcome(times == 0 and said and ran.code in (0, 1, 2),
                   f"{times} times" + ("" if said else f", and no `{sign}` either") + f", exit code {ran.code}")


def variable_in_report(name, formats, more=()):
    """The variable in reports of some formats."""

    def attempt(place):
        place.write("a.qtype.yaml", FLOW)
        place.write("env", f"{NAME}={VALUE}\n")
        for report in formats:
            ran = run(place, "check", "--isolated", "--select", "all", "--format", report, *more, "a.qtype.yaml",
                      environment={NAME: VALUE})
            outcome = kept(ran, VALUE, NAME)
            if not outcome.passed:
                return outcome
        return outcome

    return Case("4-leaks", name, "the value is in no byte of the output", attempt)


def records(place, emit, text):
    record = {"id": 1, "kind": "qtype", "text": text, "emit": emit}
    return run(place, "batch", "--isolated", stdin=json.dumps(record).encode() + b"\n", environment={NAME: VALUE})


def variable_in_records(place):
    return kept(records(place, ["tree", "fixed"], FLOW), VALUE, NAME)


def variables_in_tree(place):
    text = f"id: app\ndescription: \"${{{NAME}}} ${{HOME}} ${{PATH}}\"\n"
    ran = records(place, ["tree"], text)
    outcome = kept(ran, VALUE, f"${{{NAME}}} ${{HOME}} ${{PATH}}")
    found = [value for value in (str(place.folder), os.environ["PATH"]) if value in ran.text]
    return Outcome(outcome.passed and not found, f"{outcome.measured}; other values: {len(found)}")


def variable_in_fixes(number):
    def attempt(place):
        times = changed = 0
        for flow in FIXED[number]:
            path = place.write("a.qtype.yaml", flow)
            ran = run(place, "fix", "--isolated", "--unsafe", "--format", "json", "a.qtype.yaml", environment={NAME: VALUE})
            text = path.read_text()
            times += showed(text, VALUE) + showed(ran.text, VALUE)
            changed += text != flow or f"${{{NAME}}}" in ran.text
        return Outcome(times == 0 and changed > 0, f"{times} times, {changed} of {len(FIXED[number])} flows changed or reported")

    name = f"fix --unsafe writes env value into the file ({number})"
    return Case("4-leaks", name, "the value is neither in the file nor shown", attempt)


def literal_in_report(report):
    def attempt(place):
        place.write("a.qtype.yaml", LITERALS)
        ran = run(place, "check", "--isolated", "--select", "all", "--format", report, "a.qtype.yaml")
        return kept(ran, LITERAL[:16], "QT927")

    return Case("4-leaks", f"literal api_key in flow, check --format {report}", "the secret is in no byte of the output", attempt)


def literal_over_mcp(place):
    with Service(place, "--no-files", http=False) as service:
        answer = json.dumps(service.call("validate", text=LITERALS, kind="qtype", detail="full"))
    times = answer.count(LITERAL[:16])
    return Outcome(times == 0 and "QT927" in answer, f"{times} times in an answer of {len(answer)} bytes")


def text_in_log(place):
    times = lines = 0
    for http in (True, False):
        with Service(place, "--no-files", http=http, environment={"PROOFMARK_LOG": "debug"}) as service:
            for text, kind in ((f"{IN_DOCUMENT}: [", "yaml"), (f"---\n{IN_DOCUMENT}: [\n---\n", "markdown"), (FLOW, "qtype")):
                service.call("validate", text=text.replace(NEAR, IN_DOCUMENT), kind=kind)
                service.call("fix_text", text=text, kind=kind, unsafe=True)
            service.call("validate", text=IN_DOCUMENT, kind=IN_DOCUMENT)
            log = service.log.read_text()
        times, lines = times + log.count(IN_DOCUMENT), lines + log.count('"call"')
    return Outcome(times == 0 and lines > 0, f"{times} times, {lines} calls logged")


def linked_configuration(place):
    place.write("secret", "OUTSIDESECRET77\n")
    place.write("repository/doc.md", "# A\n")
    (place.folder / "repository" / ".git").mkdir()
    (place.folder / "repository" / "proofmark.toml").symlink_to("../secret")
    return kept(run(place, "check", "doc.md", folder=place.folder / "repository"), "OUTSIDESECRET77", "PM019")


FORMATS = ["pretty", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "markdown"]
LEAKS = [
    *(variable_in_report(f"${{{NAME}}} of the process env in check --format {report}", [report]) for report in FORMATS),
    variable_in_report("--env-file in check", FORMATS, ["--env-file", "env"]),
    variable_in_report("--strict-env in check", FORMATS, ["--strict-env"]),
    Case("4-leaks", "batch of a stranger's text: process env in diagnostics", "the value is in no byte of the output",
         variable_in_records),
    Case("4-leaks", "batch emit tree: process env of the service", "the tree keeps the text of the document", variables_in_tree),
    *(variable_in_fixes(number) for number in range(3)),
    literal_in_report("sarif"),
    literal_in_report("pretty"),
    Case("4-leaks", "literal api_key, MCP validate full (text goes back to the agent that sent it)",
         "the secret is in no byte of the answer", literal_over_mcp),
    Case("4-leaks", "texts of documents in the log at debug", "the log has calls, and no text of documents", text_in_log),
    Case("4-leaks", "proofmark.toml is a symlink to a secret file", "refused as PM019, and no text of the file is shown",
         linked_configuration),
]


def documents(text):
    """Documents whose messages quote a text, by the endings of their names."""
    quoted = json.dumps(text)
    flow = (f"id: {quoted}\nflows:\n  - id: f\n    variables: [{{id: {quoted}, type: {quoted}}}]\n    inputs: [{quoted}]\n"
            f"    outputs: [o]\n    steps:\n      - {{id: {quoted}, type: {quoted}, inputs: [i, {quoted}], outputs: [o]}}\n"
            f"types:\n  - {{type: Custom, id: {quoted}, properties: {{a: {quoted}}}}}\n{quoted}: 1\n")
    page = (f"---\nQUILL: memo\nsubject: {text}\n{text}: [\n---\n\n# {text}\n\n[a](#{text}) [^{text}]\n\n"
            f"```mermaid\nflowchart TD\n  A{text} --> B\n```\n\n"
            f"# {text}\n```mermaid\nflowchart TD\n  A --> \u200bB\n```\n\n~~~\n{text}")
    return {"qtype.yaml": flow, "md": page, "mmd": f"flowchart TD\n  A{text} --> [\n  {text}\n"}


def written(place, texts, endings=("qtype.yaml", "md", "mmd")):
    """Documents of all texts in the folder: their paths."""
    paths = []
    for number, text in enumerate(texts):
        for ending, document in documents(text).items():
            if ending in endings:
                paths.append(f"./v{number}.{ending}")
                place.write(paths[-1], document)
    return paths


def hidden(text, characters=HIDDEN):
    """The hidden characters of a text, besides what the program itself writes to color it."""
    return sorted({c for c in OWN_SEQUENCE.sub("", text) if c in characters})


def visible(text, characters=HIDDEN):
    """The outcome of a text without hidden characters and sequences of a document, in which the program names them."""
    found = hidden(text, characters) + [sequence for sequence in SEQUENCES if sequence in text]
    named = len(set(re.findall(r"\\u\{[0-9a-f]+\}", text)))
    return Outcome(not found and named >= 8, f"{found} passed, {named} shown as \\u{{…}}")


def hostile_texts(characters=HIDDEN):
    return [f"x{c}y" for c in characters] + [f"x{sequence}y" for sequence in SEQUENCES]


def report_of(place, report, texts, *more):
    return run(place, "check", "--isolated", "--select", "all", "--format", report, *more, *written(place, texts)).out.decode()


def invisible_in_report(name, report, *more):
    def attempt(place):
        return visible(report_of(place, report, hostile_texts(INVISIBLE), *more), INVISIBLE)

    return Case("4-inject", f"{name}: other invisible characters (soft hyphen, CGJ, Hangul filler)",
                "none is in the report, which shows them as \\u{…}", attempt)


def strings(value, key=""):
    """The strings of a JSON value but those of exact text, with the keys that they belong to."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, key)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name not in EXACT:
                yield from strings(item, name)


def hidden_in_strings(report):
    def attempt(place):
        out = report_of(place, report, hostile_texts())
        values = [json.loads(out)] if report == "json" else [json.loads(line) for line in out.splitlines()]
        found = sorted({key for value in values for key, text in strings(value) if hidden(text)})
        raw = visible(out)
        return Outcome(raw.passed and not found, f"fields with hidden characters: {found}; bytes: {raw.measured}")

    return Case("4-inject", f"{report}: control/bidi/zero-width in decoded strings",
                "none but in the exact text of edits and paths, which a fix has to fit; none in the bytes", attempt)


def links_in_sarif(place):
    texts = [text for key, text in strings(json.loads(report_of(place, "sarif", MARKUP))) if key in ("text", "markdown")]
    quoting = [text for text in texts if "evil.example" in text]
    active = [text for text in quoting if re.search(r"\]\(", text)]
    return Outcome(bool(quoting) and not active, f"{len(active)} of {len(quoting)} texts with links {active[:1]}")


def links_in_markdown(place):
    out = report_of(place, "markdown", MARKUP)
    outside = re.sub(r"^(```+|~~~+)[^\n]*\n.*?^\1[^\n]*$", "", out, flags=re.M | re.S)
    outside = re.sub(r"(?<!`)(`+)(?!`)(?:[^\n]*?[^`\n])\1(?!`)", "", outside)
    active = [line for line in outside.splitlines() if re.search(r"://|www\.|@channel|<img|(?<!\\)\]\(", line)]
    return Outcome("evil.example" in out and not active, f"{len(active)} lines with links or mentions {active[:1]}")


def mermaid_report(place):
    paths = written(place, hostile_texts(), ["md", "mmd"])
    return visible(run(place, "check", "--isolated", "--format", "mermaid-report", *paths).out.decode())


def on_terminal(place, *arguments):
    """What a run of the program writes to a terminal."""
    end, terminal = pty.openpty()
    variables = {"PATH": os.environ["PATH"], "HOME": str(place.folder), "TERM": "xterm-256color"}
    process = subprocess.Popen([place.program, *arguments], cwd=place.folder, env=variables, stdin=terminal, stdout=terminal,
                               stderr=terminal)
    os.close(terminal)
    hung = threading.Timer(HUNG, process.kill)
    hung.start()
    out = b""
    try:
        while more := os.read(end, 65536):
            out += more
    except OSError:  # This is how a terminal ends.
        pass
    hung.cancel()
    process.wait()
    os.close(end)
    return out.decode(errors="replace")


def diff(name, texts, terminal, *more):
    """A diff of documents, which is not empty: each has something to fix."""

    def attempt(place):
        arguments = ["fix", "--isolated", "--diff", *more, *written(place, texts, ["md"])]
        out = on_terminal(place, *arguments) if terminal else run(place, *arguments).text
        outcome = visible(out)
        changed = len(re.findall(r"^(?:\x1b\[[0-9;]*m)*\+\+\+", out, flags=re.M))
        return Outcome(outcome.passed and changed == len(texts), f"{outcome.measured}, {changed} of {len(texts)} files changed")

    return Case("4-inject", name, "hidden characters and sequences are shown as \\u{…}", attempt)


THIRDS = ["".join(hostile_texts()[start::3]) for start in range(3)]
MANY = [f"{number} {text}" for number, text in enumerate((hostile_texts() * 5)[:130])]
INJECTIONS = [
    diff("on a terminal: fix --diff --isolated v0.md v1.md v3.md", THIRDS, True),
    diff("fix --diff of 130 files on a terminal", MANY, True, "--unsafe"),
    invisible_in_report("pretty", "pretty"),
    invisible_in_report("pretty colour", "pretty", "--color", "always"),
    *(invisible_in_report(report, report) for report in ("concise", "github", "junit", "markdown")),
    hidden_in_strings("json"),
    hidden_in_strings("jsonl"),
    Case("4-inject", "sarif: message.text with [link](http://evil) (SARIF 3.11.6 embedded links)", "no text has a link",
         links_in_sarif),
    Case("4-inject", "markdown: autolinks and mentions (@channel, https://evil) outside of code", "all of them are in code",
         links_in_markdown),
    Case("4-inject", "mermaid-report: raw bytes of the file", "hidden characters are escaped", mermaid_report),
    diff("fix --diff: control characters on the terminal", THIRDS, False, "--unsafe"),
]


def file_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def supply_chain(place):
    if not shutil.which("cargo"):
        return Outcome(False, "cargo is not installed")
    bill = place.folder / "bill.json"
    command = [sys.executable, ROOT / ".ci" / "supply-chain", "--sbom", bill]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=HUNG)
    if done.returncode:
        return Outcome(False, done.stdout.decode()[-300:])
    listed = {(part["name"], part["version"]) for part in json.loads(bill.read_text())["components"]}
    shipped = {(name, version.split()[0]) for name, version in needed_by("normal", "proofmark", "proofmark-render", "proofmark-python")}
    missing = shipped - listed
    return Outcome(len(shipped) > 50 and not missing, f"{done.stdout.decode().strip()}; {len(listed)} packages listed, {len(missing)} of {len(shipped)} missing")


def fuzzing(_):
    tested = "cargo test --workspace" in file_of(".ci/run") and "mutated_documents_are_validated" in file_of("tests/hostile/mutated.rs")
    longer = "HOSTILE_SEED" in file_of(".ci/mutations") and os.access(ROOT / ".ci" / "mutations", os.X_OK)
    targets = {path.stem for path in (ROOT / "fuzz" / "fuzz_targets").glob("*.rs") if "fuzz_target!" in path.read_text()}
    declared = {part["name"] for part in tomllib.loads(file_of("fuzz/Cargo.toml"))["bin"]}
    wanted = {"mermaid", "metadata_blocks", "rule_file", "yaml_tree"}
    passed = tested and longer and wanted <= declared and targets == declared
    return Outcome(passed, f"{len(declared)} targets; mutations: in each run {tested}, for hours {longer}")


def needed_by(edges, *programs):
    """The packages that programs are built from, as (name, version): `edges` are the kinds of dependencies that `cargo tree` follows."""
    named = [part for program in programs for part in ("-p", program)]
    command = ["cargo", "tree", "--locked", "--offline", "--target", "all", "-e", edges, "--prefix", "none", *named]
    listed = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True, timeout=HUNG).stdout
    return {tuple(line.removesuffix(" (*)").split(" v", 1)) for line in listed.splitlines() if " v" in line and "(/" not in line}


def unmaintained(_):
    needed = {name for name, _ in needed_by("normal,build", "proofmark")}
    inside = needed & {"serde_yaml", "unsafe-libyaml", "yaml-rust", "bincode", "paste", "proc-macro-hack"}
    ignored = {entry["id"] for entry in tomllib.loads(file_of("deny.toml"))["advisories"]["ignore"] if entry.get("reason")}
    missing = {"RUSTSEC-2024-0320", "RUSTSEC-2025-0141", "RUSTSEC-2024-0436"} - ignored
    return Outcome(len(needed) > 50 and not inside and not missing,
                   f"{sorted(inside)} of {len(needed)} packages of the program; without a reason in deny.toml: {sorted(missing)}")


def security_page(_):
    headings = set(re.findall(r"^## (.*)$", file_of("SECURITY.md"), flags=re.M))
    missing = {"What is trusted", "What is promised", "What is not promised", "How to report"} - headings
    return Outcome(not missing, f"missing parts: {sorted(missing)}")


def paths_in_binary(place):
    home = re.compile(rb"/root/|/home/[\w-]+/|/Users/[\w-]+/|/\.?cargo/registry/")
    programs = [program for program in (place.program, place.worker) if program]
    counts = {pathlib.Path(program).name: len(home.findall(pathlib.Path(program).read_bytes())) for program in programs}
    image = file_of("Dockerfile")
    mapped = all(f"--remap-path-prefix={folder}=" in image for folder in ("/usr/local/cargo", "/src"))
    shown = ", ".join(f"{name}: {count} strings" for name, count in counts.items())
    return Outcome(mapped or not any(counts.values()), f"mapped in the image: {mapped}; these programs: {shown}")


def overflow_checks(_):
    profile = tomllib.loads(file_of("Cargo.toml"))["profile"]
    checked = {name: profile.get(name, {}).get("overflow-checks", False) for name in ("release", "dist")}
    checked["dist"] = profile.get("dist", {}).get("overflow-checks", checked["release"])
    pages = ("Cargo.toml", "SECURITY.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    decided = [page for page in pages if re.search(r"overflow[- ]checks?\b(?! = )", file_of(page), flags=re.I)]
    return Outcome(all(checked.values()) or bool(decided), f"checked: {checked}; a reason is in: {decided}")


STATIC = [
    Case("7-static", "cargo-deny / cargo-audit / SBOM in CI",
         "`.ci/supply-chain` finds nothing that deny.toml forbids, and its bill of materials has every package that is shipped", supply_chain),
    Case("7-static", "fuzz targets run in CI",
         "`.ci/run` tries mutated documents, `.ci/mutations` does so for hours, and each reader has a target", fuzzing),
    Case("7-static", "unmaintained crates", "none below the program itself; deny.toml has a reason for those of the worker",
         unmaintained),
    Case("7-static", "SECURITY.md", "says what is trusted, what is promised and how to report", security_page),
    Case("7-static", "paths of the build machine in the binary", "none, or those of the image are mapped to others", paths_in_binary),
    Case("7-static", "overflow checks in release", "on, or the decision against them is written down", overflow_checks),
]

CASES = [*LEAKS, *INJECTIONS, *STATIC]
