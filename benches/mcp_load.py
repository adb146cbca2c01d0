#!/usr/bin/env python3
"""Load on the service over HTTP: latency and resident memory.

  benches/mcp_load.py PROGRAM [--rate 200] [--calls 4000] [--connections 4]
  benches/mcp_load.py PROGRAM --mixed --calls 20000
  benches/mcp_load.py PROGRAM --hostile [--rate 20]

Starts `PROGRAM serve --http` on a free port and stops it again. A call counts from the request written to
the answer read; one that is due while its connection still waits is late by that much less. Without a further option
all calls are `validate` of 5 KB at a fixed rate. `--mixed` makes calls of several tools, small and large, without
pauses. `--hostile` makes ordinary calls while 16 hostile ones of a sort run at the same time, for each sort: what they
take longer than on the idle service, and the most memory. Standard library only.
"""
import argparse
import json
import socket
import subprocess
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def document(number):
    """5 KB of Markdown, different for every number so that no answer comes from a cache."""
    text = f"---\ntitle: Report {number}\nauthor: Ann\ntags: [a, b]\n---\n\n# Heading\n\n"
    while len(text) < 5 * 1024:
        text += "A paragraph of prose with *emphasis* and `code`, as reports have them.\n\n"
    return text


def request(number, tool="validate", arguments=None):
    arguments = arguments or {"text": document(number), "kind": "markdown"}
    call = {"name": tool, "arguments": arguments}
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}).encode()
    head = ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
            f"Content-Length: {len(body)}\r\n\r\n")
    return head.encode() + body


def exchange(connection, message):
    connection.sendall(message)
    answer = b""
    while not whole(answer):
        more = connection.recv(65536)
        if not more:
            raise ConnectionError("the service has closed the connection")
        answer += more
    if not answer.startswith(b"HTTP/1.1 200"):
        raise ConnectionError(answer[:200].decode(errors="replace"))
    return answer.partition(b"\r\n\r\n")[2]


def whole(answer):
    head, found, body = answer.partition(b"\r\n\r\n")
    if not found:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.split(b":")[1])
    return body.endswith(b"0\r\n\r\n")


def resident(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def peak(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))


def numbered(form, size, head=""):
    made, length, number = [head], len(head), 0
    while length < size:
        made.append(form.replace("#N", str(number)))
        length += len(made[-1])
        number += 1
    return "".join(made)


RULE = ("  - id: XX#N\n    name: rule-#N\n    severity: error\n    since: 0.1.0\n    given: $\n    message: m\n"
        "    explain: Because.\n    check: ")
RULES = "version: 1\nkinds: [yaml]\nrules:\n"
FLOW = ("id: app\nflows:\n  - id: f\n    variables: [{id: a, type: text}]\n    inputs: [a]\n    outputs: [a]\n"
        "    steps:\n")


def doubled(times):
    """A schema whose evaluation takes 2 to the power of `times` steps, unless results are remembered."""
    schema = {"type": "string"}
    definitions = {"a0": schema}
    for number in range(1, times):
        part = {"$ref": f"#/$defs/a{number - 1}"}
        definitions[f"a{number}"] = {"allOf": [part, part]}
    return json.dumps({"$defs": definitions, "$ref": f"#/$defs/a{times - 1}"})


def hostile_calls():
    """Sorts of hostile calls: a tool with arguments."""
    validate = lambda kind, text: ("validate", {"kind": kind, "text": text})
    fence = lambda text: "```mermaid\n" + text + "\n```\n\n"
    return {
        "mindmap of 8 KB with many roots": validate("mermaid", "mindmap\n" + "a\n" * 4_000),
        "mindmap of 64 KB with open brackets": validate("mermaid", "mindmap\n" + "(\n" * 32_000),
        "flowchart with 256 KB of `{`": validate("mermaid", "flowchart TD\n" + "{" * 256_000),
        "four flowcharts of `<`, 1 MB": validate("markdown", fence("flowchart TD\n" + "<" * 240_000) * 4),
        "1 MB with one key": validate("yaml", "k: v\n" * 200_000),
        "1 MB of keys of a configuration": validate("config", numbered("key#N = 1\n", 1_000_000)),
        "1 MB of names of rules": validate("config", numbered('XX#N = "off"\n', 1_000_000, "[rules]\n")),
        "1 MB of rules": validate("rulefile", numbered(RULE + "{required: a}\n", 1_000_000, RULES)),
        "3,000 patterns": validate("rulefile", numbered(RULE + "{pattern: '\\pL{500}#N'}\n", 500_000, RULES)),
        "a schema doubled 40 times": validate("rulefile", RULES + RULE.replace("#N", "001") + "{schema: {schema: "
                                              + doubled(40) + "}}\n    examples: [{invalid: {source: 'a: 1'}}]\n"),
        "300 KB of wrong references": validate("qtype", numbered(
            "      - {id: s#N, type: LLMInference, model: m#N, inputs: [b#N], outputs: [c#N]}\n", 300_000, FLOW)),
        "1 MB of unknown keys": validate("qtype", numbered("key#N: 1\n", 1_000_000, "id: app\n")),
        "two ids of 200 KB": validate("qtype", "id: app\nmodels:\n  - {type: Model, provider: openai, id: "
                                      + "x" * 200_000 + ", auth: " + "x" * 200_000 + "y}\n"),
        "300 KB of placeholders": validate("qtype", FLOW + '      - {id: s, type: PromptTemplate, template: "'
                                           + numbered("{x#N}", 300_000) + '", inputs: [a], outputs: [a]}\n'),
        "1 MB of link references": ("validate_frontmatter", {"markdown": numbered("[a#N]: b\n", 1_000_000)}),
        "1 MB of footnotes": ("validate_frontmatter", {"markdown": numbered("[^#N]: note\n\n", 1_000_000)}),
    }


def mixed_call(number):
    """One call of a mix; a hundredth of them are large."""
    text = document(number)
    if number % 100 == 50:
        return "validate", {"kind": "markdown", "text": text * 50}
    if number % 500 == 7:
        return "validate", {"kind": "yaml", "text": "k: v\n" * 20_000}
    calls = [
        ("validate", {"kind": "markdown", "text": text}),
        ("validate", {"kind": "yaml", "text": f"a: {number}\nb: [1, 2\n"}),
        ("validate", {"kind": "mermaid", "text": f"flowchart TD\n  a{number} --> b\n  b -> c\n"}),
        ("validate", {"kind": "qtype", "text": f"id: app{number}\nflows: []\n"}),
        ("validate", {"kind": "json", "text": '{"a": ' + str(number) + ",}"}),
        ("explain_error", {"id": "YM301"}),
    ]
    return calls[number % len(calls)]


def start(program):
    port = free_port()
    command = [program, "--isolated", "serve", "--no-files", "--http", f"127.0.0.1:{port}"]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL), port


def at(latencies, share):
    latencies = sorted(latencies)
    return latencies[min(len(latencies) - 1, int(len(latencies) * share))] * 1000


def failed(answer):
    """Why a call failed, where it did."""
    lines = [line.removeprefix(b"data: ") for line in answer.splitlines() if b"{" in line]
    message = json.loads(lines[-1])
    if "error" in message or message["result"].get("isError"):
        return json.dumps(message)[:300]
    return None


def ordinary(port, rate, until):
    """The latencies of ordinary calls at a rate until an event, and how many failed."""
    latencies, errors, number = [], 0, 0
    connection, begin = connect(port), time.perf_counter()
    while not until(number):
        time.sleep(max(0, begin + number / rate - time.perf_counter()))
        sent = time.perf_counter()
        try:
            errors += failed(exchange(connection, request(number))) is not None
        except (OSError, ValueError, StopIteration):
            errors += 1
            connection = connect(port)
        latencies.append(time.perf_counter() - sent)
        number += 1
    return latencies, errors


def under_attack(program, rate):
    print("| 16 calls at the same time | idle p99, ms | p99, ms | longest, ms | ordinary calls | failed | peak, MiB | ended, s |")
    print("|---|---|---|---|---|---|---|---|")
    worst = 0
    for sort, (tool, arguments) in hostile_calls().items():
        process, port = start(program)
        try:
            idle, _ = ordinary(port, rate, lambda number: number == 100)
            begin, ended = time.perf_counter(), []

            def attack(number):
                try:
                    exchange(connect(port), request(number, tool, arguments))
                except OSError:
                    pass
                ended.append(time.perf_counter() - begin)

            threads = [threading.Thread(target=attack, args=(number,)) for number in range(16)]
            for thread in threads:
                thread.start()
            latencies, errors = ordinary(port, rate, lambda number: number >= 100 and len(ended) == len(threads))
            memory = peak(process)
        finally:
            process.terminate()
            process.wait()
        worst = max(worst, at(latencies, 0.99) - at(idle, 0.99))
        print(f"| {sort} | {at(idle, 0.99):.0f} | {at(latencies, 0.99):.0f} | {at(latencies, 1):.0f} | {len(latencies)} "
              f"| {errors} | {memory / 1024:.0f} | {max(ended):.1f} |", flush=True)
    print(f"the 99th percentile rises by at most {worst:.0f} ms")
    if worst > 500:
        raise SystemExit(1)


def connect(port):
    for _ in range(100):
        try:
            connection = socket.create_connection(("127.0.0.1", port))
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise SystemExit("the service does not answer")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--rate", type=float, default=200, help="calls a second")
    parser.add_argument("--calls", type=int, default=4000)
    parser.add_argument("--connections", type=int, default=4)
    parser.add_argument("--mixed", action="store_true", help="calls of several tools, without pauses")
    parser.add_argument("--hostile", action="store_true", help="ordinary calls beside hostile ones")
    options = parser.parse_args()
    if options.hostile:
        under_attack(options.program, min(options.rate, 20))
        return
    errors = []
    process, port = start(options.program)
    try:
        connections = [connect(port) for _ in range(options.connections)]
        memory, latencies, lock, begun = [resident(process)], [], threading.Lock(), time.perf_counter()
        numbers = iter(range(options.calls))

        def work(connection):
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                message = request(number, *mixed_call(number)) if options.mixed else request(number)
                if not options.mixed:
                    time.sleep(max(0, begun + number / options.rate - time.perf_counter()))
                begin = time.perf_counter()
                if wrong := failed(exchange(connection, message)):
                    errors.append(wrong)
                latencies.append(time.perf_counter() - begin)
                if number % (options.calls // 4) == options.calls // 4 - 1:
                    memory.append(resident(process))

        threads = [threading.Thread(target=work, args=(connection,)) for connection in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        process.terminate()
    rate = "without pauses" if options.mixed else f"at {options.rate:g}/s"
    print(f"{len(latencies)} of {options.calls} calls {rate}: p50 {at(latencies, 0.5):.2f} ms, "
          f"p99 {at(latencies, 0.99):.2f} ms, longest {at(latencies, 1):.2f} ms, {len(errors)} failed")
    for wrong in errors[:3]:
        print(wrong)
    print("resident at the start and after each quarter, MiB:", ", ".join(f"{kib / 1024:.1f}" for kib in memory))
    if len(latencies) != options.calls or errors:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
