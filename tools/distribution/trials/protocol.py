"""Clients of the two servers: the Model Context Protocol over pipes and HTTP, the Language Server Protocol over pipes."""

from __future__ import annotations

import json
import subprocess
import threading
import time
import urllib.error
import urllib.request

BROKEN = "---\ntitle: Part 1: the plan\n---\n\n# Plan\n"
VERSION = "2025-06-18"
SECONDS = 60


def _request(number: int, method: str, parameters: dict) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}


def _calls() -> list[dict]:
    """The questions that each server is asked, after the handshake."""
    return [
        _request(2, "tools/list", {}),
        _request(3, "tools/call", {"name": "validate", "arguments": {"text": BROKEN, "kind": "markdown"}}),
        _request(4, "tools/call", {"name": "fix_text", "arguments": {"text": BROKEN, "kind": "markdown"}}),
    ]


def _initialize() -> dict:
    client = {"name": "tools/dist-test", "version": "1"}
    return _request(1, "initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})


class Pipes:
    """A server on standard input and output, ended if it does not answer in time."""

    def __init__(self, process: subprocess.Popen) -> None:
        self.process = process
        self.timer = threading.Timer(SECONDS, process.kill)
        self.timer.start()

    def __enter__(self) -> Pipes:
        return self

    def __exit__(self, *_: object) -> None:
        self.timer.cancel()
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def write(self, content: bytes) -> None:
        """Sends bytes."""
        self.process.stdin.write(content)
        self.process.stdin.flush()


def mcp(process: subprocess.Popen) -> list:
    """Asks a server of the Model Context Protocol over pipes, and returns its answers."""
    answers = []
    with Pipes(process) as server:
        messages = [_initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}, *_calls()]
        for message in messages:
            server.write(json.dumps(message).encode() + b"\n")
            while "id" in message:
                line = server.process.stdout.readline()
                if not line:
                    raise AssertionError(f"the server ended before it answered {message['method']}")
                answer = json.loads(line)
                if answer.get("id") == message["id"]:
                    answers.append(answer)
                    break
    return answers


def mcp_over_http(address: str, token: str) -> list:
    """Asks a server over HTTP, and returns its answers; waits until it listens."""
    for _ in range(SECONDS * 10):
        try:
            urllib.request.urlopen(f"{address}/health", timeout=5).close()
            break
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    answers = []
    for message in [_initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}, *_calls()]:
        request = urllib.request.Request(f"{address}/mcp", json.dumps(message).encode(), headers)
        with urllib.request.urlopen(request, timeout=SECONDS) as response:
            if session := response.headers.get("Mcp-Session-Id"):
                headers["Mcp-Session-Id"] = session
                headers["MCP-Protocol-Version"] = VERSION
            text = response.read().decode()
        # An answer is JSON, or one event with JSON.
        for line in text.splitlines():
            content = line.removeprefix("data:").strip()
            if content.startswith("{") and "id" in json.loads(content):
                answers.append(json.loads(content))
    return answers


def _frame(message: dict) -> bytes:
    content = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(content) + content


def lsp(process: subprocess.Popen) -> dict:
    """Opens a document with a language server, and returns its diagnostics."""
    uri = "file:///plan.md"
    document = {"uri": uri, "languageId": "markdown", "version": 1, "text": BROKEN}

    def read() -> dict:
        length = 0
        while line := server.process.stdout.readline().strip():
            name, _, value = line.decode().partition(":")
            length = int(value) if name.lower() == "content-length" else length
        return json.loads(server.process.stdout.read(length))

    def answer(number: int) -> dict:
        while True:
            message = read()
            if message.get("id") == number and "method" not in message:
                return message
            if "method" in message and "id" in message:
                server.write(_frame({"jsonrpc": "2.0", "id": message["id"], "result": None}))

    with Pipes(process) as server:
        diagnostics = {"textDocument": {"diagnostic": {"dynamicRegistration": False}}}
        server.write(
            _frame(_request(1, "initialize", {"processId": None, "rootUri": None, "capabilities": diagnostics}))
        )
        about = answer(1)["result"]["serverInfo"]
        server.write(_frame({"jsonrpc": "2.0", "method": "initialized", "params": {}}))
        server.write(_frame({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}}))
        server.write(_frame(_request(2, "textDocument/diagnostic", {"textDocument": {"uri": uri}})))
        found = answer(2)["result"]
        server.write(_frame({"jsonrpc": "2.0", "id": 3, "method": "shutdown"}))
        answer(3)
        server.write(_frame({"jsonrpc": "2.0", "method": "exit"}))
    return {"server": about, "items": found["items"]}
