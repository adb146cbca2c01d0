"""Attacks on rendering: results over documents, layouts that take memory without an end, and what a worker may do."""
import contextlib
import json
import os
import pathlib
import re
import signal
import time

from harness import HUNG, Case, Outcome, Service, run

LETTER = "---\nQUILL: letter\nsender: Ada Lovelace\nrecipient: Charles Babbage\nsubject: Note G\n---\n\nDear Babbage.\n"
OWN = "---\nQUILL: own\ntitle: a\n---\n\nSome *text*.\n"
PLATE = "#import \"@local/quillmark-helper:0.2.0\" as qm\n"
MANIFEST = "quill: {name: own, backend: typst, description: A quill}\nmain:\n  fields:\n    title: {type: string}\n"
CLASSIC = "[Quill]\nname = \"own\"\nbackend = \"typst\"\nglue_file = \"glue.typ\"\n[fields]\ntitle = { type = \"string\" }\n"
ENDLESS = "#let n = 0\n#for a in range(100000) { for b in range(100000) { n += 1 } }"
# Most memory of a rendering where a configuration says nothing else, in MiB.
DEFAULT = 1024
# Seconds for one rendering: no other run has this number, by which workers that are left are found.
TIMEOUT = 29


def with_worker(place):
    return {"PROOFMARK_RENDER_WORKER": place.worker}


def rendered(place, *arguments):
    return run(place, "render", *arguments, environment=with_worker(place))


def works(place, document):
    """Whether a document can be rendered at all: otherwise a refusal says nothing."""
    ran = rendered(place, "--isolated", document, "-o", "works.pdf")
    return ran.code == 0 and (place.folder / "works.pdf").read_bytes().startswith(b"%PDF-")


# Why a document is no result: its name, and that it is the document.
REASONS = ["is not a format of pages", "is one of the inputs"]


def over_itself(name, document, output):
    """The document as its own result: by the name of the review, and by one that a result may have and that leads to it too."""

    def attempt(place):
        path = place.write("x.md", LETTER)
        (place.folder / "a").mkdir()
        possible = works(place, "x.md")
        (place.folder / "x.pdf").hardlink_to(path)
        reasons = []
        for target in (output, output.replace(".md", ".pdf")):
            ran = rendered(place, "--isolated", document, "-o", target.replace("/abs", str(place.folder)))
            reasons += [reason for reason in REASONS if reason in ran.text and ran.code == 2]
        same = path.read_text() == LETTER
        return Outcome(possible and same and reasons == REASONS, f"{reasons}, document kept: {same}, can be rendered: {possible}")

    return Case("5-output", name, "refused, and the document is kept, also where a link leads to it", attempt, True)


def one_name(place):
    for folder in ("a", "b"):
        place.write(f"{folder}/x.md", LETTER.replace("Note G", folder))
    possible = works(place, "a/x.md")
    ran = rendered(place, "--isolated", "a/x.md", "b/x.md", "-o", "out/")
    made, said = len(list((place.folder / "out").glob("*"))), "would both be rendered to" in ran.text
    return Outcome(possible and said and ran.code == 2 and made == 0,
                   f"exit code {ran.code}, refused: {said}, files: {made}, can be rendered: {possible}")


OUTPUTS = [
    over_itself("./x.md -o x.md", "./x.md", "x.md"),
    over_itself("x.md -o ./x.md", "x.md", "./x.md"),
    over_itself("x.md -o a/../x.md", "x.md", "a/../x.md"),
    over_itself("x.md -o /abs/x.md", "x.md", "/abs/x.md"),
    Case("5-output", "two documents of one name into a folder", "refused: no result replaces another", one_name, True),
]


def with_quill(place, layout, limit=None, classic=False):
    """A quill of this layout in the folder, a configuration that uses it, and a document for it."""
    place.write("quills/own/Quill.toml" if classic else "quills/own/Quill.yaml", CLASSIC if classic else MANIFEST)
    place.write("quills/own/glue.typ" if classic else "quills/own/plate.typ", layout if classic else PLATE + layout)
    memory = f"memory_mib = {limit}\n" if limit else ""
    place.write("proofmark.toml", f"[quills]\npath = \"quills\"\n[render]\ntimeout_seconds = {TIMEOUT}\nworkers = 2\n{memory}"
                                  "[server]\ndeadline_ms = 60000\n")
    place.write("d.md", OWN)


def numbers_of_processes():
    return [int(path.name) for path in pathlib.Path("/proc").glob("[0-9]*")]


def proc(process, name):
    return pathlib.Path(f"/proc/{process}/{name}").read_text(encoding="ascii", errors="replace")


def state(process):
    """The parent and the seconds of the processor of a process; None when it has ended."""
    try:
        fields = proc(process, "stat").rpartition(")")[2].split()
    except OSError:
        return None
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return None if fields[0] == "Z" else (int(fields[1]), seconds)


def left_behind(limit):
    """How many workers with these limits run."""
    count = 0
    for process in numbers_of_processes():
        with contextlib.suppress(OSError):
            words = set(proc(process, "cmdline").split("\0"))
            count += state(process) is not None and {str(limit << 20), str(TIMEOUT * 1000)} <= words
    return count


def too_large(name, layouts, limit=300, classic=False):
    """Layouts that take memory or pages without an end. The limit is for what a worker takes beyond its start."""

    def attempt(place):
        worst, passed = "", True
        with_quill(place, "Hello", limit, classic)
        small = rendered(place, "--config", "proofmark.toml", "d.md", "-o", "d.pdf")
        for layout in layouts:
            with_quill(place, layout, None if limit == DEFAULT else limit, classic)
            ran = rendered(place, "--config", "proofmark.toml", "d.md", "-o", "large.pdf")
            ids = sorted(set(re.findall(r"RN\d{3}", ran.text)))
            ends = ran.code == 1 and ids in (["RN302"], ["RN303"]) and not (place.folder / "large.pdf").exists()
            passed &= ends and ran.mib <= small.mib + 1.1 * limit and waited(lambda: left_behind(limit) == 0, 5) < 5
            worst = max(worst, f"{ran.mib:5.0f} MiB in {ran.seconds:.1f} s, {ids}")
        return Outcome(passed and small.code == 0, f"{worst.strip()}; a small document: {small.mib:.0f} MiB")

    bound = f"a finding; at most {limit} MiB + 10 % beyond a small document, and no worker is left"
    return Case("5-render", name, bound, attempt, True)


def rising(count):
    return f"..range({count}).map(i => curve.line((1pt * i, 1pt * calc.rem(i, 7))))"


NESTING = ["#let c = [x]\n#for i in range(40) { c = [#c#c] }\n#c", "#let c = [x]\n#for i in range(2000000) { c = [#c *b*] }\n#c",
           "#let f(n) = if n == 0 [x] else [#f(n - 1)#f(n - 1)]\n#f(30)"]
LABELS = "#for i in range(1000000) [{} #label(\"l\" + str(i))]"
TABLE = "#table(columns: 10, ..range(1000000).map(str))"
DOUBLED = "{% set ns = namespace(x=\"0123456789\") %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}"
LARGE = [
    too_large("plate content nesting", NESTING),
    too_large("plate 100k pages", ["#for i in range(100000) { pagebreak() }"]),
    too_large("plate table 1e6", [TABLE]),
    too_large("plate 1M labels", [LABELS.format("#metadata(i)"), LABELS.format("= A")]),
    too_large("plate path bomb", [f"#curve({rising(3000000)})", f"#for i in range(100000) {{ curve({rising(100)}) }}"]),
    too_large("glue doubling", [DOUBLED, "#let a = \"0123456789\"\n{% for i in range(40) %}#let a = a + a\n{% endfor %}#a.len()"],
              classic=True),
    too_large("memory_mib = 1024 (the default): what a worker really takes", [NESTING[1], TABLE], DEFAULT),
]


def workers_of(service):
    """The workers of a service, with the seconds of the processor that each has used."""
    states = {process: state(process) for process in numbers_of_processes()}
    return {process: found[1] for process, found in states.items() if found and found[0] == service.process.pid}


def waited(holds, limit=HUNG):
    """Seconds until something holds; `limit` when it does not in time."""
    begin = time.monotonic()
    while not holds() and time.monotonic() - begin < limit:
        time.sleep(0.1)
    return min(time.monotonic() - begin, limit)


class Configured(Service):
    """A service with the configuration of its folder."""

    GENERAL = ("--config", "proofmark.toml")


@contextlib.contextmanager
def rendering(place, layout):
    """A service with workers, and a quill of this layout."""
    with_quill(place, layout)
    with Configured(place, environment=with_worker(place)) as service:
        yield service


@contextlib.contextmanager
def endless(place):
    """A service one of whose workers has a layout without an end, the connection of its client, and its workers."""
    with rendering(place, ENDLESS) as service:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "render_document", "arguments": {"markdown": OWN}}}
        with service.connect() as connection:
            connection.sendall(service.request(json.dumps(body).encode()))
            if waited(lambda: max(workers_of(service).values(), default=0) > 0.5, 20) == 20:
                raise TimeoutError("no worker has begun")
            yield service, connection, set(workers_of(service))


def ended_by(number, limit):
    def attempt(place):
        with endless(place) as (service, _, workers):
            code = service.end(number)
            took = waited(lambda: not any(state(worker) for worker in workers), 40)
        said = f"{len(workers)} workers, all ended {took:.1f} s after the service, which ended with exit code {code}"
        return Outcome(took <= limit, said)

    return attempt


def hung_up(place):
    """A worker is idle when it uses less than a fifth of half a second."""
    with endless(place) as (service, connection, _):
        connection.close()
        begin, before = time.monotonic(), workers_of(service)
        while time.monotonic() - begin < 40:
            time.sleep(0.5)
            now = workers_of(service)
            if all(used - before.get(worker, used) < 0.1 for worker, used in now.items()):
                break
            before = now
        took = time.monotonic() - begin
    return Outcome(took <= 3, f"busy for {took:.1f} s after the client hung up")


def inspected(look):
    """Looks at a worker that has rendered a document: what does not hold of it."""

    def attempt(place):
        with rendering(place, "Hello") as service:
            answer = service.call("render_document", markdown=OWN)
            workers = workers_of(service)
            if not workers or not answer["result"]["structuredContent"]["success"]:
                return Outcome(False, f"{len(workers)} workers, {str(answer)[:200]}")
            faults = [fault for worker in workers for fault in look(worker)]
        return Outcome(not faults, "; ".join(faults) or f"holds for {len(workers)} workers")

    return attempt


def filtered(worker):
    """The filter of system calls, and no way to more rights."""
    status = proc(worker, "status")
    yield from (f"no {line}" for line in ("Seccomp:\t2", "NoNewPrivs:\t1") if line not in status)


def without_connections(worker):
    """All files that it may have are open, and none is a connection: it can make no other."""
    yield from filtered(worker)
    most = re.search(r"^Max open files\s+(\d+)\s+(\d+)", proc(worker, "limits"), flags=re.M).groups()
    opened = [os.readlink(path) for path in pathlib.Path(f"/proc/{worker}/fd").iterdir()]
    if {int(number) for number in most} != {len(opened)}:
        yield f"{len(opened)} files are open, and {most} may be"
    yield from (f"has {name}" for name in opened if name.startswith("socket:"))


def without_rights(worker):
    """What its user may do helps it as little as a connection: no file can be opened, written, or dumped."""
    yield from without_connections(worker)
    for name in ("Max file size", "Max core file size"):
        if not re.search(rf"^{name}\s+0\s+0", proc(worker, "limits"), flags=re.M):
            yield f"{name} is not 0"


def nowhere(worker):
    folder = os.readlink(f"/proc/{worker}/cwd")
    if not folder.endswith(" (deleted)") or os.listdir(f"/proc/{worker}/cwd"):
        yield f"runs in {folder}"
    names = {entry.partition("=")[0] for entry in proc(worker, "environ").split("\0") if entry}
    if names & {"PATH", "HOME", "PROOFMARK_RENDER_WORKER"} or len(names) > 3:
        yield f"has the variables {sorted(names)}"


WORKERS = [
    Case("5-render", "workers gone after SIGTERM", "no worker 5 s after the service", ended_by(signal.SIGTERM, 5), True),
    Case("5-render", "master SIGKILLed during an endless layout: busy worker", "no worker 5 s after the service",
         ended_by(signal.SIGKILL, 5), True),
    Case("5-render", "worker: seccomp filter", "system calls are filtered, and there is no way to more rights",
         inspected(filtered), True),
    Case("5-render", "worker: own network/user namespace",
         "in their place (SECURITY.md): no connection is open, and the limits and the filter allow no new one",
         inspected(without_connections), True),
    Case("5-render", "worker: uid", "in its place (SECURITY.md): the user has no file, connection, or further right to use",
         inspected(without_rights), True),
    Case("5-render", "worker: working folder", "empty and removed, without the environment", inspected(nowhere), True),
    Case("5-render", "client hangs up during an endless layout", "no worker is busy 3 s later", hung_up, True),
]

CASES = [*OUTPUTS, *LARGE, *WORKERS]
