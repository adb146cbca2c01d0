#!/usr/bin/env python3
"""Latencies and memory of `proofmark lsp`, as an editor sees them.

    benches/editor.py [--program target/release/proofmark]

Prints one line per figure: the time from a change of one character to the diagnostics of the new version, of a hover, of
a completion, and of an outline, for documents of 5 KB, 100 KB and 1 MB; from the start of the program to its first answer;
how many validations a burst of 200 changes causes; memory with 200 open documents, and after 100,000 edits.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

STEP = """\
      - id: step_{n}
        type: PromptTemplate
        template: "Answer {{value_{n}}}"
        inputs: [value_{n}]
        outputs: [value_{m}]
"""


def qtype(size):
    """A flow of this many bytes."""
    count = max(1, size // 160)
    variables = "".join(f"      - {{id: value_{n}, type: text}}\n" for n in range(count + 1))
    steps = "".join(STEP.format(n=n, m=n + 1) for n in range(count))
    head = "id: app\nflows:\n  - id: chat\n    variables:\n"
    return f"{head}{variables}    inputs: [value_0]\n    outputs: [value_{count}]\n    steps:\n{steps}"


def mermaid(size):
    lines = ["flowchart LR"]
    total = 0
    while total < size:
        lines.append(f"    node{len(lines)}[Step {len(lines)}] --> node{len(lines) + 1}")
        total += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"


def markdown(size):
    part = "## Part\n\nA careful reader will notice that every claim is followed by evidence.\n\n"
    return "---\ntitle: Report\nauthor: Ada\n---\n\n# Report\n\n" + part * (size // len(part))


class Client:
    """A client that asks for diagnostics."""

    def __init__(self, program, folder, pulls=True):
        self.begun = time.perf_counter()
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0
        self.others = []
        document = {"diagnostic": {}} if pulls else {}
        capabilities = {"textDocument": document, "general": {"positionEncodings": ["utf-8"]}}
        self.ask("initialize", {"rootUri": f"file://{folder}", "capabilities": capabilities})
        self.notify("initialized", {})

    def send(self, message):
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def notify(self, method, params):
        self.send({"method": method, "params": params})

    def read(self):
        length = 0
        while (line := self.process.stdout.readline().strip()):
            length = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(length))

    def ask(self, method, params):
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        while (message := self.read()).get("id") != self.asked:
            self.others.append(message)
        return message.get("result")

    def open(self, uri, text):
        self.notify(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": "x", "version": 0, "text": text}},
        )

    def change(self, uri, version, line, column, end, text):
        span = {"start": {"line": line, "character": column}, "end": {"line": line, "character": end}}
        self.notify(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": span, "text": text}]},
        )

    def pull(self, uri):
        return self.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})

    def memory(self):
        """Resident memory in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def close(self):
        begun = time.perf_counter()
        self.process.stdin.close()
        self.process.wait(10)
        return time.perf_counter() - begun


def figures(times):
    times = sorted(times)
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    return f"median {statistics.median(times) * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms"


def timed(work):
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def latencies(client, folder, name, text, rounds):
    uri = f"file://{folder}/{name}"
    client.open(uri, text)
    client.pull(uri)
    lines = text.splitlines()
    line = len(lines) // 2
    while not lines[line].strip():
        line += 1
    end = len(lines[line])
    document = {"textDocument": {"uri": uri}}
    place = {**document, "position": {"line": line, "character": end}}
    found = {"change → diagnostics": [], "hover": [], "completion": [], "outline": []}
    for version in range(1, rounds + 1):
        if version % 2:
            change = lambda: client.change(uri, version, line, end, end, "x")
        else:
            change = lambda: client.change(uri, version, line, end, end + 1, "")

        def validated():
            change()
            client.pull(uri)

        found["change → diagnostics"].append(timed(validated))
        found["hover"].append(timed(lambda: client.ask("textDocument/hover", place)))
        found["completion"].append(timed(lambda: client.ask("textDocument/completion", place)))
        found["outline"].append(timed(lambda: client.ask("textDocument/documentSymbol", document)))
        # A person types slower than this, and the server waits where changes follow each other quickly.
        time.sleep(0.05)
    for what, times in found.items():
        print(f"{name} {len(text) // 1024} KB, {what}: {figures(times)}")
    client.notify("textDocument/didClose", document)


def burst(program, folder):
    client = Client(program, folder, pulls=False)
    uri = f"file://{folder}/burst.md"
    client.open(uri, "---\ntitle: a\n---\n")
    for version in range(1, 201):
        client.change(uri, version, 1, 7, 7, "b: ")
    versions = []
    while not versions or versions[-1] != 200:
        message = client.read()
        if message.get("method") == "textDocument/publishDiagnostics":
            versions.append(message["params"]["version"])
    print(f"burst of 200 changes: {len(versions)} validations, versions {versions}")
    client.close()


def memory(program, folder):
    client = Client(program, folder)
    empty = client.memory()
    documents = [(f"a{n}.qtype.yaml", qtype(5_000)) for n in range(100)]
    documents += [(f"a{n}.md", markdown(5_000)) for n in range(50)] + [(f"a{n}.mmd", mermaid(5_000)) for n in range(50)]
    for name, text in documents:
        client.open(f"file://{folder}/{name}", text)
    for name, _ in documents:
        client.pull(f"file://{folder}/{name}")
    print(f"memory: {empty:.0f} MiB at the start, {client.memory():.0f} MiB with 200 open documents")
    before = client.memory()
    uri = f"file://{folder}/a0.md"
    for version in range(1, 100_001):
        end = 9 if version % 2 else 10
        client.change(uri, version, 1, 9, end, "x" if version % 2 else "")
    client.pull(uri)
    print(f"memory after 100,000 edits: {client.memory() - before:+.1f} MiB")
    print(f"end of the input → end of the program: {client.close() * 1e3:.0f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/proofmark")
    parser.add_argument("--rounds", type=int, default=40)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        starts = []
        for _ in range(41):
            client = Client(arguments.program, folder)
            uri = f"file://{folder}/first.md"
            client.open(uri, markdown(5_000))
            client.pull(uri)
            starts.append(time.perf_counter() - client.begun)
            client.close()
        # The first start reads the program from the disk, if nothing has run it before.
        print(f"first start → first diagnostics: {starts[0] * 1e3:.1f} ms; further ones: {figures(starts[1:])}")
        client = Client(arguments.program, folder)
        for name, make in (("flow.qtype.yaml", qtype), ("report.md", markdown), ("graph.mmd", mermaid)):
            for size in (5_000, 100_000, 1_000_000):
                rounds = arguments.rounds if size < 1_000_000 else max(5, arguments.rounds // 4)
                latencies(client, folder, name, make(size), rounds)
        client.close()
        burst(arguments.program, folder)
        memory(arguments.program, folder)


if __name__ == "__main__":
    main()
