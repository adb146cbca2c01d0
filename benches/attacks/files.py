"""Attacks on files: changes at the same time, kills, pipes and devices in place of files, links out of a pack."""
import concurrent.futures
import contextlib
import dataclasses
import json
import os
import random
import threading
import time

from harness import ROOT, Case, Outcome, Service, is_well_soon, run

USER = 12_345
NOT_ROOT = Outcome(False, "not tried: only root can give a file to another user")


def patch(service, path, old, new, **more):
    """What `apply_patch` says about an edit: its structure, or its text."""
    answer = service.call("apply_patch", path=path, edits=[{"old": old, "new": new}], **more)
    result = (answer or {}).get("result", {})
    return result.get("structuredContent") or {"refused": json.dumps(result.get("content"))}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


# Changes of a file.


def same_hash(place):
    """Four calls at a time that expect the same content, 400 times."""
    rounds, wrong, others = 400, [], []
    folder = place.write("root/doc.md", "").parent
    with Service(place, "--root", folder) as service, concurrent.futures.ThreadPoolExecutor(4) as threads:
        for number in range(rounds):
            document = place.write("root/doc.md", f"# A\n\nround {number}\n")
            seen = patch(service, "doc.md", "round", "round", dry_run=True)
            writers = [f"writer {number} {writer}" for writer in range(4)]
            answers = list(threads.map(
                lambda new, seen=seen: patch(service, "doc.md", "round", new, expect_hash=seen.get("hash")), writers))
            winners = [new for new, answer in zip(writers, answers) if answer.get("written")]
            others += [str(answer)[:200] for answer in answers
                       if not answer.get("written") and "has changed" not in answer.get("refused", "")]
            if len(winners) != 1 or winners[0] not in document.read_text(encoding="utf-8"):
                wrong.append((number, len(winners)))
        left = names_in(folder)
    measured = (f"{len(wrong)} of {rounds} rounds wrong {wrong[:3]}; refused for other reasons: {len(others)} {others[:1]}; "
                f"left: {left}")
    return Outcome(not wrong and not others and left == ["doc.md"], measured)


def leftover(place):
    """Files as a killed process leaves them, under their name and under the name of earlier versions, with the same id."""
    folder = place.folder / "root"
    document = place.write("root/doc.md", "# A\n\nold\n")
    with Service(place, "--root", folder) as service:
        earlier = f".doc.md.{service.process.pid}.proofmark"
        for name in (".doc.md.proofmark", ".doc.md.proofmark-new", earlier):
            place.write(f"root/{name}", "half of a longer file" * 100)
        answer = patch(service, "doc.md", "old", "new")
    text, left = document.read_text(encoding="utf-8"), names_in(folder)
    passed = answer.get("written") is True and text == "# A\n\nnew\n" and set(left) <= {"doc.md", earlier}
    return Outcome(passed, f"{str(answer.get('refused', 'written'))[:120]}; left: {left}")


def send_patch(service, old, new):
    """A patch over standard input, so that its answer need not be waited for."""
    arguments = {"path": "doc.yaml", "edits": [{"old": old, "new": new}]}
    service.send({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": {"name": "apply_patch", "arguments": arguments}})


def kills(place):
    """A service is killed at any time while it patches: 100 of them, one after another."""
    times, numbers = 100, random.Random(7)
    folder, states = place.folder / "root", ("state: old", "state: new")
    body = "".join(f"- item {number}\n" for number in range(50_000))
    document = place.write("root/doc.yaml", f"{states[0]}\nitems:\n{body}")
    with Service(place, "--root", folder, http=False) as service:
        begin = time.perf_counter()
        send_patch(service, "items:", "items:")
        service.read()
        whole = time.perf_counter() - begin
    torn, leftovers, changed = 0, 0, 0
    for _ in range(times):
        now = document.read_text(encoding="utf-8").split("\n", 1)[0]
        new = states[now == states[0]]
        with Service(place, "--root", folder, http=False) as service:
            send_patch(service, now, new)
            time.sleep(numbers.uniform(0, 1.2 * whole))
        text = document.read_text(encoding="utf-8")
        torn += text not in [f"{state}\nitems:\n{body}" for state in states]
        changed += text.startswith(new)
        leftovers += len(names_in(folder)) > 1
    with Service(place, "--root", folder) as service:
        last = patch(service, "doc.yaml", "items:", "items: # all")
    left = names_in(folder)
    measured = (f"{torn} torn, {changed} of {times} changed, hidden files after {leftovers} kills; "
                f"after the next patch: {left}, {str(last.get('refused', 'written'))[:80]}")
    passed = torn == 0 and last.get("written") is True and left == ["doc.yaml"] and 0 < changed < times
    return Outcome(passed, measured)


def patched(place, prepare, look):
    """What a function says about a file before and after a patch."""
    document = place.write("root/doc.md", "# A\n\nold\n")
    prepare(document)
    before = look(document)
    with Service(place, "--root", place.folder / "root") as service:
        answer = patch(service, "doc.md", "old", "new")
    if answer.get("written") is not True or "new" not in document.read_text(encoding="utf-8"):
        return Outcome(False, f"not written: {str(answer)[:200]}")
    after = look(document)
    return Outcome(after == before, f"{before!r} before, {after!r} after")


def owner(place):
    if os.geteuid() != 0:
        return NOT_ROOT

    def give_away(path):
        os.chown(path, USER, USER)
        path.chmod(0o6755)

    def owned(path):
        found = path.stat()
        return found.st_uid, found.st_gid, oct(found.st_mode & 0o7777)

    return patched(place, give_away, owned)


def hard_link(place):
    """A file is replaced in one step, so its other names keep the old content: a decision that is written down."""
    document, other = place.write("root/doc.md", "# A\n\nold\n"), place.folder / "root/other.md"
    os.link(document, other)
    with Service(place, "--root", place.folder / "root") as service:
        written = patch(service, "doc.md", "old", "new").get("written")
    new, old = "new" in document.read_text(encoding="utf-8"), "old" in other.read_text(encoding="utf-8")
    decided = "hard links" in (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    return Outcome(written is True and new and old and decided,
                   f"written: {written}, new: {new}, the other name is old: {old}, in docs/mcp.md: {decided}")


def attributes(place):
    return patched(place, lambda path: os.setxattr(path, "user.note", b"kept"),
                   lambda path: {name: os.getxattr(path, name) for name in os.listxattr(path)})


class OtherProgram(threading.Thread):
    """Writes the next version of a file every 3 ms, and counts the versions that it no longer finds."""

    def __init__(self, document, in_place):
        super().__init__()
        self.document, self.in_place = document, in_place
        self.written = self.lost = 0
        self.done = threading.Event()

    def finds_its_version(self):
        """Looks again for a while: what was written at the same time may be given back or carried over a moment later."""
        until = time.monotonic() + 2
        while time.monotonic() < until:
            if not self.written or f"theirs {self.written}\n" in self.document.read_text(encoding="utf-8"):
                return True
            time.sleep(0.02)
        return False

    def run(self):
        while not self.done.wait(0.003):
            self.lost += not self.finds_its_version()
            text = f"# A\n\ntheirs {self.written + 1}\n"
            if self.in_place:
                self.document.write_text(text, encoding="utf-8")
            else:
                new = self.document.with_name("new")
                new.write_text(text, encoding="utf-8")
                os.replace(new, self.document)
            self.written += 1
        time.sleep(1.5)
        self.lost += not self.finds_its_version()

    def end(self):
        self.done.set()
        self.join()


def against_other(place, in_place, times):
    document = place.write("root/doc.md", "# A\n")
    outcomes = {True: 0, False: 0}
    with Service(place, "--root", place.folder / "root") as service:
        other = OtherProgram(document, in_place)
        other.start()
        for number in range(times):
            edits = [{"old": "", "new": f"ours {number}\n", "line": 1}]
            answer = service.call("apply_patch", path="doc.md", edits=edits, force=True)
            structure = (answer or {}).get("result", {}).get("structuredContent") or {}
            outcomes[structure.get("written") is True] += 1
        other.end()
    way = "in place" if in_place else "as a new file"
    said = f"{way}: {other.written} theirs, {other.lost} of them lost, {outcomes[True]} ours, {outcomes[False]} of ours refused"
    return other.lost <= other.written // 100 and other.written >= 100 and outcomes[True] > 0, said


def rewritten(place):
    results = [against_other(place, in_place, 750) for in_place in (False, True)]
    return Outcome(all(passed for passed, _ in results), "; ".join(said for _, said in results))


CHANGES = [
    Case("2-apply", "4 concurrent apply_patch with the same expect_hash x400",
         "one of four is written, the others are refused since the file has changed", same_hash),
    Case("2-apply", "leftover of an earlier process with the same PID (always PID 1 in a container)",
         "written, and the hidden files of the present version are gone", leftover),
    Case("2-apply", "temporary files after SIGKILL", "no torn file in 100 kills, and the next patch removes what is left", kills),
    Case("2-apply", "owner kept (when it runs as root)", "the same owner, group, and set-user-ID bit", owner),
    Case("2-apply", "hard link stays one file (or is told of)", "the other name keeps the old content, as docs/mcp.md says", hard_link),
    Case("2-apply", "extended attributes kept", "the same attributes", attributes),
    Case("2-apply", "another program rewrites the file every 3 ms while we patch 1,500 times",
         "at most 1 in 100 of its versions is lost: SECURITY.md does not promise more to programs that take no lock", rewritten),
]


# Pipes.


@contextlib.contextmanager
def swapped(path, others):
    """Gives a path to each of some files in turn, as often as possible."""
    done, count = threading.Event(), [0]

    def swap():
        new = path.with_name("next")
        while not done.is_set():
            for other in others:
                new.unlink(missing_ok=True)
                os.link(other, new)
                os.replace(new, path)
                # Where both names are of one file already, nothing is replaced.
                count[0] += 1

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield count
    finally:
        done.set()
        thread.join()


def blocked(service):
    """Threads of the service that wait until a pipe is opened by another program."""
    waiting = 0
    for task in os.listdir(f"/proc/{service.process.pid}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{service.process.pid}/task/{task}/wchan", encoding="ascii") as channel:
            waiting += channel.read() in ("wait_for_partner", "fifo_open")
    return waiting


def pipe_race(times):
    def attempt(place):
        file = place.write("files/file", "# A\n")
        pipe, path = place.folder / "files/pipe", place.write("root/doc.md", "# A\n")
        os.mkfifo(pipe)

        def call(_):
            begin = time.monotonic()
            answer = service.call("validate", path="doc.md")
            if answer is None or time.monotonic() - begin > 8 or "time limit" in json.dumps(answer):
                return "hung"
            return "refused" if answer.get("result", {}).get("isError") else "fine"

        with Service(place, "--root", place.folder / "root") as service:
            with swapped(path, (file, pipe)) as swaps, concurrent.futures.ThreadPoolExecutor(2) as threads:
                outcomes = list(threads.map(call, range(times)))
            held, well = blocked(service), is_well_soon(service)
        counts = {name: outcomes.count(name) for name in ("hung", "fine", "refused")}
        passed = not counts["hung"] and held == 0 and well and counts["fine"] > 0 and counts["refused"] > 0
        return Outcome(passed, f"{counts}, {swaps[0]} swaps, {held} threads wait for a pipe, answers afterwards: {well}")

    return Case("3-files", f"TOCTOU: file <-> FIFO, validate x{times:,}", "no call hangs, and the next call is answered", attempt)


def foreign_configuration(place):
    if os.geteuid() != 0:
        return NOT_ROOT
    settings = place.write("parent/proofmark.toml", '[rules]\nselect = ["FM"]\n')
    folder = place.write("parent/folder/doc.md", "# A\n").parent
    own = run(place, "check", "doc.md", folder=folder)
    os.chown(settings, USER, USER)
    foreign = run(place, "check", "doc.md", folder=folder)
    alone = run(place, "--isolated", "check", "doc.md", folder=folder)
    reported = ["PM020" in ran.text for ran in (own, foreign, alone)]
    measured = f"reported: own {reported[0]}, of another user {reported[1]}, isolated {reported[2]}"
    return Outcome(reported == [False, True, False], measured)


RACES = [
    pipe_race(400),
    pipe_race(6_000),
    Case("3-files", "proofmark.toml of another user in a parent folder is taken", "reported as PM020, not with --isolated",
         foreign_configuration),
]


# Devices and links.


def capped(place):
    """The same place, where the program gets at most 4 GiB: a device has no end."""
    wrapper = place.write("capped", f"#!/bin/sh\nulimit -v {4 << 20}\nexec '{place.program}' \"$@\"\n")
    wrapper.chmod(0o755)
    return dataclasses.replace(place, program=str(wrapper))


def endless(name, option, usual):
    """An option whose file is a device: refused, while an ordinary file is accepted."""

    def attempt(place):
        place.write("doc.md", "# A\n")
        place.write("usual", usual)
        control = run(place, "--isolated", "check", option, "usual", "doc.md")
        ran = run(capped(place), "--isolated", "check", option, "/dev/zero", "doc.md")
        passed = control.code == 0 and ran.code == 2 and ran.within(mib=300) and "/dev/zero" in ran.text
        return Outcome(passed, f"{ran.cost}: {ran.text.strip()[:100]}; an ordinary file: exit code {control.code}")

    return Case("1-other", name, "exit code 2 with the name of the file, 10 s, 300 MiB", attempt)


PACK = "version: 1\nname: shop\ndescription: A shop\nprefix: SH\nkinds: [yaml]\n"
RULE = ("version: 1\nrules:\n  - id: SH001\n    name: shop-id\n    severity: error\n    since: 0.1.0\n    given: $\n"
        "    check: {required: id}\n    message: \"no id\"\n    explain: The id names the shop.\n    examples:\n"
        "      - invalid: {EXAMPLE}\n      - valid: {source: \"id: 1\"}\n")
RULES = RULE.replace("EXAMPLE", 'source: "a: 1"')
OUTSIDE = "OUTSIDE-SECRET-TEXT"
# What is checked, and the commands of the review.
COMMANDS = {"rules": ("rules", "test", "p"), "check": ("check", ".")}


def write_pack(place, **files):
    """A pack, its configuration, and a document that it accepts."""
    made = {"p/pack.yaml": PACK, "p/rules.yaml": RULES, "doc.yaml": "id: 1\n", "proofmark.toml": '[packs]\npaths = ["p"]\n'}
    for path, text in {**made, **files}.items():
        place.write(f"repository/{path}", text)
    return place.folder / "repository"


def pack_link(name, command, path, target, texts):
    """A file of a pack that is a link: none of the texts of its target are shown."""

    def attempt(place):
        place.write("outside", f"{OUTSIDE}: 1\n")
        folder = write_pack(place)
        usual = run(place, *COMMANDS[command], folder=folder)
        (folder / path).unlink()
        (folder / path).symlink_to(target)
        ran = run(place, *COMMANDS[command], folder=folder)
        leaks = [text for text in texts() if text in ran.text]
        passed = usual.code == 0 and ran.code in (1, 2) and not leaks and path.split("/")[1] in ran.text
        return Outcome(passed, f"leaks: {len(leaks)}, {ran.cost}: {ran.text.strip()[:100]}; an ordinary pack: {usual.code}")

    return Case("1-packs", f"{name} [{command}]", "refused by its name, nothing of the other file is shown", attempt)


def lines_of_users():
    """The lines of /etc/passwd, and the beginnings that a message may quote."""
    with open("/etc/passwd", encoding="utf-8") as lines:
        return [line.strip()[:12] for line in lines if len(line) >= 12]


def pack_device(name, prepare, usual):
    """A file that a pack names is a device; by its path, and by a link inside of the pack."""

    def attempt(place):
        said, passed = [], True
        for way in ("usual", "path", "link"):
            where = dataclasses.replace(place, folder=place.folder / way)
            folder = prepare(where, "/dev/zero" if way == "path" else "data")
            if way == "link":
                (folder / "p/data").symlink_to("/dev/zero")
            elif way == "usual":
                (folder / "p/data").write_text(usual, encoding="utf-8")
            ran = run(capped(where), *COMMANDS["check"], folder=folder)
            said.append(f"{way}: {ran.cost}")
            passed = passed and ran.within(mib=300) and (ran.code == 0) == (way == "usual")
        return Outcome(passed, "; ".join(said))

    return Case("1-packs", f"{name} [check]", "refused, 10 s, 300 MiB", attempt)


def pack_with_example(place, path):
    return write_pack(place, **{"p/rules.yaml": RULE.replace("EXAMPLE", f"file: {path}")})


def pack_with_schema(place, path):
    return write_pack(place, **{"p/pack.yaml": f"{PACK}schemas: {{x: {path}}}\n"})


DEVICES = [
    endless("baseline is /dev/zero", "--baseline", '{"version": 1, "findings": {}}'),
    endless("env file is /dev/zero", "--env-file", "A=1\n"),
    pack_link("rules.yaml is a symlink out", "rules", "p/rules.yaml", "../../outside", lambda: [OUTSIDE]),
    pack_link("pack.yaml is a symlink to /etc/passwd", "rules", "p/pack.yaml", "/etc/passwd", lines_of_users),
    pack_link("pack.yaml is a symlink to /etc/passwd", "check", "p/pack.yaml", "/etc/passwd", lines_of_users),
    pack_device("example file is /dev/zero", pack_with_example, "a: 1\n"),
    pack_device("schema file is /dev/zero", pack_with_schema, "{}\n"),
]

CASES = [*CHANGES, *RACES, *DEVICES]
