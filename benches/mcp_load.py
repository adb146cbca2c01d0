#!/usr/bin/env python3
"""Load on the service over HTTP: `validate` of 5 KB at a fixed rate, latency and resident memory.

  benches/mcp_load.py PROGRAM [--rate 200] [--calls 4000] [--connections 4]

Starts `PROGRAM serve --http` on a free port and stops it again. A call counts from the request written to
the answer read; one that is due while its connection still waits is late by that much less. Standard
library only.
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


def request(number):
    call = {"name": "validate", "arguments": {"text": document(number), "kind": "markdown"}}
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
    options = parser.parse_args()
    port = free_port()
    command = [options.program, "--isolated", "serve", "--no-files", "--http", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        connections = [connect(port) for _ in range(options.connections)]
        memory, latencies, lock, start = [resident(process)], [], threading.Lock(), time.perf_counter()
        numbers = iter(range(options.calls))

        def work(connection):
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                message = request(number)
                time.sleep(max(0, start + number / options.rate - time.perf_counter()))
                begin = time.perf_counter()
                exchange(connection, message)
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
    latencies.sort()
    at = lambda share: latencies[min(len(latencies) - 1, int(len(latencies) * share))] * 1000
    print(f"{len(latencies)} of {options.calls} calls at {options.rate:g}/s: "
          f"p50 {at(0.5):.2f} ms, p99 {at(0.99):.2f} ms, longest {at(1):.2f} ms")
    print("resident at the start and after each quarter, MiB:", ", ".join(f"{kib / 1024:.1f}" for kib in memory))
    if len(latencies) != options.calls:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
