#!/usr/bin/env python3
"""Latency and memory of the quill tools, called over standard input and output as an agent does.

    cargo build --release --workspace
    python3 benches/render_service.py times target/release/proofmark
    python3 benches/render_service.py memory target/release/proofmark
    python3 benches/render_service.py targets target/release/proofmark target/programs/pandoc
    python3 benches/render_service.py peers target/release/proofmark .venv/bin/quillmark-mcp .venv/lib/python3.11/site-packages/tonguetoquill-collection/quills

`targets` measures what has a target, and what Quarto uses for the same beside it: Pandoc, and Typst where Python has it
(`pip install typst==0.15.2`). `peers` wants `pip install quillmark-mcp==0.0.10 quillmark==0.4.0 'mcp<2'` in `.venv`; both servers get the quills of
that package. Every document that is rendered differs from the ones before it, unless the row says otherwise.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CALLS = 100


class Server:
    """A server with a client that many threads can use."""

    def __init__(self, command, environment=None, folder=None):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})}, cwd=folder,
        )
        self.ids = itertools.count(1)
        self.lock = threading.Lock()
        self.waiting = {}
        threading.Thread(target=self._read, daemon=True).start()
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ready = time.perf_counter() - self.started

    def _send(self, message):
        with self.lock:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def _read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") in self.waiting:
                event, box = self.waiting.pop(message["id"])
                box.append(message)
                event.set()

    def ask(self, method, params):
        number, event, box = next(self.ids), threading.Event(), []
        self.waiting[number] = (event, box)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        if not event.wait(120):
            raise TimeoutError(method)
        return box[0]

    def call(self, tool, **arguments):
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def processes(self):
        """The server and its child processes."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children")
        tasks = Path(f"/proc/{pid}/task").iterdir()
        found = set()
        for task in tasks:
            found.update(int(child) for child in (task / "children").read_text().split())
        return [pid, *sorted(found)] if children.exists() else [pid]

    def resident(self):
        """Resident memory of the server and of all its workers, in MiB."""
        sizes = []
        for pid in self.processes():
            try:
                status = Path(f"/proc/{pid}/status").read_text()
            except FileNotFoundError:
                continue
            sizes += [int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS")]
        return sizes[0], sum(sizes[1:]), len(sizes) - 1

    def processor_time(self):
        """Time of processors that the server and its workers have used, in milliseconds."""
        ticks = 0
        for pid in self.processes():
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except FileNotFoundError:
                continue
            ticks += int(fields[11]) + int(fields[12])
        return ticks * 1000 / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


def succeeded(result):
    """Whether a rendering succeeded; some servers answer with the text of a Python value."""
    text = result["content"][0]["text"]
    structured = result.get("structuredContent")
    return structured["success"] if structured else "bytes_base64" in text or "resource_uri" in text


def timed(call, server=None, calls=CALLS):
    """Milliseconds of each call: the first, median and 95th percentile of the others, and the processor time of
    one of them, which other programs of the machine do not change."""
    times, used = [], 0
    for number in range(calls + 1):
        if number == 1 and server:
            used = server.processor_time()
        start = time.perf_counter()
        call(number)
        times.append((time.perf_counter() - start) * 1000)
    first, rest = times[0], sorted(times[1:])
    figures = first, rest[0 if calls < 2 else len(rest) // 2], rest[int(len(rest) * 0.95)]
    return (*figures, (server.processor_time() - used) / calls) if server else figures


def row(name, figures):
    print(f"| {name} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |", flush=True)


def render(server, markdown, form="PDF", **more):
    def call(number):
        result = server.call("render_document", markdown=f"{markdown}\n\nNumber {number}.\n", output_format=form, **more)
        assert succeeded(result), result

    return call


def other_diagrams(server, markdown):
    def call(number):
        text = markdown.replace("Received", f"Received {number}").replace("Receipt", f"Receipt {number}")
        result = server.call("render_document", markdown=text.replace("submit", f"submit {number}"))
        assert succeeded(result), result

    return call


def times(program):
    server = Server([program, "serve", "--no-files"], folder="/")
    time.sleep(1)
    print(f"ready after {server.ready * 1000:.0f} ms\n\n| operation | first ms | median ms | p95 ms | processor ms |\n|---|--:|--:|--:|--:|")
    row("`list_quills`", timed(lambda _: server.call("list_quills"), server))
    quills = [quill["name"] for quill in server.call("list_quills")["structuredContent"]["quills"]]
    info = {name: server.call("get_quill_info", quill_name=name)["structuredContent"] for name in quills}
    row("`get_quill_info`", timed(lambda _: server.call("get_quill_info", quill_name="letter"), server))
    for name in quills:
        row(f"`validate_frontmatter`, {name}", timed(lambda _: server.call("validate_frontmatter", markdown=info[name]["example"]), server))
    for name in quills:
        for form in ("PDF", "SVG"):
            row(f"`render_document`, {name}, {form}", timed(render(server, info[name]["example"], form), server))
    sheet = ROOT / "render-worker/tests/sheet"
    diagrams = (sheet / "letter/plain.md").read_text().replace("{{body}}", (sheet / "diagrams.md").read_text())
    row("`render_document`, letter with three diagrams, PDF", timed(render(server, diagrams), server))
    row("the same, other diagrams each time", timed(other_diagrams(server, diagrams), server))
    same = info["letter"]["example"]
    row("the same letter again", timed(lambda _: server.call("render_document", markdown=same), server))
    server_size, workers, count = server.resident()
    print(f"\nresident afterwards: {server_size:.0f} MiB, and {workers:.0f} MiB in {count} workers")
    server.end()


SLIDE = """## Slide {number}

Words about **item {number}** with `code`, a [link](https://example.org/{number}) and a formula $x^{{{number}}}$.

- One point
- Another point
  - with a detail

| Place | Count |
|-------|------:|
| North | {number} |
| South | 12 |

"""


def deck(number):
    head = f"---\ntitle: Deck {number}\nauthor: Ann Lee\n---\n\n"
    return head + "".join(SLIDE.format(number=slide) for slide in range(1, 21))


def process(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def targets(program, pandoc):
    """What has a target: the time of a warm server, and of the program where it is started for each."""
    import tempfile

    try:
        import typst
    except ImportError:
        typst = None
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        server = Server([program, "serve", "--root", str(folder), "--toolsets", "quills,quarto"], folder=folder)
        time.sleep(1)
        letter = server.call("get_quill_info", quill_name="letter")["structuredContent"]["example"]
        sheet = ROOT / "render-worker/tests/sheet"
        diagrams = (sheet / "diagrams.md").read_text()
        report = (sheet / "report/plain.md").read_text().replace("{{body}}", diagrams)
        print("| operation | first ms | median ms | p95 ms | processor ms |\n|---|--:|--:|--:|--:|")
        row("letter, PDF", timed(render(server, letter), server))
        row("report with three diagrams, PDF", timed(render(server, report), server))
        row("the same, other diagrams each time", timed(other_diagrams(server, report), server))

        def converted(form):
            def call(number):
                answer = server.call("quarto_render", content=deck(number), format=form, output_path=f"deck-{number}.{form}.html")
                assert answer["structuredContent"]["success"], answer

            return call

        row("20 slides, html", timed(converted("html"), server))
        row("20 slides, revealjs", timed(converted("revealjs"), server))
        server.end()

        letters = folder / "letters"
        letters.mkdir()
        for number in range(100):
            (letters / f"letter-{number}.md").write_text(f"{letter}\n\nNumber {number}.\n")
        source = folder / "deck.qmd"
        source.write_text(deck(0))
        print("\n| a process for each | first ms | median ms | p95 ms |\n|---|--:|--:|--:|")

        def all_letters(number):
            out = folder / f"out-{number}"
            process(program, "render", letters, "-o", f"{out}/")
            assert len(list(out.glob("*.pdf"))) == 100

        row("100 letters, PDF", timed(all_letters, calls=10))
        row("one letter, PDF", timed(lambda n: process(program, "render", letters / "letter-1.md", "-o", folder / f"l{n}.pdf"), calls=20))
        for form in ("html", "revealjs"):
            out = folder / "deck.html"
            row(f"20 slides, {form}", timed(lambda n: process(program, "convert", source, "--to", form, "--force", "-o", out), calls=20))
            row(f"20 slides, {form}, Pandoc", timed(lambda n: process(pandoc, "--embed-resources", "--standalone", "--mathml", "-t", form, source, "-o", out), calls=20))
        words = letters / "letter-1.md"
        made = folder / "letter.typ"
        row("one letter to Typst, Pandoc", timed(lambda n: process(pandoc, "--standalone", "-t", "typst", words, "-o", made), calls=20))
        if typst:
            compile_it = f"import sys, typst; typst.compile({str(made)!r}, output={str(folder / 'typst.pdf')!r})"
            row("that to PDF, Typst", timed(lambda n: process(sys.executable, "-c", compile_it), calls=20))
            compiler = typst.Compiler(str(made))
            text = made.read_text()

            def compiled(number):
                made.write_text(f"{text}\nNumber {number}.\n")
                compiler.compile(str(made), format="pdf")

            row("that to PDF, Typst, warm", timed(compiled))


def peers(ours, theirs, quills):
    quills = Path(quills).resolve()
    examples = {name: (quills / name / f"{name}.md").read_text() for name in ("taro", "usaf_memo")}
    environment = {"QUILLMARK_MCP_QUILLS_PATH": str(quills)}
    servers = {
        "ours": Server([ours, "serve", "--no-files"], environment, "/"),
        "quillmark-mcp": Server([theirs], folder="/"),
    }
    time.sleep(1)
    for name, server in servers.items():
        print(f"\n{name}: ready after {server.ready * 1000:.0f} ms\n\n| operation | first ms | median ms | p95 ms |\n|---|--:|--:|--:|")
        row("`list_quills`", timed(lambda _: server.call("list_quills")))
        row("`get_quill_info`, taro", timed(lambda _: server.call("get_quill_info", quill_name="taro")))
        row("`list_markdown_templates`", timed(lambda _: server.call("list_markdown_templates")))
        for quill, example in examples.items():
            row(f"`validate_frontmatter`, {quill}", timed(lambda _: server.call("validate_frontmatter", markdown=example)))
        for quill, example in examples.items():
            for form in ("PDF", "SVG"):
                # The other server always returns the bytes as a resource.
                more = {"bytes": "resource"} if name == "ours" else {}
                row(f"`render_document`, {quill}, {form}", timed(render(server, example, form, **more)))
        server_size, workers, count = server.resident()
        print(f"\nresident afterwards: {server_size:.0f} MiB, and {workers:.0f} MiB in {count} workers")
        server.end()


HOSTILE = {
    "reads": '#read("/etc/passwd")',
    "package": '#import "@preview/cetz:0.3.0": canvas',
    "endless": "#let n = 0\n#for a in range(100000) { for b in range(100000) { n += 1 } }",
    "pages": "#for i in range(1000000) { pagebreak() }",
    "memory": '#let a = "0123456789" * 1000000\n#let b = range(900).map(i => a + str(i))\n#b.len()',
    "deep": "#let f(n) = f(n + 1)\n#f(0)",
    "forever": "#while true {}",
    "broken": "#let x = (",
    "outside": '#image("../../secret.png")',
    "panics": '#panic("no")',
}


def memory(program):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, plate in HOSTILE.items():
            quill = Path(folder, "quills", name)
            quill.mkdir(parents=True)
            head = '#import "@local/quillmark-helper:0.2.0" as qm\n'
            (quill / "plate.typ").write_text(head + plate)
            (quill / "Quill.yaml").write_text(f"quill: {{name: {name}, backend: typst, description: Hostile}}\n")
        Path(folder, "proofmark.toml").write_text("[render]\ntimeout_seconds = 5\nmemory_mib = 512\n")
        letter = (ROOT / "examples/letter.md").read_text()
        server = Server([program, "serve", "--no-files"], folder=folder)

        def good(number):
            text = letter.replace("Our visit", f"Our visit no. {number}")
            return succeeded(server.call("render_document", markdown=text, bytes="resource"))

        def bad(name):
            return succeeded(server.call("render_document", markdown=f"---\nQUILL: {name}\n---\n"))

        def load(first, hostile):
            jobs = [(good, first + number, True) for number in range(200 - len(hostile))]
            for index, name in enumerate(hostile):
                jobs.insert(index * 19, (bad, name, False))
            with ThreadPoolExecutor(8) as threads:
                outcomes = list(threads.map(lambda job: job[0](job[1]) == job[2], jobs))
            assert all(outcomes), outcomes

        print("| after | server MiB | workers MiB | workers |\n|---|--:|--:|--:|")

        def show(what):
            time.sleep(2)
            server_size, workers, count = server.resident()
            print(f"| {what} | {server_size:.1f} | {workers:.1f} | {count} |", flush=True)

        show("start")
        load(0, [])
        show("200 good ones")
        start = time.perf_counter()
        for turn in range(1, 6):
            load(turn * 1000, list(HOSTILE))
            show(f"{turn} × 200 with ten hostile ones")
        print(f"\n5 × 200 took {time.perf_counter() - start - 10:.1f} s")
        server.end()


if __name__ == "__main__":
    commands = {"times": times, "memory": memory, "targets": targets, "peers": peers}
    if len(sys.argv) < 3 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*[os.path.abspath(argument) for argument in sys.argv[2:]])
