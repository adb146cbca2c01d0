"""Compare engines on this machine with `proofmark batch`: python benches/engines.py [--documents 1000000] [--engines local,ray,spark]

Ray and Spark standalone run as clusters of processes with workers of one core. What every engine finds is compared row for row with what
`batch` writes. A rate is of CPU seconds of all processes, so that other work on the machine does not count, and without starting: each engine
checks a tenth of the documents first.
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

    with ray_cluster(workers) as cluster:
        engine.init(address=cluster.address, log_to_driver=False)
        engine.data.DataContext.get_current().enable_progress_bars = False

        def work(corpus: Path, out: Path) -> None:
            dataset = engine.data.read_parquet(str(corpus))
            checked = proofmark_rs.ray.check(dataset, kind="mermaid", keep=["id"], concurrency=workers, isolate=isolate)
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
        session = builder.config("spark.executor.memory", "768m").getOrCreate()

        def work(corpus: Path, out: Path) -> None:
            frame = session.read.parquet(str(corpus))
            proofmark_rs.spark.check(frame, kind="mermaid", keep=["id"], isolate=isolate).write.parquet(str(out))

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
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        corpus = written(folder / "corpus", texts)
        warm = written(folder / "warm", texts[: len(texts) // 10])

        def records(count: int) -> Iterator[tuple[str, str]]:
            return ((f"{number:08}", text) for number, text in enumerate(texts[:count]))

        lines = folder / "lines"
        with lines.open("w") as file:
            for id_, text in records(len(texts)):
                file.write(json.dumps({"id": id_, "kind": "mermaid", "text": text}) + "\n")
        start, cpu = time.perf_counter(), spent()
        with lines.open("rb") as file:
            subprocess.run([command, "batch", "--isolated", "--jobs", "1"], stdin=file, stdout=subprocess.DEVNULL, check=False)
        seconds, used = time.perf_counter() - start, spent() - cpu
        expected = digest(of_batch(command, records(len(texts)), kind="mermaid"))
        size = sum(len(text.encode()) for text in texts)
        print(f"{len(texts):,} diagrams, {size / 1e6:,.0f} MB, {sum(os.getloadavg()) / 3:.1f} processes wait for a CPU\n")
        print("| engine | workers | wall | documents/s | per CPU second | of `batch` | equal to `batch` |\n|---|---:|---:|---:|---:|---:|---|")
        single = len(texts) / used
        print(f"| `batch --jobs 1` | 1 | {seconds:.1f} s | {len(texts) / seconds:,.0f} | {single:,.0f} | | |", flush=True)
        table = pa.table({"text": texts})
        validator = pm.Validator()
        for threads in (1, 2):
            start, cpu = time.perf_counter(), spent()
            validator.check_arrow(table, kind="mermaid", threads=threads)
            report("`check_arrow`", threads, len(texts), time.perf_counter() - start, spent() - cpu, single, "")
        del table
        for engine in given.engines.split(","):
            title, context = ENGINE_WORKS[engine]
            for isolate in [word == "yes" for word in given.isolate.split(",")]:
                for workers in map(int, given.workers.split(",")):
                    out = folder / "out"
                    with context(workers, isolate) as work:
                        work(warm, folder / "out-warm")
                        start, cpu = time.perf_counter(), spent()
                        work(corpus, out)
                        seconds, used = time.perf_counter() - start, spent() - cpu
                    equal = "yes" if found(out) == expected else "NO"
                    report(title + (", isolated" if isolate else ""), workers, len(texts), seconds, used, single, equal)
                    shutil.rmtree(out)
                    shutil.rmtree(folder / "out-warm")


def report(*row: Any) -> None:
    title, workers, count, seconds, used, single, equal = row
    rate = count / used
    print(
        f"| {title} | {workers} | {seconds:.1f} s | {count / seconds:,.0f} | {rate:,.0f} | {rate / single:.0%} | {equal} |", flush=True
    )


if __name__ == "__main__":
    main()
