"""Measure the package on this machine: python benches/measure.py [--command PROOFMARK] [--seconds 2]

Compares calls, batches over Arrow, and a pipe to `proofmark batch`, on generated diagrams of about 250 bytes. Figures depend
on the machine and on what else runs there; the ratios less so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable

import pyarrow as pa
from clusters import cpu_seconds, descendants

import proofmark_rs as pm
from proofmark_rs.corpus import Isolated, Operator


def diagrams(count: int) -> list[str]:
    """Flowcharts of about 250 bytes, one in ten with an error."""
    chance = random.Random(1)
    texts = []
    for number in range(count):
        nodes = [f"N{chance.randrange(40)}" for _ in range(16)]
        lines = [f"  {one}[{one} of {number}] --> {two}" for one, two in zip(nodes[::2], nodes[1::2], strict=True)]
        broken = "  A[Start --> B\n" if number % 10 == 0 else ""
        texts.append("flowchart LR\n" + "\n".join(lines) + "\n" + broken)
    return texts


def spent() -> float:
    """CPU seconds of this process and of all that it has started."""
    return cpu_seconds([os.getpid(), *descendants(os.getpid())])


def rates(work: Callable[[], int], seconds: float) -> tuple[float, float]:
    """Documents per second and per CPU second: the best of rounds, since other work only makes them slower."""
    by_time, by_cpu, end = 0.0, 0.0, time.perf_counter() + seconds
    while True:
        start, cpu = time.perf_counter(), spent()
        count = work()
        by_time = max(by_time, count / (time.perf_counter() - start))
        by_cpu = max(by_cpu, count / (spent() - cpu))
        if time.perf_counter() > end:
            return by_time, by_cpu


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", default="proofmark")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--documents", type=int, default=20_000)
    given = parser.parse_args()
    texts = diagrams(given.documents)
    table = pa.table({"text": texts})
    validator = pm.Validator()
    lines = "".join(json.dumps({"id": n, "kind": "mermaid", "text": text}) + "\n" for n, text in enumerate(texts)).encode()

    def pipe(jobs: int) -> Callable[[], int]:
        def work() -> int:
            run = [given.command, "batch", "--isolated", "--jobs", str(jobs)]
            done = subprocess.run(run, input=lines, stdout=subprocess.PIPE, check=False)
            return sum(1 for line in done.stdout.split(b"\n") if line and json.loads(line))

        return work

    def batch(jobs: int) -> Callable[[], int]:
        def work() -> int:
            run = [given.command, "batch", "--isolated", "--jobs", str(jobs)]
            subprocess.run(run, input=lines, stdout=subprocess.DEVNULL, check=False)
            return len(texts)

        return work

    def calls() -> int:
        return sum(1 for text in texts if validator.validate(text, kind="mermaid") is not None)

    def arrow(threads: int) -> Callable[[], int]:
        return lambda: len(validator.check_arrow(table, kind="mermaid", threads=threads))

    child = Isolated(Operator(kind="mermaid"))
    child(table.slice(0, 10).combine_chunks().to_batches()[0])

    def isolated() -> int:
        return sum(len(child(part)) for part in table.to_batches(max_chunksize=2048))

    print("| what | documents/s | per CPU second |\n|---|---:|---:|")
    for name, work in {
        "`batch --jobs 1`, output thrown away": batch(1),
        "`batch --jobs 2`, output thrown away": batch(2),
        "Python over a pipe to `batch --jobs 1`": pipe(1),
        "`validate`, one call each": calls,
        "`check_arrow`, one thread": arrow(1),
        "`check_arrow`, two threads": arrow(2),
        "isolated operator": isolated,
    }.items():
        by_time, by_cpu = rates(work, given.seconds)
        print(f"| {name} | {by_time:,.0f} | {by_cpu:,.0f} |", flush=True)
    start = time.perf_counter()
    for _ in range(20):
        subprocess.run([sys.executable, "-c", "import proofmark_rs"], check=True)
    with_module = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(20):
        subprocess.run([sys.executable, "-c", "pass"], check=True)
    print(f"| import | {(with_module - (time.perf_counter() - start)) / 20 * 1000:.1f} ms |")


if __name__ == "__main__":
    main()
