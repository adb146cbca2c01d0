"""Processes: forks, event loops, memory, the time of an import, and the command."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import proofmark_rs as pm

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
