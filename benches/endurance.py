#!/usr/bin/env python3
"""Very many mixed calls of one service: errors, and whether its memory stays the same.

  benches/endurance.py PROGRAM [--calls 100000] [--connections 4] [--worker PROGRAM]

Validates, fixes, converts to web pages, presentations and Markdown, changes and moves Org headlines and searches them, over
HTTP; draws diagrams and renders letters where `--worker` names the program that renders. One call in 50 is hostile: it has to be
refused or ended, and is not an error. Memory is what the process holds (`VmRSS`) at rest, some seconds after each fifth of the
calls: while they run it shows the hostile ones. It passes when there are no errors, and memory is never more than 20 % above that
after the first fifth. Standard library only; Linux.
"""
import argparse
import http.client
import itertools
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

HEADLINES = 10
# Parts that the calls are made in, and seconds of rest after each: threads of the service that have nothing to do end after ten.
PARTS, REST = 5, 15
FLOWCHART = "flowchart LR\n  A[Start %d] --> B{Choice}\n  B -->|yes| C\n  B -->|no| D\n"
PAGE = "---\ntitle: Page %d\nauthor: Ann\n---\n\n## One {#sec-one}\n\nWords with *emphasis*, `code` and [a link](https://example.org).\n\n" \
       "| a | b |\n|---|---|\n| 1 | 2 |\n\n::: {.callout-note}\nA note.\n:::\n\n{{< lipsum 3 >}}\n\nSee @sec-one.\n"
LETTER = "---\nQUILL: letter\nsender: Ann\nrecipient: Ben\nsubject: Number %d\n---\n\nWords with *emphasis* and $x^2$.\n"
HOSTILE = ["---\na: " + "x" * 2_000 + "\n---\n\n" + "{{< meta a >}} " * 100_000, "*a_b" * 50_000, "{{< lipsum 100 >}}\n\n" * 1_000,
           "[" * 50_000, "> " * 50_000]


class Client:
    """A connection to the service."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def connect_again(self):
        self.connection.close()

    def call(self, number, tool, arguments):
        """The result of a call, or a string that says what went wrong."""
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        self.connection.request("POST", "/mcp", json.dumps(message), {
            "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25", "Host": "localhost"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            return f"status {answer.status}"
        lines = [line.removeprefix(b"data: ") for line in body.splitlines() if b"{" in line]
        message = json.loads(lines[-1])
        if "error" in message:
            return json.dumps(message["error"])
        return json.dumps(message["result"]["content"])[:300] if message["result"].get("isError") else message["result"]


def headline(file, number):
    return f"* TODO Task {file}-{number}\n:PROPERTIES:\n:ID: {file}-{number}\n:END:\nSome text.\n"


def calls(numbers, folder, thread, draws):
    """The next call of a client: its tool and its arguments, and whether it may be refused."""
    # Each client has files of its own, so that no change is refused because of another one.
    file = thread
    step = numbers.randrange(50)
    count = numbers.randrange(1_000_000)
    uri = f"org://id/{file}-{numbers.randrange(HEADLINES)}"
    if step == 0:
        path = str(folder / f"hostile-{thread}.html")
        return "quarto_render", {"content": numbers.choice(HOSTILE), "format": "html", "output_path": path}, True
    if step < 18:
        text = f"---\ntitle: Report {count}\n---\n\n# Heading\n\n" + "A paragraph of prose.\n\n" * numbers.randrange(1, 200)
        return "validate", {"text": text, "kind": "markdown"}, False
    if step < 22:
        return "validate", {"text": f"a: {count}\nb: [1, 2\n", "kind": "yaml"}, False
    if step < 26:
        return "quarto_validate_mermaid", {"content": FLOWCHART % count}, False
    if step < 34:
        form, ending = numbers.choice([("html", "html"), ("pptx", "pptx"), ("gfm", "md"), ("revealjs", "html"), ("ipynb", "ipynb")])
        return "quarto_render", {"content": PAGE % count, "format": form, "output_path": str(folder / f"{thread}.{ending}"), "overwrite": True}, False
    if step < 37:
        return "org_search_content", {"query": f"text {count % 7}"}, False
    if step < 40:
        return "org_get_todos", {"limit": 20}, False
    if step < 44:
        return "org_set_properties", {"resourceUri": uri, "properties": {"COUNT": str(count)}}, False
    if step < 47:
        return "org_refile", {"resourceUri": uri, "targetUri": f"org://{numbers.choice(['a', 'b'])}{thread}.org"}, False
    if step < 49 or not draws:
        return "org_edit_body", {"resourceUri": uri, "newText": f"Text {count}.\n"}, False
    if count % 2:
        return "draw_diagram", {"text": FLOWCHART % count}, False
    return "render_document", {"markdown": LETTER % count, "output_format": numbers.choice(["pdf", "svg", "html"])}, False


def memory(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--worker", help="the program that renders")
    options = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for thread in range(options.connections):
            own = "".join(headline(thread, number) for number in range(HEADLINES))
            (folder / f"a{thread}.org").write_text(own, encoding="utf-8")
            (folder / f"b{thread}.org").write_text("* Other\n", encoding="utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": name}
        if options.worker:
            environment["PROOFMARK_RENDER_WORKER"] = str(pathlib.Path(options.worker).resolve())
        process = subprocess.Popen(
            [str(pathlib.Path(options.program).resolve()), "--isolated", "serve", "--http", f"127.0.0.1:{port}", "--root", name, "--toolsets",
             "core,repair,quarto,org,mermaid,quills"], cwd=name, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            passed = run(options, port, folder, process)
        finally:
            process.kill()
            process.wait()
    sys.exit(0 if passed else 1)


def run(options, port, folder, process):
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except ConnectionRefusedError:
            time.sleep(0.05)
    every = max(options.calls // 10, 1)
    done, errors, at_rest, lock = itertools.count(1), [], [], threading.Lock()
    refused = itertools.count()
    begin = time.perf_counter()

    def work(thread, client, numbers):
        # The service may have closed a connection that was not used while others were at work.
        client.connect_again()
        for _ in range(options.calls // PARTS // options.connections):
            number = next(done)
            tool, arguments, may_be_refused = calls(numbers, folder, thread, options.worker)
            try:
                result = client.call(number, tool, arguments)
            except (OSError, http.client.HTTPException, ValueError) as error:
                result = repr(error)
                client.connect_again()
            if isinstance(result, str):
                if may_be_refused:
                    next(refused)
                else:
                    with lock:
                        errors.append(f"{tool}: {result}")
            if number % every == 0:
                print(f"{number} calls, {time.perf_counter() - begin:.0f} s, {memory(process):.0f} MiB, {len(errors)} errors", flush=True)

    clients = [(thread, Client(port), random.Random(thread)) for thread in range(options.connections)]
    for _ in range(PARTS):
        threads = [threading.Thread(target=work, args=client) for client in clients]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # What hostile calls needed is given back a moment after the last answer.
        time.sleep(REST)
        at_rest.append(memory(process))
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.org")]
    ids = sorted(line for text in texts for line in text.splitlines() if line.startswith(":ID:"))
    wanted = sorted(f":ID: {thread}-{number}" for thread in range(options.connections) for number in range(HEADLINES))
    print(f"{options.calls} calls in {time.perf_counter() - begin:.0f} s: {len(errors)} errors, {next(refused)} hostile calls refused")
    print("memory at rest after each fifth, MiB: " + ", ".join(f"{size:.0f}" for size in at_rest))
    print(f"headlines kept: {ids == wanted}")
    for error in errors[:5]:
        print(error[:300])
    return not errors and max(at_rest) <= 1.2 * at_rest[0] and ids == wanted


if __name__ == "__main__":
    main()
