#!/usr/bin/env python3
"""How long the Org tools take, called over standard input and output as an agent does, with 10,000 files of 10 KB.

    cargo build --release
    python3 benches/org_service.py make /tmp/org-files            # the files, once
    python3 benches/org_service.py times /tmp/org-files target/release/proofmark
    python3 benches/org_service.py peer /tmp/org-files org-mcp-server

The last one is the Rust server of https://github.com/szaffarano/org-mcp-server, built with `cargo build --release`. Times are
milliseconds: the processor time of the service for a call, as the mean of all calls, and the least and the median
time that passed.
"""

import argparse
import itertools
import json
import os
import random
import statistics
import subprocess
import time
from pathlib import Path

FILES, SIZE, CALLS = 10_000, 10 * 1024, 25
WORDS = """report invoice meeting garden travel budget letter window review plan the and with about before call write check house
number paper group after week""".split()


def document(number, numbers):
    """A file of 10 KB: about 40 headlines, most of them tasks, a third of them with dates, properties, tags."""
    lines = [f"#+TITLE: File {number}", f"#+FILETAGS: :f{number % 10}:"]
    size = headline = 0
    while size < SIZE:
        headline += 1
        first = len(lines)
        stars = "*" * numbers.randint(1, 3)
        title = f"{numbers.choice(WORDS)} {numbers.choice(WORDS)} {number}-{headline}"
        state = numbers.choice(["", "TODO ", "TODO ", "DONE "])
        lines.append(f"{stars} {state}{title}{numbers.choice(['', ' :work:', ' :home:urgent:'])}")
        if numbers.random() < 1 / 3:
            date = f"2026-{numbers.randint(1, 12):02}-{numbers.randint(1, 28):02}"
            lines.append(f"SCHEDULED: <{date}{numbers.choice(['', '', ' +1w'])}>")
        if numbers.random() < 1 / 3:
            lines += [":PROPERTIES:", f":ID: id-{number}-{headline}", ":Effort: 1:00", ":END:"]
        for _ in range(numbers.randint(1, 4)):
            lines.append(" ".join(numbers.choices(WORDS, k=12)) + f" w{numbers.randrange(5000)}")
        size += sum(len(line) + 1 for line in lines[first:])
    return "\n".join(lines) + "\n"


def make(folder):
    for number in range(FILES):
        path = folder / f"{number % 100:02}" / f"{number}.org"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(document(number, random.Random(number)))


class Server:
    """A service and its only client."""

    def __init__(self, command, environment=None):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
        )
        self.ids = itertools.count(1)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        number = next(self.ids)
        self.send({"id": number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == number:
                return message
        raise SystemExit(f"the service ended during {method}")

    def call(self, tool, arguments):
        """The time that passed, in milliseconds, and the answer."""
        start = time.perf_counter()
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        took = (time.perf_counter() - start) * 1e3
        if "error" in answer or answer["result"].get("isError"):
            raise SystemExit(f"{tool} {arguments}: {json.dumps(answer)[:500]}")
        return took, answer["result"]

    def processor(self):
        """The processor time of the threads that the service has now, in milliseconds; not of those that built the index."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6

    def memory(self):
        """The memory of the service, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) >> 10


def found(result):
    return (result.get("structuredContent") or {}).get("total", "")


def row(name, server, tool, arguments, calls=CALLS):
    before = server.processor()
    times, last = [], None
    for _ in range(calls):
        took, last = server.call(tool, arguments)
        times.append(took)
    processor = (server.processor() - before) / calls
    size = sum(len(part.get("text", "")) for part in last["content"])
    print(f"{name:58} {processor:9.1f} {min(times):9.1f} {statistics.median(times):9.1f} {found(last)!s:>9} {size:9}", flush=True)


HEADER = f"{'':58} {'processor':>9} {'least':>9} {'median':>9} {'found':>9} {'bytes':>9}"


def times(folder, program):
    environment = {"PROOFMARK_LOG": "error"}
    server = Server([program, "serve", "--toolsets", "org", "--root", str(folder)], environment)
    print(HEADER)
    row("first query", server, "org_search_headlines", {"query": "7777-3"}, calls=1)
    identifier = next(
        line.split()[1] for line in (folder / "00" / "9000.org").read_text().splitlines() if line.startswith(":ID:")
    )
    march = {"from": "2026-03-01", "to": "2026-03-31"}
    week = {"from": "2026-03-01", "to": "2026-03-07"}
    queries = [
        ("a rare word in the title", "org_search_headlines", {"query": "7777-3"}),
        ("two words in the title, the first 200", "org_search_headlines", {"query": "garden travel", "limit": 200}),
        ("two words in the title, the first 50", "org_search_headlines", {"query": "garden travel", "limit": 50}),
        ("all open tasks, the first 50", "org_get_todos", {"limit": 50}),
        ("open tasks with a tag, in a week, the first 50", "org_get_todos", {"tags": ["urgent"], "scheduled": week, "limit": 50}),
        ("open tasks with two tags, in a month", "org_get_todos", {"tags": ["urgent", "f3"], "scheduled": march}),
        ("closed tasks with a property, at most two stars", "org_get_todos",
         {"states": ["DONE"], "properties": {"Effort": "1:00"}, "level": {"max": 2}}),
        ("lines with a rare word, the first 50", "org_search_content", {"query": "w4321", "limit": 50}),
        ("lines with a rare word and a space after it", "org_search_content", {"query": "w4321 "}),
        ("lines with a frequent word, the first 50", "org_search_content", {"query": "invoice", "limit": 50}),
        ("headlines whose section has a rare word", "org_search_headlines", {"query": "", "text": "w4321"}),
        ("agenda of a week and all that is overdue, the first 50", "org_get_agenda_items",
         {"from": "2026-05-01", "days": 7, "limit": 50}),
        ("agenda of a week and all that is overdue, the first 200", "org_get_agenda_items",
         {"from": "2026-05-01", "days": 7, "limit": 200}),
        ("properties of a headline by its ID", "org_get_properties", {"resourceUri": f"org://id/{identifier}"}),
        ("the configuration of TODO keywords", "org_get_todo_config", {}),
        ("the configuration of tags", "org_get_tag_config", {}),
    ]
    for name, tool, arguments in queries:
        row(name, server, tool, arguments)
    after = []
    for version in range(CALLS):
        (folder / "42" / "4242.org").write_text(document(4242, random.Random(version)))
        after.append(server.call("org_search_headlines", {"query": "4242-1"})[0])
    print(f"{'a query after the change of one file':58} {'':9} {min(after):9.1f} {statistics.median(after):9.1f}")
    print(f"memory: {server.memory()} MiB")


def peer(folder, program):
    server = Server([program, "--root-directory", str(folder)])
    print(HEADER)
    row("all files", server, "org-file-list", {}, calls=3)
    row("fuzzy search for a rare word, the first 50", server, "org-search", {"query": "w4321", "limit": 50}, calls=3)
    row("agenda of a week", server, "org-agenda",
        {"mode": "view", "start_date": "2026-05-01", "end_date": "2026-05-07", "limit": 50}, calls=3)
    print(f"memory: {server.memory()} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "times", "peer"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("program", nargs="?")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.folder)
    else:
        {"times": times, "peer": peer}[arguments.what](arguments.folder, arguments.program)


if __name__ == "__main__":
    main()
