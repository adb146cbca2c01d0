"""Processes: forks, event loops, memory, the time of an import, and the command."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import proofmark_rs as pm
import pytest

DIAGRAM = "flowchart LR\n  A[Start --> B\n"


def _errors(text: str) -> int:
    return pm.validate(text, kind="mermaid").errors


def test_a_process_can_fork_after_use() -> None:
    pm.validate_many([DIAGRAM] * 100, kind="mermaid", threads=4)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_errors, [DIAGRAM] * 4, chunksize=1) == [_errors(DIAGRAM)] * 4


def test_asyncio_is_not_held_up() -> None:
    async def both() -> tuple[pm.Report, list[pm.Report]]:
        one, many = await asyncio.gather(
            pm.aio.validate(DIAGRAM, kind="mermaid"), pm.aio.validate_many([DIAGRAM] * 3, kind="mermaid")
        )
        return one, many

    one, many = asyncio.run(both())
    assert one.errors and [report.errors for report in many] == [one.errors] * 3
    assert asyncio.run(pm.aio.fix("a: 1\n", kind="yaml")).text == "a: 1\n"


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_stays_the_same() -> None:
    validator = pm.Validator()

    def work(times: int) -> None:
        for _ in range(times):
            for found in validator.validate(DIAGRAM, kind="mermaid"):
                found.to_dict()

    work(3_000)
    before = _resident()
    work(6_000)
    assert abs(_resident() - before) < 5_000_000


def test_an_import_loads_nothing_else() -> None:
    code = "import sys, proofmark_rs; print(sorted({'pyarrow', 'numpy', 'ray', 'pyspark', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "[]\n"


def run(*arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proofmark_rs", *arguments], input=text, capture_output=True, text=True, check=False
    )


def test_the_command_line_runs_as_a_module() -> None:
    done = run("check", "-", "--kind", "mermaid", "--isolated", "--format", "json", text=DIAGRAM)
    assert done.returncode == 1
    assert done.stdout == pm.validate(DIAGRAM, kind="mermaid").to_json()
    assert run("--version").stdout == f"proofmark {pm.__version__}\n"
    assert run("no-such-command").returncode == 2
    assert "corpus" in run("--help").stdout


def test_the_help_of_corpora_needs_no_pyarrow() -> None:
    code = "import sys; sys.modules['pyarrow'] = None; from proofmark_rs.__main__ import main; sys.exit(main(sys.argv[1:]))"

    def without_pyarrow(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-c", code, "corpus", *arguments], capture_output=True, text=True, check=False)

    for arguments in (["--help"], ["run", "--help"]):
        done = without_pyarrow(*arguments)
        assert (done.returncode, done.stderr) == (0, "") and "run" in done.stdout
    done = without_pyarrow("run", "--in", "a", "--out", "b")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: `proofmark corpus` needs pyarrow, which is not installed\nhint: ")
    assert done.stderr.endswith("-m pip install pyarrow\n")


CALLS = {
    "validate_many": "pm.validate_many([text] * 1_000_000, kind='mermaid', threads={threads})",
    "check_arrow": "pm.check_arrow(pyarrow.array([text]).take(pyarrow.array([0] * 1_000_000)), kind='mermaid', threads={threads})",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_a_call(call: str, threads: int) -> None:
    pytest.importorskip("pyarrow")
    code = f"""
import os, pyarrow, proofmark_rs as pm
text = {DIAGRAM!r}
pm.validate(text, kind="mermaid")
os.write(1, b"begin")
{CALLS[call].format(threads=threads)}
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read(5) == b"begin"
    # The call has begun when it has used CPU time for a while.
    deadline = time.monotonic() + 60
    while _cpu_seconds(process.pid) < 1.5 and time.monotonic() < deadline:
        time.sleep(0.05)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode and b"KeyboardInterrupt" in errors
    assert time.monotonic() - start < 5


def _cpu_seconds(process: int) -> float:
    state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(state[11]) + int(state[12])) / os.sysconf("SC_CLK_TCK")
