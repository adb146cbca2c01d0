"""Attacks on moves of Org headlines: many at a time, beside other changes, killed, on a full disk. And on what is staged."""
import concurrent.futures
import json
import os
import random
import re
import signal
import subprocess
import threading
import time

from harness import Case, Outcome, Service, run

HEADLINES = 24


def headline(name):
    return f"* TODO Task {name}\n:PROPERTIES:\n:ID: {name}\n:END:\nText of {name}.\n"


def with_headlines(place):
    """A folder with two files of headlines, and the IDs of all."""
    names = [f"{file}{number:02}" for file in "xy" for number in range(HEADLINES // 2)]
    for file in "xy":
        place.write(f"notes/{file}.org", "".join(headline(name) for name in names if name[0] == file))
    return place.folder / "notes", names


def look(folder, names):
    """The headlines that are missing, those that are there twice, and the hidden files."""
    found = []
    for path in folder.rglob("*.org*"):
        if not path.name.startswith("."):
            found += re.findall(r"^:ID: (\S+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    lost = [name for name in names if name not in found]
    twice = sorted({name for name in found if found.count(name) > 1})
    return lost, twice, sorted(path.name for path in folder.rglob(".*"))


def served(place, folder):
    return Service(place, "--root", folder, "--toolsets", "org", http=True)


def failed(answer):
    return not answer or "error" in answer or answer["result"].get("isError", False)


def concurrent_moves(place):
    folder, names = with_headlines(place)
    numbers = random.Random(8)
    moves = [(numbers.choice(names), numbers.choice(["x.org", "y.org", None])) for _ in range(180)]

    def move(which):
        name, target = which
        if target is None:
            return failed(service.call("org_archive", resourceUri=f"org://id/{name}"))
        return failed(service.call("org_refile", resourceUri=f"org://id/{name}", targetUri=f"org://{target}"))

    with served(place, folder) as service, concurrent.futures.ThreadPoolExecutor(12) as threads:
        refused = sum(threads.map(move, moves))
    lost, twice, hidden = look(folder, names)
    measured = f"{refused} of {len(moves)} refused; lost {lost}, twice {twice}, left {hidden}"
    return Outcome(not lost and not twice and not hidden and refused < len(moves), measured)


def moves_beside_edits(place):
    """Each refused move leaves both files as they were: the headline is in the file that it was in."""
    folder, names = with_headlines(place)
    own = [name for name in names if name[0] == "x"]
    copies, refused = [], 0
    with served(place, folder) as service:
        done = threading.Event()

        def edit():
            count = 0
            while not done.is_set():
                count += 1
                service.call("org_set_properties", resourceUri="org://id/x00", properties={"COUNT": str(count)})

        # Other connections change the file all the time.
        editors = [threading.Thread(target=edit) for _ in range(4)]
        for editor in editors:
            editor.start()
        try:
            for number in range(50):
                name = own[1 + number % (len(own) - 1)]
                if failed(service.call("org_refile", resourceUri=f"org://id/{name}", targetUri="org://y.org")):
                    refused += 1
                    copies += [name] if f":ID: {name}\n" in (folder / "y.org").read_text(encoding="utf-8") else []
                else:
                    service.call("org_refile", resourceUri=f"org://id/{name}", targetUri="org://x.org")
        finally:
            done.set()
            for editor in editors:
                editor.join()
    lost, twice, hidden = look(folder, names)
    measured = f"{refused} of 50 refused, copies {copies}; lost {lost}, twice {twice}, left {hidden}"
    # A move back may have been refused: the headline is in the other file then, and only there.
    return Outcome(not lost and not twice and not hidden, measured)


def killed_moves(place):
    folder, names = with_headlines(place)
    numbers = random.Random(9)
    environment = {"PATH": os.environ["PATH"], "HOME": str(place.folder)}

    def start(*arguments):
        return subprocess.Popen([place.program, "--isolated", "org", *arguments], cwd=folder, env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    begin = time.perf_counter()
    start("refile", "org://id/x00", "org://y.org").wait()
    whole, wrong, between = time.perf_counter() - begin, [], 0
    for number in range(200):
        target = numbers.choice(["x.org", "y.org", None])
        uri = f"org://id/{numbers.choice(names)}"
        process = start("archive", uri) if target is None else start("refile", uri, f"org://{target}")
        time.sleep(numbers.random() * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
        lost, twice, _ = look(folder, names)
        between += bool(lost or twice)
        # Opens all files, archives too.
        start("get", "org://id/none").wait()
        after = look(folder, names)
        if any(after):
            wrong.append((number, *after))
    return Outcome(not wrong, f"200 kills, {between} between both files; afterwards wrong: {wrong[:3]}")


def full_tmpfs(place):
    """A file system of 256 KiB that fills up while headlines are changed and moved: what is refused leaves both files."""
    folder = place.folder / "notes"
    folder.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)], capture_output=True, check=False)
    if made.returncode != 0:
        return Outcome(False, "not tried: a file system can only be mounted by root")
    try:
        # Two files of 60 KiB, and room for one more; each change needs as much again for a moment.
        names = [f"{file}{number:02}" for file in "xy" for number in range(8)]
        for file in "xy":
            own = [headline(name) + "Text.\n" * 1_200 for name in names if name[0] == file]
            (folder / f"{file}.org").write_text("".join(own), encoding="utf-8")
        refused, wrong = 0, []
        moved = dict.fromkeys(names, "x")
        with served(place, folder) as service:
            for number, name in enumerate(names * 3):
                what = number % 3
                uri = f"org://id/{name}"
                before = {path.name: path.read_bytes() for path in folder.glob("[!.]*")}
                if what == 0:
                    answer = service.call("org_set_properties", resourceUri=uri, properties={"A": "b" * 400})
                elif what == 1:
                    answer = service.call("org_refile", resourceUri=uri, targetUri="org://" + ("x.org" if moved[name] == "y" else "y.org"))
                else:
                    answer = service.call("org_archive", resourceUri=uri)
                if failed(answer):
                    refused += 1
                    if {path.name: path.read_bytes() for path in folder.glob("[!.]*")} != before:
                        wrong.append((number, what))
                elif what == 1:
                    moved[name] = "y" if moved[name] == "x" else "x"
        lost, twice, hidden = look(folder, names)
        measured = f"{refused} of {len(names) * 3} refused; changed by a refused call {wrong}; lost {lost}, twice {twice}, left {hidden}"
        return Outcome(refused > 0 and not (wrong or lost or twice or hidden), measured)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def full_disk(limit):
    def attempt(place):
        text = "* TODO A\n* B\n" + "Text.\n" * 20_000
        folder = place.write("notes/x.org", text).parent
        (folder / "y.org").write_text("* C\n", encoding="utf-8")
        script = f"ulimit -f {limit // 512}; trap '' XFSZ; exec \"$@\""
        codes = []
        for arguments in (["set", "org://x.org/headline/A", "--state", "DONE"], ["refile", "org://x.org/headline/A", "org://y.org"],
                          ["archive", "org://x.org/headline/A"]):
            ran = subprocess.run(["sh", "-c", script, "sh", place.program, "--isolated", "org", *arguments], cwd=folder,
                                 capture_output=True, check=False)
            codes.append(ran.returncode)
        same = [(folder / "x.org").read_text(encoding="utf-8") == text, (folder / "y.org").read_text(encoding="utf-8") == "* C\n"]
        left = sorted(set(os.listdir(folder)) - {"x.org", "y.org"})
        return Outcome(codes == [2, 2, 2] and all(same) and not left, f"exit codes {codes}, files kept {same}, left {left}")

    return Case("A8 org", f"no file larger than {limit} bytes: set, refile, archive", "exit code 2, both files kept, nothing left", attempt)


MOVES = [
    Case("A8 org", "180 concurrent refiles and archives between two files", "no headline is lost or doubled", concurrent_moves),
    Case("A8 org", "50 refiles beside edits of the file all the time", "a refused refile leaves no copy", moves_beside_edits),
    Case("A8 org", "a file system of 256 KiB that fills up: changes and moves", "a refused call changes nothing, nothing is lost", full_tmpfs),
    Case("A8 org", "200 refiles and archives killed at random moments", "after the next call, nothing is lost, doubled, or left", killed_moves),
    full_disk(4096),
    full_disk(50 * 1024),
]


# What is staged.

KEYS = ["core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "diff.own.command", "diff.own.textconv",
        "filter.own.clean", "filter.own.smudge", "filter.own.process", "pager.diff", "gpg.program"]


def staged(place):
    repository = place.write("repository/a.yaml", "a: b: c\n").parent
    (repository / ".gitattributes").write_text("*.yaml filter=own diff=own\n", encoding="utf-8")

    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=repository, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    started = place.folder / "started"
    program = place.write("program", f"#!/bin/sh\necho \"$0 $*\" >>'{started}'\ncat\n")
    hook = place.write("repository/.git/hooks/post-index-change", f"#!/bin/sh\necho hook >>'{started}'\n")
    for path in (program, hook):
        path.chmod(0o755)
    for key in KEYS:
        git("config", key, str(program))
    ran = run(place, "check", "--staged", folder=repository)
    was = started.read_text(encoding="utf-8").splitlines() if started.exists() else []
    return Outcome(ran.code == 1 and not was, f"{ran.cost}, started: {json.dumps(was)[:120]}")


STAGED = [Case("A10 staged", "a checkout whose .git/config has core.fsmonitor, filters, textconv", "starts nothing, finds the error", staged)]

CASES = [*MOVES, *STAGED]
