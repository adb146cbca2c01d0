#!/usr/bin/env python3
"""What a repair session costs an agent: the bytes that a client of the service sends and receives.

  benches/repair_session.py PROGRAM [--answers both|text|structured] FILE...

Starts `PROGRAM serve` over stdio and repairs each file as an agent would that has only the tools: it reads the list of
tools once; for each document it calls `validate`, and while there are errors, `fix_text` with unsafe fixes, at most
three times. Prints a line for each document and the sums. Standard library only.
"""
import argparse
import json
import pathlib
import subprocess


class Client:
    """A client over stdio that counts bytes."""

    def __init__(self, program, answers):
        options = ["--answers", answers] if answers else []
        self.process = subprocess.Popen([program, "serve", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.sent = self.received = self.number = 0
        self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}})
        self.write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def write(self, message):
        line = json.dumps(message, ensure_ascii=False).encode() + b"\n"
        self.sent += len(line)
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def call(self, method, params):
        self.number += 1
        self.write({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            assert line, "the service ended"
            self.received += len(line)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer.get("result") or answer

    def tool(self, tool, **arguments):
        return self.call("tools/call", {"name": tool, "arguments": arguments}).get("structuredContent") or {}


def repair(client, path):
    """Repairs a document; returns the calls, and whether it is valid in the end."""
    text = path.read_text()
    answer = client.tool("validate", text=text, name=path.name)
    calls = 1
    while not answer.get("valid") and calls < 4:
        fixed = client.tool("fix_text", text=text, name=path.name, unsafe=True)
        calls += 1
        after = fixed.get("text")
        if not after or after == text:
            break
        text, answer = after, fixed
    return calls, bool(answer.get("valid"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--answers", choices=["both", "text", "structured"])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    client = Client(given.program, given.answers)
    print(f"start            received {client.received:7}  sent {client.sent:6}")
    at = client.received, client.sent
    client.call("tools/list", {})
    print(f"tools/list       received {client.received - at[0]:7}  sent {client.sent - at[1]:6}")
    for path in given.files:
        at = client.received, client.sent
        calls, valid = repair(client, path)
        print(f"{path.name:16} received {client.received - at[0]:7}  sent {client.sent - at[1]:6}  calls {calls}  {'valid' if valid else 'not valid'}")
    print(f"in all           received {client.received:7}  sent {client.sent:6}")
    client.process.stdin.close()


if __name__ == "__main__":
    main()
