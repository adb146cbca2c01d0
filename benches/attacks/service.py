"""Attacks on the service: lines and requests that are wrong, answers that are large, connections that are held, tokens, programs
that clients have started, and configurations that a stranger's repository has."""
import concurrent.futures
import json
import os
import re
import signal
import socket
import subprocess
import threading
import time

from harness import MIB, Case, Outcome, Service, is_well_soon, run

TOKEN = "a-token-of-many-characters"
SECRET = "OUTSIDE-SECRET-TEXT"
# Seconds until the program ends a head, a body, and the waiting for room; a busy machine may take this much longer.
HEAD, BODY, ROOM, LATE = 10, 15, 5, 10
# Bytes that an answer may have.
ANSWER = 256 << 10


def message(method, params, number=7):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def tool_call(tool, arguments, number=7):
    return message("tools/call", {"name": tool, "arguments": arguments}, number)


LIST = json.dumps(message("tools/list", {})).encode()
HANDSHAKE = [message("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "attacks", "version": "1"}}, 1),
             {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def lines(messages):
    return b"".join(json.dumps(each).encode() + b"\n" for each in messages)


# Lines of standard input.


def line(name, bound, make, number, says):
    """A line whose answer is an error with this id, and with this text in it."""

    def attempt(place):
        with Service(place, "--no-files", http=False) as service:
            service.send(make())
            answer = service.read(20)
            well = is_well_soon(service)
        error = (answer or {}).get("error", {})
        passed = bool(answer) and answer.get("id", 0) == number and says in f"{error.get('code')} {error.get('message')}"
        return Outcome(passed and well, f"{str(answer)[:120]}" + ("" if well else ", and no further answer"))

    return Case("1-mcp", name, f"{bound}, and the next call is answered", attempt)


def large_call():
    return json.dumps(tool_call("validate", {"text": "a: 1\n" * (17 * MIB // 6), "kind": "yaml"})).encode()


LINES = [
    line("stdio: a request with a lone surrogate (JSON.stringify of a cut emoji) gets an answer", "error -32700 with its id",
         lambda: tool_call("validate", {"text": "a: \ud83d", "kind": "yaml"}), 7, "-32700"),
    line("stdio: a call of 17 MB gets an answer", "an error that names the limit", large_call, None, " bytes"),
    line("stdio: a line that is no JSON gets -32700", "error -32700", lambda: b"this is no JSON", None, "-32700"),
]


# Large answers.


def numbered(form, count, head="", tail=""):
    return head + "".join(form.replace("#N", str(number)) for number in range(count)) + tail


def hostile_documents():
    """Documents with very many findings, each less than 1 MiB."""
    return {
        "comments that suppress nothing": "<!-- proofmark-ignore MD122: a -->\n" * 28_000,
        "unknown fields of a quill": numbered("k#N: x\n", 90_000, "---\nQUILL: letter\n", "---\n"),
        "fields": numbered("k#N: x\n", 90_000, "---\n", "---\n"),
        "fields of several blocks": "---\nCARD: a\na: [\n---\n\n" * 40_000,
        "link references": numbered("[a#N]: b\n", 80_000),
        "footnotes": numbered("[^#N]: b\n\n", 80_000),
        "wrong lines of YAML": "---\n" + "a: b: c\n" * 100_000 + "---\n",
        "diagrams": "```mermaid\nflowchart TD\n A --> [\n```\n\n" * 20_000,
    }


def size_of(answer):
    """Bytes of the text and of the structure of an answer, without the fields that a call asks for."""
    result = answer["result"]
    structure = {key: value for key, value in result.get("structuredContent", {}).items() if key != "parsed_fields"}
    text = "".join(part.get("text", "") for part in result["content"])
    said = "".join(entry for entry in text.splitlines(keepends=True) if not entry.startswith("fields: {"))
    return len(said.encode()) + len(json.dumps(structure, ensure_ascii=False, separators=(",", ":")).encode())


def large_answers(place):
    sizes, failed = {}, []
    with Service(place, "--no-files") as service:
        for name, text in hostile_documents().items():
            for tool, more in [("validate_frontmatter", {}), ("render_document", {"validate_only": True})]:
                answer = service.call(tool, markdown=text, **more)
                if not answer or "structuredContent" not in answer.get("result", {}):
                    failed.append(f"{tool}, {name}")
                else:
                    sizes[f"{tool}, {name}"] = size_of(answer)
    over = sum(size > ANSWER for size in sizes.values())
    largest = max(sizes, key=sizes.get)
    measured = f"{over} of {len(sizes)} answers are larger, the largest has {sizes[largest]} bytes ({largest})"
    return Outcome(over == 0 and not failed, measured + (f"; no result: {failed}" if failed else ""))


def wrong_edits(place):
    edits = [{"old": f"x{number}", "new": "y"} for number in range(200_000)]
    with Service(place, "--no-files") as service:
        answer = service.call("fix_text", text="a: 1\n", kind="yaml", edits=edits)
    said = json.dumps(answer)
    names_all = "200000 errors" in said and "edit 1:" in said
    return Outcome(names_all and len(said) <= 8_000, f"{len(said)} bytes: {said[70:140]}")


ANSWERS = [
    Case("1-answers", "size of answers of render_document / validate_frontmatter", "256 KiB besides the parsed fields",
         large_answers),
    Case("1-answers", "fix_text with 200k wrong edits: faults listed", "8,000 bytes with the first errors and their number",
         wrong_edits),
]


# Connections.


def is_closed(connection):
    """Whether the service has closed a connection."""
    connection.setblocking(False)
    try:
        while connection.recv(65536):
            pass
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def slow_heads(place):
    with Service(place, "--no-files") as service:
        connections = [service.connect() for _ in range(100)]
        for connection in connections:
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n")
        begin = time.monotonic()
        while connections and time.monotonic() - begin < HEAD + LATE:
            time.sleep(1)
            connections = [connection for connection in connections if not is_closed(connection)]
            for connection in connections:
                try:
                    connection.send(b"X-A: b\r\n")
                except OSError:
                    pass  # It is seen to be closed a second later.
        took = time.monotonic() - begin
    return Outcome(not connections, f"{100 - len(connections)} of 100 closed after {took:.0f} s")


def half_bodies(place):
    """Connections of two addresses, so that the limit for one does not decide."""
    head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
    half = memoryview(head + b" " * 1_500_000)
    with Service(place, "--no-files") as service:
        sent = {}
        for number in range(500):
            source = (f"127.0.0.{2 + number % 2}", 0)
            connection = socket.create_connection(("127.0.0.1", service.port), source_address=source)
            connection.setblocking(False)
            sent[connection] = 0
        until = time.monotonic() + 4
        while time.monotonic() < until:
            for connection in sent:
                try:
                    sent[connection] += connection.send(half[sent[connection]:])
                except OSError:
                    pass  # What the service does not read waits, or is refused.
        well, peak = is_well_soon(service), service.peak()
        for connection in sent:
            connection.close()
    begun = sum(count > len(head) for count in sent.values())
    measured = f"{begun} bodies begun, {peak:.0f} MiB, an ordinary call is {'answered' if well else 'NOT answered'}"
    return Outcome(well and peak <= 400 and begun >= 400, measured)


def answered_within(service, seconds):
    """Seconds until a new client has an answer, which tries again every three seconds; None when it has none in time."""
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        try:
            status, _ = service.http(service.request(LIST), timeout=3)
        except TimeoutError:
            continue
        if status == 200:
            return time.monotonic() - begin
    return None


def idle_connections(place):
    with Service(place, "--no-files", files=256) as service:
        idle = [service.connect() for _ in range(369)]
        time.sleep(1)
        took = answered_within(service, HEAD + LATE)
        for connection in idle:
            connection.close()
    return Outcome(took is not None, "no answer" if took is None else f"an answer after {took:.1f} s")


def ordinary(service, seconds, timeout=2):
    """Ordinary calls for some seconds, each on a connection of its own: how many there were, how many failed, and the longest."""
    count = wrong = 0
    longest, end = 0.0, time.monotonic() + seconds
    while time.monotonic() < end:
        begin = time.monotonic()
        try:
            status, _ = service.http(service.request(LIST), timeout=timeout)
        except OSError:
            status = 0
        count, wrong = count + 1, wrong + (status != 200)
        longest = max(longest, time.monotonic() - begin)
        time.sleep(0.02)
    return count, wrong, longest


def held_connections(again):
    """256 connections with half a head; where they are closed, they are opened again at once if `again`."""

    def attempt(place):
        with Service(place, "--no-files") as service:
            done = threading.Event()
            opened = [0]

            def hold(count):
                held = []
                while not done.is_set():
                    held = [connection for connection in held if not is_closed(connection)]
                    while len(held) < count and not done.is_set():
                        try:
                            connection = service.connect(2)
                            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: local")
                            held.append(connection)
                            opened[0] += 1
                        except OSError:
                            break
                    done.wait(0.05 if again else 30)
                for connection in held:
                    connection.close()

            holders = [threading.Thread(target=hold, args=(64,)) for _ in range(4)]
            for holder in holders:
                holder.start()
            time.sleep(1)
            count, wrong, longest = ordinary(service, 10)
            done.set()
            for holder in holders:
                holder.join()
        return Outcome(not wrong, f"{wrong} of {count} failed, the longest took {longest:.2f} s; {opened[0]} connections held")

    name = "256 idle connections of 127.0.0.1: ordinary calls of the same address"
    return Case("A11 http", name + (", opened again at once" if again else ""), "all answered", attempt)


def absent_bodies(place):
    with Service(place, "--no-files") as service:
        held = []
        for _ in range(40):
            connection = service.connect()
            connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Transfer-Encoding: chunked\r\n\r\n")
            held.append(connection)
        time.sleep(0.5)
        said, passed = [], True
        large = service.request(LIST + b" " * 120_000)
        chunked = service.request(b"", "Transfer-Encoding: chunked\r\n").replace(b"Content-Length: 0\r\n", b"")
        chunked += f"{len(LIST):x}\r\n".encode() + LIST + b"\r\n0\r\n\r\n"
        for name, request in (("small", service.request(LIST)), ("120 KB", large), ("chunks", chunked)):
            begin = time.monotonic()
            status, _ = service.http(request)
            took = time.monotonic() - begin
            said.append(f"{name}: {status} after {took:.2f} s")
            passed = passed and status == 200 and took < 1
        for connection in held:
            connection.close()
    return Outcome(passed, ", ".join(said))


def unread_answers(place):
    """Clients that send calls with large answers, one after the other, and read nothing."""
    with Service(place, "--no-files") as service:
        body = json.dumps(tool_call("validate_frontmatter", {"markdown": f"---\na: {'x' * 900_000}\n---\n"})).encode()
        request = service.request(body).replace(b"Connection: close\r\n", b"")
        held = []
        for _ in range(24):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", service.port))
            connection.setblocking(False)
            held.append([connection, memoryview(request * 12)])
        end = time.monotonic() + 70
        while time.monotonic() < end:
            for pair in held:
                try:
                    pair[1] = pair[1][pair[0].send(pair[1]):]
                except OSError:
                    pass
            time.sleep(0.05)
        table = subprocess.run(["ss", "-tnH", "state", "established", f"( sport = :{service.port} )"],
                               capture_output=True, text=True, check=False)
        still = len(table.stdout.splitlines())
        well = is_well_soon(service)
    return Outcome(still == 0 and table.returncode == 0 and well, f"{still} of 24 still open after 70 s")


def foreign_health(place):
    said, passed = [], True
    with Service(place, "--no-files") as service:
        for head in ("Host: evil.example\r\n", "Host: localhost\r\nOrigin: http://evil.example\r\n"):
            status, body = service.http(f"GET /health HTTP/1.1\r\n{head}Connection: close\r\n\r\n".encode())
            said.append(f"{status} {body[:60]!r}")
            passed = passed and status == 403 and b"version" not in body
    with Service(place, "--no-files", "--token-variable", "T", environment={"T": TOKEN}) as service:
        status, body = service.http(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        said.append(f"with a token: {status} {body[:60]!r}")
        passed = passed and body == b'{"status":"ok"}'
    return Outcome(passed, ", ".join(said))


HELD = [
    held_connections(again=False),
    held_connections(again=True),
    Case("A11 http", "40 bodies in chunks that never come: ordinary calls of 120 KB, and small ones in chunks",
         "answered in 1 s", absent_bodies),
    Case("A11 http", "24 clients that read nothing of large answers", "all closed after 70 s", unread_answers),
    Case("A11 http", "/health without a token: a foreign Host and Origin", "refused, or nothing about the machine", foreign_health),
]


DIAGRAM = "```mermaid\nflowchart TD\n  A --> B\n```\n"


def fake_mmdc(place, script):
    """A program in place of Mermaid's command line tool; leaves its traces in the folder of the attack."""
    path = place.write("bin/mmdc", f"#!/bin/sh\ncd '{place.folder}'\n{script}\n")
    path.chmod(0o755)
    return path


def check_diagrams(service, count):
    """As many calls at a time that ask for Mermaid's command line tool."""
    call = ("quarto_validate_mermaid", {"content": DIAGRAM, "engine": "mermaid-cli"})
    with concurrent.futures.ThreadPoolExecutor(count) as threads:
        calls = [threads.submit(service.call, call[0], **call[1]) for _ in range(count)]
        time.sleep(0.5)
        well = is_well_soon(service)
        return [each.result() for each in calls], well


def alive(place, name):
    """The processes whose ids a file names, and that run."""
    path = place.folder / name
    numbers = path.read_text(encoding="ascii").split() if path.exists() else []
    return [int(number) for number in numbers if is_alive(number)]


def is_alive(number):
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def open_streams(place):
    """One child stays in the group of the program, the other one leaves it; both keep the stream open."""
    program = fake_mmdc(place, "sleep 600 &\necho $! >>children\nsetsid sleep 600 &\necho $! >>others\nsleep 0.2\nexit 1")
    try:
        with Service(place, "--no-files", environment={"MERMAID_CLI_PATH": str(program)}) as service:
            answers, well = check_diagrams(service, 16)
            well = well and is_well_soon(service)
            children = alive(place, "children")
    finally:
        others = alive(place, "others")
        for number in others:
            os.kill(number, signal.SIGKILL)
    refused = sum("could not render" in json.dumps(answer) for answer in answers)
    measured = f"{refused} of 16 refused, {len(children)} children left, an ordinary call is {'' if well else 'NOT '}answered"
    return Outcome(well and not children and refused == 16 and len(others) > 0, measured)


def most_at_a_time(trace):
    """How many programs ran at a time at most, by what they wrote when they began and ended."""
    most = now = 0
    for sign in trace:
        now += {"+": 1, "-": -1}.get(sign, 0)
        most = max(most, now)
    return most


def started_programs(place):
    program = fake_mmdc(place, "printf + >>trace\nsleep 0.4\nprintf -- - >>trace")
    trace = place.folder / "trace"
    path = f"{program.parent}:{os.environ['PATH']}"
    with Service(place, "--no-files", environment={"PATH": path}) as service:
        answers, _ = check_diagrams(service, 4)
    refused = sum("MERMAID_CLI_NOT_ALLOWED" in json.dumps(answer) for answer in answers)
    if refused != 4 or trace.exists():
        return Outcome(False, f"{refused} of 4 refused; {'started' if trace.exists() else 'not started'}")
    with Service(place, "--no-files", environment={"PATH": path, "MERMAID_CLI_PATH": str(program)}) as service:
        _, well = check_diagrams(service, 8)
    most = most_at_a_time(trace.read_text(encoding="ascii")) if trace.exists() else 0
    return Outcome(well and 1 <= most <= 2, f"not started without permission; with it {most} at a time")


CONNECTIONS = [
    Case("2-conn", "header read timeout exists", f"all 100 closed within {HEAD + LATE} s", slow_heads),
    Case("2-conn", "500 connections with half a body of 3 MB", "400 MiB, and an ordinary call within 0.5 s", half_bodies),
    Case("2-conn", "16 calls with engine mermaid-cli whose mmdc leaves a child with stderr open (Chromium does)",
         "all answered, an ordinary call within 0.5 s, no child of its group stays", open_streams),
    Case("2-conn", "any MCP client can start external programs (mmdc/Chromium), 16 at a time, no setting to forbid it but "
         "--without mermaid", "not started unless the user allows it, then two at a time", started_programs),
    Case("2-conn", "369 idle connections at ulimit -n 256", f"a new client is answered within {HEAD + LATE} s", idle_connections),
]


# Requests.


def refused_request(name, statuses, change):
    """A request that differs from an ordinary one and is refused."""

    def attempt(place):
        with Service(place, "--no-files") as service:
            usual, _ = service.http(service.request(LIST))
            status, body = service.http(change(service))
        return Outcome(usual == 200 and status in statuses, f"{status} {body[:60]!r}; an ordinary request has {usual}")

    return Case("2-http", name, " or ".join(map(str, statuses)), attempt)


def two_origins(service):
    return service.request(LIST, f"Origin: http://localhost:{service.port}\r\nOrigin: https://evil.example\r\n")


def absolute_form(service):
    return service.request(LIST).replace(b"POST /mcp", b"POST http://evil.example/mcp", 1)


def answer_to_pieces(service, head, piece, pause, limit):
    """What is answered while a client sends one piece after another: the status, 0 for none, and the seconds."""
    begin = time.monotonic()
    with service.connect() as connection:
        connection.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + head + b"\r\n\r\n")
        connection.settimeout(max(pause, 0.001))
        answer = b""
        while b"\r\n" not in answer and time.monotonic() - begin < limit:
            try:
                if piece:
                    connection.sendall(piece)
            except OSError:
                pass  # The answer says why.
            try:
                more = connection.recv(4096)
                if not more:
                    break
                answer += more
            except TimeoutError:
                pass
            except OSError:
                break
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else 0, time.monotonic() - begin


def endless_body(name, limit, ways):
    """Bodies that do not end: each is refused with its status, and in time."""

    def attempt(place):
        said, passed = [], True
        with Service(place, "--no-files") as service:
            for head, piece, pause, status in ways:
                got, took = answer_to_pieces(service, head, piece, pause, limit)
                said.append(f"{got} after {took:.1f} s")
                passed = passed and got == status
            well, peak = is_well_soon(service), service.peak()
        return Outcome(passed and well and peak <= 200, f"{', '.join(said)}, {peak:.0f} MiB")

    statuses = " and ".join(str(way[-1]) for way in ways)
    return Case("2-http", name, f"{statuses} within {limit} s, 200 MiB, and the next call is answered", attempt)


def chunk(size):
    return f"{size:x}\r\n".encode() + b" " * size + b"\r\n"


CHUNKED = b"Transfer-Encoding: chunked"


def ticks(service):
    """Time of the processor that the service has used, in hundredths of a second."""
    with open(f"/proc/{service.process.pid}/stat", encoding="ascii") as stat:
        values = stat.read().rpartition(")")[2].split()
    return (int(values[11]) + int(values[12])) * 100 // os.sysconf("SC_CLK_TCK")


def used(service, seconds):
    """What the service uses within some seconds."""
    before = ticks(service)
    time.sleep(seconds)
    return ticks(service) - before


def slow_flow(number):
    """A flow of almost 1 MiB with wrong references, one of those documents that take longest."""
    step = "      - {id: s#N, type: LLMInference, model: m#N, inputs: [b#N], outputs: [c#N]}\n"
    head = (f"# {number}\nid: app\nflows:\n  - id: f\n    variables: [{{id: a, type: text}}]\n    inputs: [a]\n"
            "    outputs: [a]\n    steps:\n")
    return numbered(step, 11_500, head)


def cancelled_calls(place):
    """Calls that together take many seconds, cancelled soon after they were sent."""
    count = 16
    with Service(place, "--no-files", http=False) as service:
        for number in range(count):
            service.send(tool_call("validate", {"text": slow_flow(number), "kind": "qtype"}, 100 + number))
        busy = used(service, 0.5)
        for number in range(count):
            service.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 100 + number}})
        # In order: when this has its answer, all have been read.
        service.send(message("ping", {}, 99))
        answered = 0
        while (answer := service.read(20)) and answer.get("id") != 99:
            answered += 1
        time.sleep(0.5)
        idle = used(service, 1)
        well = is_well_soon(service)
    measured = f"{answered} of {count} answered before; {busy} ticks in 0.5 s before, {idle} in 1 s after"
    return Outcome(well and bool(answer) and busy >= 10 and answered < count // 2 and idle <= 10, measured)


REQUESTS = [
    refused_request("Host '[::1].evil'", (400, 403), lambda service: service.request(LIST, "Host: [::1].evil\r\n")),
    refused_request("a fragment in the path", (400,), lambda service: service.request(LIST).replace(b"/mcp", b"/mcp#x", 1)),
    refused_request("two Hosts", (400,), lambda service: service.request(LIST, "Host: localhost\r\nHost: evil.example\r\n")),
    refused_request("two Origins, own first", (400, 403), two_origins),
    refused_request("absolute-form evil", (400, 403), absolute_form),
    endless_body("Content-Length 10 GB, little sent", ROOM + LATE, [(b"Content-Length: 10000000000", b" ", 1, 413)]),
    endless_body("chunked without end", BODY + LATE, [(CHUNKED, chunk(65536), 0, 413), (CHUNKED, chunk(10), 1, 408)]),
    endless_body("body that never comes", BODY + LATE, [(b"Content-Length: 1000", b"", 1, 408)]),
    Case("2-http", "stdio: a cancelled call stops working", "at most 10 ticks in the second after", cancelled_calls),
]


# Tokens.


def blank_token(place):
    arguments = ("--isolated", "serve", "--http", "0.0.0.0:0", "--token-variable", "T")
    ran = run(place, *arguments, environment={"T": " " * 16})
    return Outcome(ran.code == 2 and "fewer than 16 characters" in ran.text, f"exit code {ran.code}: {ran.text.strip()[:120]}")


def wrong_tokens(place):
    def status(service, token):
        return service.http(service.request(LIST, f"Authorization: Bearer {token}\r\n"))[0]

    count = 2_000
    with Service(place, "--no-files", "--token-variable", "T", environment={"T": TOKEN}) as service:
        statuses = {status(service, f"{TOKEN}{number}") for number in range(count - 1)}
        time.sleep(1.2)
        statuses.add(status(service, f"{TOKEN}x"))
        right = status(service, TOKEN)
        service.end()
        log = service.log.read_text(encoding="utf-8")
    logged = sum('"reason":"token"' in entry for entry in log.splitlines())
    counted = sum(map(int, re.findall(r'"left_out":(\d+)', log)))
    passed = statuses == {401} and right == 200 and logged <= 200 and logged + counted == count and TOKEN not in log
    return Outcome(passed, f"{statuses}, the right one {right}; {logged} lines in the log, which count {counted} more")


TOKENS = [
    Case("2-token", "listen on 0.0.0.0:9113 env {'T': '                '}", "does not start: the token is too short",
         blank_token),
    Case("2-token", "2,000 wrong tokens in a row", "all 401, and at most 200 lines in the log, which count all", wrong_tokens),
]


# Configurations of a stranger's repository.


def configured_roots(place):
    outside = place.write("outside/notes.yaml", f"{SECRET}: [\n")
    repository = place.write("repository/proofmark.toml", '[server]\nroots = ["/"]\n').parent
    asked = lines([*HANDSHAKE, tool_call("validate", {"path": str(outside)}, 2)])
    control = run(place, "--isolated", "serve", "--root", "/", stdin=asked, folder=repository)
    ran = run(place, "serve", stdin=asked, folder=repository)
    leaks = SECRET in ran.text
    passed = ran.code == 2 and not leaks and "--root" in ran.text and SECRET in control.text
    known = "allowed by the user, it is shown" if SECRET in control.text else "NOT shown where the user allows it"
    return Outcome(passed, f"exit code {ran.code}, outside text in the answer: {leaks}; {known}")


def can_connect(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def listens(place, port, *options):
    """Whether `serve` listens at the port within five seconds, and what it writes."""
    with (place.folder / "log").open("w+b") as log:
        process = subprocess.Popen([place.program, *options, "serve"], cwd=place.folder / "repository", stdin=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL, stderr=log,
                                   env={"PATH": os.environ["PATH"], "HOME": "/home/a-user-of-the-machine"})
        try:
            until = time.monotonic() + 5
            while not (found := can_connect(port)) and time.monotonic() < until and process.poll() is None:
                time.sleep(0.1)
        finally:
            process.kill()
            process.wait()
        log.seek(0)
        return found, log.read().decode()


def configured_address(place):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place.write("repository/proofmark.toml", f'[server]\naddress = "0.0.0.0:{port}"\ntoken_variable = "HOME"\n')
    found, said = listens(place, port)
    named, _ = listens(place, port, "--config", "proofmark.toml")
    passed = not found and named and said.count("PM018") >= 2
    return Outcome(passed, f"listens: {found}; with --config: {named}; reported: {said.count('PM018')}")


FOUND = [
    Case("3-files", '`serve` without --root in a stranger\'s repository whose proofmark.toml says roots = ["/"]',
         "does not start, and names --root", configured_roots),
    Case("3-files", "a repository's proofmark.toml makes `serve` listen on 0.0.0.0 with a guessable token "
         '(token_variable = "HOME")', "does not listen, and reports both keys (PM018)", configured_address),
]

CASES = [*LINES, *ANSWERS, *CONNECTIONS, *HELD, *REQUESTS, *TOKENS, *FOUND]
