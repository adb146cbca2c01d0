"""Compare engines on this machine: python benches/engines.py [--documents 100000] [--engines local,ray,spark]

Ray and Spark run as clusters of processes: Ray with its own, Spark standalone with a master and two workers. The results of every engine are
compared row for row with `check_arrow` in this process. Rates exclude the start of an engine.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from measure import diagrams

import proofmark_rs as pm
from proofmark_rs.corpus import Operator, Run
from proofmark_rs.corpus.engines import local

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")


def digest(table: pa.Table) -> str:
    """A hash of all rows, whatever order they are in."""
    rows = table.select(["id", "valid", "errors", "diagnostics", "error"]).sort_by("id").to_pylist()
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def timed(work: Callable[[], pa.Table]) -> tuple[float, pa.Table]:
    start = time.perf_counter()
    table = work()
    return time.perf_counter() - start, table


def by_local(corpus: Path, jobs: int, isolate: bool) -> tuple[float, pa.Table]:
    with tempfile.TemporaryDirectory() as folder:
        run = Run(corpus, Path(folder), operator=Operator(kind="mermaid"), isolate=isolate)

        def work() -> pa.Table:
            for _ in local(run, run.units(), jobs):
                pass
            return ds.dataset(run.folder).to_table()

        return timed(work)


def by_ray(corpus: Path, jobs: int) -> tuple[float, pa.Table]:
    import ray

    import proofmark_rs.ray

    ray.init(num_cpus=jobs, include_dashboard=False, object_store_memory=400_000_000, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:

        def work() -> pa.Table:
            dataset = ray.data.read_parquet(str(corpus), ray_remote_args={"num_cpus": 0.25})
            checked = proofmark_rs.ray.check(dataset, kind="mermaid", keep=["id"], concurrency=jobs)
            return pa.concat_tables(ray.get(checked.to_arrow_refs()))

        work()
        return timed(work)
    finally:
        ray.shutdown()


@contextmanager
def standalone(workers: int) -> Iterator[str]:
    """A Spark cluster of a master and workers with a core each."""
    import pyspark

    home = Path(pyspark.__file__).parent
    script = [str(home / "bin" / "spark-class")]
    page, port = 18080, 17077
    running: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str) -> None:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "SPARK_HOME": str(home)}
        running.append(subprocess.Popen([*script, *arguments], env=environment, **quiet))  # type: ignore[call-overload]

    try:
        name = "org.apache.spark.deploy"
        start(f"{name}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(page))
        for number in range(workers):
            options = ("--cores", "1", "--memory", "1g", "--webui-port", str(page + 1 + number))
            start(f"{name}.worker.Worker", "--host", "127.0.0.1", *options, f"spark://127.0.0.1:{port}")
        for _ in range(120):
            time.sleep(1)
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{page}/json/") as answer:
                    if json.load(answer)["aliveworkers"] == workers:
                        break
            except OSError:
                continue
        yield f"spark://127.0.0.1:{port}"
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()


def by_spark(corpus: Path, jobs: int) -> tuple[float, pa.Table]:
    from pyspark.sql import SparkSession

    import proofmark_rs.spark

    with standalone(jobs) as master, tempfile.TemporaryDirectory() as folder:
        session = (
            SparkSession.builder.master(master)
            .config("spark.ui.enabled", "false")
            .config("spark.executor.memory", "768m")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
            .getOrCreate()
        )
        try:
            rounds = iter(range(10))

            def work() -> pa.Table:
                out = f"{folder}/{next(rounds)}"
                frame = session.read.parquet(str(corpus))
                proofmark_rs.spark.check(frame, kind="mermaid", keep=["id"]).write.parquet(out)
                return ds.dataset(out, format="parquet").to_table()

            work()
            return timed(work)
        finally:
            session.stop()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--engines", default="local,ray,spark")
    given = parser.parse_args()
    texts = diagrams(given.documents)
    table = pa.table({"id": [f"{number:08}" for number in range(len(texts))], "text": texts})
    engines = given.engines.split(",")
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder)
        step = -(-len(texts) // 16)
        for number in range(16):
            pq.write_table(table.slice(number * step, step), corpus / f"{number:02}.parquet", compression="zstd")
        validator = pm.Validator()
        seconds, checked = timed(lambda: pa.table(validator.check_arrow(table, kind="mermaid", keep=["id"], threads=1)))
        expected = digest(checked)
        print("| engine | processes | documents/s | of one core in process | equal |\n|---|---:|---:|---:|---|")
        single = len(texts) / seconds
        print(f"| `check_arrow` | 1 | {single:,.0f} | 100 % | |", flush=True)
        for jobs in (1, 2):
            works: dict[str, Callable[[], tuple[float, pa.Table]]] = {}
            if "local" in engines:
                works["corpus run, isolated"] = lambda: by_local(corpus, jobs, True)
                works["corpus run, not isolated"] = lambda: by_local(corpus, jobs, False)
            if "ray" in engines:
                works["Ray Data"] = lambda: by_ray(corpus, jobs)
            if "spark" in engines:
                works["Spark standalone"] = lambda: by_spark(corpus, jobs)
            for name, work in works.items():
                seconds, found = work()
                rate, equal = len(texts) / seconds, digest(found) == expected
                share = f"{rate / single / jobs:.0%} per process"
                print(f"| {name} | {jobs} | {rate:,.0f} | {share} | {'yes' if equal else 'NO'} |", flush=True)


if __name__ == "__main__":
    main()
