"""Runs that are interrupted or killed end at once, leave no process, and go on when they are started again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

#: Seconds until all processes have ended: two, and three more for a busy machine.
ENDED = 5.0

#: Seconds for a program to start.
STARTED = 120.0


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _session(leader: int) -> list[int]:
    """The processes of a session, without those that have ended and are not waited for."""
    found = []
    for state in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = state.read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] not in "ZX":
                found.append(int(state.parent.name))
    return found


@contextlib.contextmanager
def _program(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A program in a session of its own; what is left of it in the end is killed."""
    # The tests may run under `nohup`, whose children ignore the signal too.
    process = subprocess.Popen(
        [sys.executable, *arguments],
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        for one in _session(process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        process.communicate()


def _corpus(folder: Path, files: int = 60, rows: int = 2000) -> Path:
    folder.mkdir()
    for file in range(files):
        texts = [f"flowchart LR\n  A{row} --> B\n" + "  B --> C\n" * 30 for row in range(rows)]
        pq.write_table(pa.table({"id": [f"{file}-{row}" for row in range(rows)], "text": texts}), folder / f"{file:03}.parquet")
    return folder


def _to_group(process: subprocess.Popen[str]) -> None:
    os.killpg(process.pid, signal.SIGINT)


def _to_driver(number: int) -> Callable[[subprocess.Popen[str]], None]:
    return lambda process: process.send_signal(number)


WAYS = {
    "ctrl-c": (_to_group, 3),
    "sigint": (_to_driver(signal.SIGINT), 3),
    "sigterm": (_to_driver(signal.SIGTERM), 3),
    "sighup": (_to_driver(signal.SIGHUP), 3),
    "sigkill": (_to_driver(signal.SIGKILL), -9),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_run_ends_at_once_and_leaves_no_process(way: str, tmp_path: Path) -> None:
    stop, status = WAYS[way]
    corpus, out = _corpus(tmp_path / "corpus"), tmp_path / "out"
    arguments = ["-m", "proofmark_rs", "corpus", "run", "--in", str(corpus), "--out", str(out), "--kind", "mermaid", "--jobs", "2"]
    with _program(*arguments) as process:
        assert _until(lambda: len(list(out.glob("results-*/part-*"))) >= 2, STARTED)
        assert len(_session(process.pid)) >= 5
        stop(process)
        start = time.monotonic()
        assert _until(lambda: not _session(process.pid), ENDED), _session(process.pid)
        ended = time.monotonic() - start
        _, errors = process.communicate()
    print(f"{way}: ended after {ended:.2f} s")
    assert process.returncode == status
    assert "Traceback" not in errors
    if status == 3:
        assert "interrupted: give the same arguments to go on" in errors
        assert json.loads((out / "report.json").read_text())["complete"] is False
    done = len(list(out.glob("results-*/part-*")))
    assert 2 <= done < 60


def test_a_run_without_a_terminal_ignores_its_end(tmp_path: Path) -> None:
    """As `nohup` starts it."""
    corpus, out = _corpus(tmp_path / "corpus", files=4, rows=300), tmp_path / "out"
    code = (
        "import os, signal, sys, threading; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from proofmark_rs.corpus import lifetime\n"
        "with lifetime.ended_by_signals(): os.kill(os.getpid(), signal.SIGHUP)\n"
        "from proofmark_rs.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    arguments = ["-c", code, "corpus", "run", "--in", str(corpus), "--out", str(out), "--kind", "mermaid", "--jobs", "1", "--quiet"]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_second_signal_ends_the_process_at_once() -> None:
    code = """
import os, signal, time
from proofmark_rs.corpus import lifetime
with lifetime.ended_by_signals():
    try:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
    except KeyboardInterrupt:
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=50).returncode == 3


ISOLATED = """
import sys, threading
sys.path.insert(0, sys.argv[1])
import pyarrow as pa
from proofmark_rs.corpus import Isolated
from test_corpus import Poisoned, VALID

def work():
    isolated = Isolated(Poisoned(kind="mermaid"))
    isolated(pa.record_batch({"text": [VALID]}))
    print("begin", flush=True)
    isolated(pa.record_batch({"text": ["sleep"]}))

if sys.argv[2] == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    work()
"""


@pytest.mark.parametrize("caller", ["main", "thread"])
def test_the_process_of_an_operator_ends_with_the_one_that_started_it(caller: str) -> None:
    """Also in the middle of a document that does not come to an end."""
    with _program("-c", ISOLATED, str(Path(__file__).parent), caller) as process:
        assert process.stdout is not None and process.stdout.readline() == "begin\n"
        assert len(_session(process.pid)) == 2
        process.kill()
        assert _until(lambda: not _session(process.pid), ENDED)


def test_the_process_of_an_operator_outlives_the_thread_that_started_it() -> None:
    import threading

    from proofmark_rs.corpus import Isolated, Operator

    batch = pa.record_batch({"text": ["flowchart LR\n  A --> B\n"]})
    with Isolated(Operator(kind="mermaid")) as isolated:
        thread = threading.Thread(target=isolated, args=(batch,))
        thread.start()
        thread.join()
        assert isolated(batch).to_pylist()[0]["valid"] and isolated.crashes == []
