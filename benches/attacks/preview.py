"""Attacks on the server of `render --watch --serve`: pages of other sites, slow clients, and event streams that stay open."""
import contextlib
import os
import re
import socket
import subprocess
import time

from harness import HUNG, Case, Outcome


class Preview:
    """`render --watch --serve`; ended with the block. The page is there without the program that renders, too."""

    def __init__(self, place):
        place.write("t.md", "---\nQUILL: letter\n---\n\nText.\n")
        variables = {"PATH": os.environ["PATH"], "HOME": str(place.folder)}
        self.log = place.folder / "preview.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen([place.program, "--isolated", "render", "t.md", "--watch", "--serve"], cwd=place.folder,
                                            env=variables, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end = time.monotonic() + HUNG
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", self.log.read_text(encoding="utf-8"))):
            if self.process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(self.log.read_text(encoding="utf-8"))
            time.sleep(0.05)
        self.port = int(found[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def open(self, path, head=""):
        """A connection on which a page is asked for."""
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=3)
        host = "" if "Host:" in head else f"Host: 127.0.0.1:{self.port}\r\n"
        connection.sendall(f"GET {path} HTTP/1.1\r\n{host}{head}Connection: close\r\n\r\n".encode())
        return connection

    def get(self, path, head=""):
        """The status, 0 for none, and the whole answer."""
        answer = b""
        try:
            with self.open(path, head) as connection:
                while more := connection.recv(65536):
                    answer += more
        except OSError:
            pass
        return (int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0), answer.decode(errors="replace")


def refused(name, head, path="/"):
    def attempt(place):
        with Preview(place) as preview:
            own, _ = preview.get(path)
            status, _ = preview.get(path, head.replace("PORT", str(preview.port)))
        return Outcome(own in (200, 404) and status in (400, 403), f"{status}; an ordinary request has {own}")

    return Case("A12 preview", name, "refused", attempt)


def policies(place):
    with Preview(place) as preview:
        _, answer = preview.get("/")
    head = answer.partition("\r\n\r\n")[0].lower()
    missing = [text for text in ("frame-ancestors 'none'", "x-frame-options: deny", "cross-origin-resource-policy: same-origin",
                                 "x-content-type-options: nosniff") if text not in head]
    return Outcome(head.startswith("http/1.1 200") and not missing, f"missing: {missing}")


def tries(preview, count=14):
    statuses = []
    for _ in range(count):
        statuses.append(preview.get("/")[0])
        time.sleep(0.5)
    return statuses


def slow_clients(place):
    with Preview(place) as preview, contextlib.ExitStack() as held:
        slow = [held.enter_context(socket.create_connection(("127.0.0.1", preview.port))) for _ in range(100)]
        for connection in slow:
            connection.sendall(b"GET / HT")
        statuses = tries(preview)
    return Outcome(set(statuses) == {200}, f"{statuses.count(200)} of {len(statuses)} tries answered")


def open_streams(place):
    with Preview(place) as preview, contextlib.ExitStack() as held:
        for _ in range(100):
            with contextlib.suppress(OSError):
                held.enter_context(preview.open("/events"))
        statuses = tries(preview, 4)
    return Outcome(set(statuses) == {200}, f"{statuses.count(200)} of {len(statuses)} tries answered")


CASES = [
    refused("two Hosts, own first", "Host: 127.0.0.1:PORT\r\nHost: evil.example\r\n"),
    refused("a foreign Host", "Host: evil.example\r\n"),
    refused("a foreign Origin", "Origin: https://evil.example\r\n"),
    refused("a page of another site loads /1.svg (Sec-Fetch-Site: cross-site)", "Sec-Fetch-Site: cross-site\r\n", "/1.svg"),
    Case("A12 preview", "the page in a frame of another site", "frame-ancestors, X-Frame-Options, Cross-Origin-Resource-Policy", policies),
    Case("A12 preview", "100 connections that send the beginning of a head", "the page is still there", slow_clients),
    Case("A12 preview", "100 open event streams", "the page is still there", open_streams),
]
