"""What the attacks share: cases, a run of the program, a service to call."""
import dataclasses
import json
import os
import pathlib
import queue
import resource
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable

# The repository.
ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20
# An attack is bounded when it has an answer within this and takes no more memory: seconds and MiB.
SECONDS, MEMORY = 10, 1024
# Seconds after which a run is ended.
HUNG = 60


@dataclasses.dataclass(frozen=True)
class Place:
    """Where an attack runs: the programs, and an empty folder of its own."""

    program: str
    # The program that renders; None where it was not given.
    worker: str | None
    folder: pathlib.Path

    def write(self, name, text):
        """A file in the folder, with the folders that it needs."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path


@dataclasses.dataclass(frozen=True)
class Outcome:
    """Whether the program kept its bound, and what was measured."""

    passed: bool
    measured: str


@dataclasses.dataclass(frozen=True)
class Case:
    """An attack: the group and the name that the review gave it, what has to hold, and how to try it."""

    group: str
    name: str
    bound: str
    attempt: Callable[[Place], Outcome]
    needs_worker: bool = False


@dataclasses.dataclass(frozen=True)
class Ran:
    """What a run of the program gave. The exit code is negative when a signal ended it, as after `HUNG` seconds."""

    code: int
    out: bytes
    err: bytes
    # Seconds of the processor, of all threads and ended children.
    seconds: float
    wall: float
    mib: float

    @property
    def text(self):
        """All that it wrote."""
        return (self.out + self.err).decode(errors="replace")

    @property
    def cost(self):
        return f"{self.seconds:.1f} s, {self.mib:.0f} MiB, exit code {self.code}"

    def within(self, seconds=SECONDS, mib=MEMORY):
        return self.code in (0, 1, 2) and self.seconds <= seconds and self.mib <= mib


def run(place, *arguments, stdin=b"", folder=None, environment=None, files=None):
    """Runs the program in the folder of the attack; `environment` is added to an almost empty one, `files` limits open ones."""
    variables = {"PATH": os.environ["PATH"], "HOME": str(place.folder), **(environment or {})}
    limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
    begin = time.perf_counter()
    process = subprocess.Popen([place.program, *map(str, arguments)], cwd=folder or place.folder, env=variables,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
    written = {}
    readers = [threading.Thread(target=lambda name=name, pipe=pipe: written.update({name: pipe.read()}))
               for name, pipe in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    hung = threading.Timer(HUNG, process.kill)
    hung.start()
    try:
        process.stdin.write(stdin)
        process.stdin.close()
    except BrokenPipeError:
        pass
    _, status, used = os.wait4(process.pid, 0)
    hung.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    for reader in readers:
        reader.join()
    if process.returncode == 2 and b"Usage: " in written["err"]:
        raise ValueError(written["err"].decode(errors="replace"))
    return Ran(process.returncode, written["out"], written["err"], used.ru_utime + used.ru_stime,
               time.perf_counter() - begin, used.ru_maxrss / 1024)


def answered(ran, seconds=SECONDS, mib=MEMORY):
    """The outcome of a run that has to end within a bound."""
    return Outcome(ran.within(seconds, mib), ran.cost)


def bounded(group, name, arguments, files=None, stdin=b"", seconds=SECONDS, mib=MEMORY):
    """A run of the program with files, which has to end by itself within a bound. `files` are made by the attack, and the path
    of each is relative to its folder; they, their texts, and the arguments may be functions."""

    def attempt(place):
        for path, text in (files() if callable(files) else files or {}).items():
            place.write(path, text() if callable(text) else text)
        made = arguments(place) if callable(arguments) else arguments
        return answered(run(place, *made, stdin=stdin() if callable(stdin) else stdin), seconds, mib)

    return Case(group, name, f"{seconds} s, {mib} MiB", attempt)


class Service:
    """`serve`, over HTTP or standard input; ended with the block."""

    # Options before the command: without a configuration, unless a subclass needs one.
    GENERAL = ("--isolated",)

    def __init__(self, place, *arguments, http=True, environment=None, files=None):
        self.place, self.port, self.number = place, None, 0
        command = [place.program, *self.GENERAL, "serve", *map(str, arguments)]
        if http:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            command += ["--http", f"127.0.0.1:{self.port}"]
        variables = {"PATH": os.environ["PATH"], "HOME": str(place.folder), **(environment or {})}
        limit = (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))) if files else None
        self.log = place.folder / "service.log"
        self.process = subprocess.Popen(command, cwd=place.folder, env=variables, stdin=subprocess.PIPE, preexec_fn=limit,
                                        stdout=subprocess.DEVNULL if http else subprocess.PIPE, stderr=self.log.open("wb"))
        self.lines = queue.Queue()
        if http:
            self.connect().close()
        else:
            threading.Thread(target=lambda: [self.lines.put(line) for line in self.process.stdout], daemon=True).start()
            self.call_method("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                            "clientInfo": {"name": "attacks", "version": "1"}})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def connect(self, timeout=HUNG):
        """A connection to the service, which is waited for."""
        until = time.monotonic() + HUNG
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise
                time.sleep(0.05)

    def send(self, message):
        """Writes a line to standard input: bytes as they are, everything else as JSON."""
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def read(self, timeout=HUNG):
        """The next message of standard output; None when there is none in time."""
        try:
            return json.loads(self.lines.get(timeout=timeout))
        except queue.Empty:
            return None

    def call_method(self, method, params):
        """The answer to a request: the whole message. None when there is none; the status, when HTTP answers with an error."""
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        if self.port is None:
            self.send(message)
            return self.read()
        body = json.dumps(message).encode()
        status, answer = self.http(self.request(body))
        if status not in (0, 200):
            return {"error": {"code": status, "message": answer.decode(errors="replace")}}
        lines = [line.removeprefix(b"data: ") for line in answer.splitlines() if b"{" in line]
        return json.loads(lines[-1]) if lines else None

    def call(self, tool, **arguments):
        """The answer to a call of a tool. None when there is none."""
        return self.call_method("tools/call", {"name": tool, "arguments": arguments})

    def request(self, body, head=""):
        """The bytes of a request; `head` has further lines of its head, each with its line ending."""
        host = "" if "Host:" in head else "Host: localhost\r\n"
        return (f"POST /mcp HTTP/1.1\r\n{host}Content-Type: application/json\r\n"
                "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
                f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n").encode() + body

    def http(self, message, timeout=HUNG):
        """The status and the body of what is answered to some bytes; status 0 when nothing is."""
        with self.connect(timeout) as connection:
            answer = b""
            try:
                connection.sendall(message)
                while more := connection.recv(65536):
                    answer += more
            except OSError:
                pass
        head, _, body = answer.partition(b"\r\n\r\n")
        return (int(head.split()[1]) if head.startswith(b"HTTP/") else 0), body

    def is_well(self):
        """Whether it answers an ordinary call within half a second."""
        begin = time.perf_counter()
        answer = self.call("validate", text="a: 1\n", kind="yaml")
        return bool(answer and "result" in answer) and time.perf_counter() - begin < 0.5

    def peak(self):
        """The most memory that it has taken, in MiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) / 1024

    def end(self, number=signal.SIGTERM):
        """Ends it with a signal, and returns its exit code."""
        self.process.send_signal(number)
        return self.process.wait(HUNG)


def survived(group, name, tool, arguments, seconds=SECONDS, mib=MEMORY, http=True):
    """A call that has to be answered within a bound by a service that then answers the next one."""

    def attempt(place):
        with Service(place, "--no-files", http=http) as service:
            begin = time.perf_counter()
            answer = service.call(tool, **(arguments() if callable(arguments) else arguments))
            if "nknown argument" in json.dumps(answer):
                raise ValueError(f"{tool}: {json.dumps(answer)[:500]}")
            took = time.perf_counter() - begin
            well = service.process.poll() is None and is_well_soon(service)
            size, peak = len(json.dumps(answer)), service.peak() if service.process.poll() is None else 0
        passed = answer is not None and well and took <= seconds and peak <= mib
        said = "no answer" if answer is None else f"{size / 1024:.0f} KiB"
        return Outcome(passed, f"{said} after {took:.1f} s, {peak:.0f} MiB" + ("" if well else ", and no further answer"))

    return Case(group, name, f"{seconds} s, {mib} MiB, and the next call is answered", attempt)


def is_well_soon(service, tries=5):
    """Whether a service answers one of a few ordinary calls within half a second: the machine may be busy for a moment."""
    return any(service.is_well() for _ in range(tries))
