"""Compare engines on this machine with `proofmark batch`: python benches/engines.py [--documents 1000000] [--engines local,ray,spark]

Ray and Spark standalone run as clusters of processes with workers of one core. What every engine finds is compared row for row with what
`batch` writes. A rate is of CPU seconds of all processes, so that other work on the machine does not count. Starting is not part of it, but
has a column of its own: an engine checks a tenth of the documents twice and then all, and the rate is of what the last run took longer than the
second. For the time of two workers against that of one, nothing else may run on the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from clusters import cpu_seconds, descendants, keep_orphans, ray_cluster, spark_cluster
from measure import diagrams
from rows import digest, of_batch, of_table

import proofmark_rs as pm
from proofmark_rs.corpus import Operator, Run
from proofmark_rs.corpus.engines import ENGINES

#: Checks the documents in a folder and writes results to another one.
Work = Callable[[Path, Path], None]


def spent() -> float:
    """CPU seconds of this process and of all below it."""
    return cpu_seconds([os.getpid(), *descendants(os.getpid())])


@contextmanager
def local(workers: int, isolate: bool) -> Iterator[Work]:
    def work(corpus: Path, out: Path) -> None:
        run = Run(corpus, out, operator=Operator(kind="mermaid"), isolate=isolate)
        for _ in ENGINES["local"](run, run.units(), workers, None):
            pass

    yield work


@contextmanager
def ray(workers: int, isolate: bool) -> Iterator[Work]:
    import ray as engine

    import proofmark_rs.ray

    with ray_cluster(workers, cpus=1) as cluster:
        engine.init(address=cluster.address, log_to_driver=False)
        engine.data.DataContext.get_current().enable_progress_bars = False

        def work(corpus: Path, out: Path) -> None:
            dataset = engine.data.read_parquet(str(corpus))
            checked = proofmark_rs.ray.check(dataset, kind="mermaid", id="id", isolate=isolate)
            checked.write_parquet(str(out))

        try:
            yield work
        finally:
            engine.shutdown()


@contextmanager
def spark(workers: int, isolate: bool) -> Iterator[Work]:
    from pyspark.sql import SparkSession

    import proofmark_rs.spark

    with spark_cluster(workers) as cluster:
        builder = SparkSession.builder.master(cluster.address).config("spark.ui.enabled", "false")
        # Without it, Spark puts many files into one task for each core, and one core waits for the other at the end.
        builder = builder.config("spark.sql.files.minPartitionNum", "16")
        session = builder.config("spark.executor.memory", "768m").getOrCreate()

        def work(corpus: Path, out: Path) -> None:
            frame = session.read.parquet(str(corpus))
            proofmark_rs.spark.check(frame, kind="mermaid", id="id", isolate=isolate).write.parquet(str(out))

        try:
            yield work
        finally:
            session.stop()


ENGINE_WORKS = {"local": ("`corpus run`", local), "ray": ("Ray Data", ray), "spark": ("Spark standalone", spark)}


def written(folder: Path, texts: list[str]) -> Path:
    """Documents in sixteen Parquet files."""
    folder.mkdir()
    table = pa.table({"id": [f"{number:08}" for number in range(len(texts))], "text": texts})
    step = -(-len(texts) // 16)
    for number in range(16):
        pq.write_table(table.slice(number * step, step), folder / f"{number:02}.parquet", compression="zstd")
    return folder


def found(out: Path) -> tuple[int, str]:
    """The digest of what an engine has written."""
    files = [str(path) for path in out.rglob("*.parquet") if not path.name.startswith((".", "_"))]
    return digest(of_table(ds.dataset(files, format="parquet").to_table()))


@dataclass(frozen=True)
class Cost:
    """What a piece of work has taken."""

    documents: int
    seconds: float
    cpu: float

    def without_start(self, smaller: Cost) -> Cost:
        """What the documents took that a smaller run did not have: both started the same."""
        return Cost(self.documents - smaller.documents, self.seconds - smaller.seconds, self.cpu - smaller.cpu)


def cost(documents: int, work: Callable[[], object]) -> Cost:
    """What this work takes."""
    start, cpu = time.perf_counter(), spent()
    work()
    return Cost(documents, time.perf_counter() - start, spent() - cpu)


class Report:
    """The table, line by line."""

    def __init__(self) -> None:
        self._batch: float | None = None
        self._single: dict[str, float] = {}
        print("| engine | workers | wall | CPU of the start | documents per CPU second | of `batch` | to one worker | equal to `batch` |")
        print("|---|---:|---:|---:|---:|---:|---:|---|")

    def add(self, title: str, workers: int, whole: Cost, smaller: Cost, equal: str = "") -> None:
        """A line: `whole` and `smaller` are runs that differ only in the number of documents."""
        net = whole.without_start(smaller)
        rate, speed = net.documents / net.cpu, net.documents / net.seconds
        self._batch = self._batch or rate
        single = self._single.setdefault(title, speed)
        row = (
            title,
            workers,
            f"{whole.seconds:.1f} s",
            f"{max(whole.cpu - whole.documents / rate, 0):.1f} s",
            f"{rate:,.0f}",
            f"{rate / self._batch:.0%}",
            f"{speed / single:.2f}" if workers > 1 else "",
            equal,
        )
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--corpus", type=Path, help="JSON Lines with diagrams, which are repeated; generated ones when absent")
    parser.add_argument("--engines", default="local,ray,spark")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--isolate", default="no,yes")
    given = parser.parse_args()
    keep_orphans()
    command = shutil.which("proofmark") or "proofmark"
    if given.corpus:
        own = [json.loads(line)["text"] for line in given.corpus.read_text("utf-8").split("\n") if line]
        texts = [own[number % len(own)] for number in range(given.documents)]
    else:
        texts = diagrams(given.documents)
    tenth = len(texts) // 10
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        corpora = {count: written(folder / f"corpus-{count}", texts[:count]) for count in (tenth, len(texts))}
        size = sum(len(text.encode()) for text in texts)
        print(f"{len(texts):,} diagrams, {size / 1e6:,.0f} MB; load {' '.join(f'{load:.1f}' for load in os.getloadavg())}\n", flush=True)
        report = Report()

        def records(count: int) -> Iterator[tuple[str, str]]:
            return ((f"{number:08}", text) for number, text in enumerate(texts[:count]))

        def batch(count: int) -> Cost:
            lines = folder / "lines"
            with lines.open("w") as file:
                for id_, text in records(count):
                    file.write(json.dumps({"id": id_, "kind": "mermaid", "text": text}) + "\n")
            run = [command, "batch", "--isolated", "--jobs", "1"]
            with lines.open("rb") as file:
                return cost(count, lambda: subprocess.run(run, stdin=file, stdout=subprocess.DEVNULL, check=False))

        smaller = batch(tenth)
        report.add("`batch --jobs 1`", 1, batch(len(texts)), smaller)
        validator, table = pm.Validator(), pa.table({"text": texts})
        for threads in (1, 2):

            def check(part: pa.Table, threads: int = threads) -> Cost:
                return cost(len(part), lambda: validator.check_arrow(part, kind="mermaid", threads=threads))

            smaller = check(table.slice(0, tenth))
            report.add("`check_arrow`", threads, check(table), smaller)
        del table, validator
        expected = digest(of_batch(command, records(len(texts)), kind="mermaid"))
        for engine in given.engines.split(","):
            title, context = ENGINE_WORKS[engine]
            for isolate in [word == "yes" for word in given.isolate.split(",")]:
                for workers in map(int, given.workers.split(",")):
                    with context(workers, isolate) as work:

                        def run(count: int, work: Work = work) -> Cost:
                            out = folder / "out"
                            shutil.rmtree(out, ignore_errors=True)
                            return cost(count, lambda: work(corpora[count], out))

                        # The first one starts processes and has their code compiled.
                        run(tenth)
                        smaller = run(tenth)
                        whole = run(len(texts))
                    equal = "yes" if found(folder / "out") == expected else "NO"
                    report.add(title + (", isolated" if isolate else ""), workers, whole, smaller, equal)
    print(f"\nload {' '.join(f'{load:.1f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
