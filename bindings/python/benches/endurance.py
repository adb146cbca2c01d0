"""What must hold for a long time: python benches/endurance.py [--calls 1000000] [--seconds 60]

A million calls take no more memory than the first ones, eight threads use one validator for a minute, and processes fork while they do.
Exits with 1 where something does not hold.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from measure import diagrams

import proofmark_rs as pm

LETTER = "---\ntitle: Part 1: the plan\n---\n"


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def memory_of_calls(calls: int) -> bool:
    validator, texts = pm.Validator(), diagrams(1_000)

    def work(times: int) -> None:
        for number in range(times):
            for found in validator.validate(texts[number % len(texts)], kind="mermaid"):
                found.to_dict()

    work(20_000)
    before, start = resident(), time.perf_counter()
    work(calls)
    grown = resident() - before
    print(f"{calls:,} calls in {time.perf_counter() - start:.0f} s: {before / 1e6:.1f} MB before, {grown / 1e6:+.1f} MB after")
    return abs(grown) <= 5_000_000


def forked(work: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Whether `work` holds in a fork of this process; false where it does not end."""
    child = os.fork()
    if child == 0:
        os._exit(0 if work() else 1)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _fingerprints(texts: list[str]) -> list[str]:
    return [found.fingerprint for text in texts for found in pm.validate(text, kind="mermaid")]


def threads_and_forks(seconds: float) -> bool:
    validator, texts = pm.Validator(), diagrams(200)
    expected = [[found.fingerprint for found in validator.validate(text, kind="mermaid")] for text in texts]
    fixed = pm.fix(LETTER, kind="markdown").text
    end, wrong, counts = time.monotonic() + seconds, [0] * 8, [0] * 8

    def work(number: int) -> None:
        while time.monotonic() < end:
            for text, found in zip(texts, expected, strict=True):
                wrong[number] += [one.fingerprint for one in validator.validate(text, kind="mermaid")] != found
            reports = validator.validate_many(texts, kind="mermaid", threads=2)
            wrong[number] += [[one.fingerprint for one in report] for report in reports] != expected
            wrong[number] += validator.fix(LETTER, kind="markdown").text != fixed
            counts[number] += 2 * len(texts) + 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    forks, flat = 0, [one for found in expected for one in found]
    while time.monotonic() < end:
        forks += 1
        wrong[0] += not forked(lambda: _fingerprints(texts) == flat)
    for thread in threads:
        thread.join()
    print(f"8 threads for {seconds:.0f} s: {sum(counts):,} documents, {forks} forks meanwhile, {sum(wrong)} results that differ")
    return sum(wrong) == 0


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    return 0 if all([threads_and_forks(given.seconds), memory_of_calls(given.calls)]) else 1


if __name__ == "__main__":
    sys.exit(main())
