"""What happens to runs when things go wrong, on clusters of processes on this machine:

    python benches/faults.py kills     driver and workers are killed at random moments, and the run is started again
    python benches/faults.py poison    documents crash the process that validates them
    python benches/faults.py skew      one large file among many small ones
    python benches/faults.py memory    few and many rows

Options: --engines local,ray,spark --documents 1000000 --workers 2. A table with the results is written to standard output; a line of it that
says `NO` is an error. Needs `proofmark` of this package, Ray and Spark.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from clusters import CLUSTERS, Cluster, command_of, descendants, keep_orphans, memory
from measure import diagrams
from poisoned import POISON
from rows import Row, digest, of_batch, of_table

#: Documents of a file that `written` makes.
FILE = 20_000


def written(folder: Path, texts: list[str], rows: int = FILE) -> None:
    """Write documents as JSON Lines, with their numbers as ids."""
    folder.mkdir(parents=True)
    for start in range(0, len(texts), rows):
        with (folder / f"{start // rows:05}.jsonl").open("w") as file:
            for number, text in enumerate(texts[start : start + rows], start):
                file.write(json.dumps({"id": f"{number:08}", "text": text}) + "\n")


def results(out: Path) -> Iterator[Row]:
    """The rows of a run."""
    (folder,) = out.glob("results-*")
    yield from of_table(ds.dataset(folder, format="parquet").to_table())


def command(corpus: Path, out: Path, cluster: Cluster, kind: str = "mermaid") -> list[str]:
    """The command for a run on a cluster."""
    of_engine = ["--engine", cluster.engine, *(["--address", cluster.address] if cluster.address else [])]
    run = [sys.executable, "-m", "proofmark_rs", "corpus", "run", "--in", str(corpus), "--out", str(out)]
    return [*run, "--kind", kind, "--jobs", "2", "--quiet", *of_engine]


def started(arguments: list[str]) -> subprocess.Popen[bytes]:
    """A process in a session of its own, so that all of it can be killed."""
    return subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def end(process: subprocess.Popen[bytes]) -> bool:
    """Kill a driver with all that belongs to it; false where it has ended already."""
    running = process.poll() is None
    if running:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return running


def kill_and_resume(cluster: Cluster, corpus: Path, out: Path, moments: int, wait: tuple[float, float]) -> tuple[int, int]:
    """Kill a worker and then the driver at random moments, each `moments` times, and complete the run: how many were hit."""
    chance = random.Random(7)
    arguments = command(corpus, out, cluster)
    workers = drivers = 0
    for number in range(moments):
        driver = started(arguments)
        time.sleep(chance.uniform(*wait))
        workers += cluster.kill_a_worker(number)
        time.sleep(chance.uniform(*wait) / 2)
        drivers += end(driver)
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the run ended with {done.returncode}: {done.stderr}")
    return workers, drivers


@contextmanager
def cluster_of(engine: str, workers: int) -> Iterator[Cluster]:
    """A cluster, or this machine without one."""
    with CLUSTERS[engine](workers) if engine != "local" else nullcontext(Cluster("local", "", local_workers)) as cluster:
        yield cluster


def local_workers() -> list[int]:
    """The processes of a run on this machine that check units."""
    return [pid for pid in descendants(os.getpid()) if "multiprocessing.spawn" in command_of(pid)]


def kills(given: argparse.Namespace, folder: Path) -> None:
    texts = diagrams(given.documents)
    written(folder / "corpus", texts)
    expected = digest(of_batch(shutil.which("proofmark") or "proofmark", ((f"{n:08}", text) for n, text in enumerate(texts)), kind="mermaid"))
    print("| engine | documents | workers killed | drivers killed | lost or doubled | equal to `batch` |\n|---|---:|---:|---:|---:|---|")
    for engine in given.engines.split(","):
        out = folder / engine
        with cluster_of(engine, given.workers) as cluster:
            hit = kill_and_resume(cluster, folder / "corpus", out, given.moments, tuple(given.wait))
        found = digest(results(out))
        row = (engine, f"{found[0]:,}", *hit, abs(found[0] - expected[0]), "yes" if found == expected else "NO")
        print(f"| {' | '.join(map(str, row))} |", flush=True)


def poison(given: argparse.Namespace, folder: Path) -> None:
    texts = diagrams(given.documents)
    bad = set(random.Random(3).sample(range(len(texts)), 50))
    written(folder / "corpus", [f"{POISON}\n{text}" if number in bad else text for number, text in enumerate(texts)])
    expected = {f"{number:08}" for number in bad}
    print("| engine | documents | crashing | found | exactly these |\n|---|---:|---:|---:|---|")
    for engine in given.engines.split(","):
        out = folder / engine
        with cluster_of(engine, given.workers) as cluster:
            subprocess.run([sys.executable, __file__, "drive", str(folder / "corpus"), str(out), engine, cluster.address], check=True)
        report = json.loads((out / "report.json").read_text())
        found = {row["id"] for row in report["poisoned"]}
        exact = found == expected and report["by_error"] == {"crashed": 50} and report["documents"] == len(texts)
        print(f"| {engine} | {report['documents']:,} | 50 | {len(found)} | {'yes' if exact else 'NO'} |", flush=True)


def drive(corpus: str, out: str, engine: str, address: str) -> None:
    """A driver with an operator that crashes at some documents."""
    from poisoned import Poisoned
    from proofmark_rs.corpus import Run
    from proofmark_rs.corpus.engines import ENGINES

    run = Run(Path(corpus), Path(out), operator=Poisoned(kind="mermaid"))
    found = run.units()
    for _ in ENGINES[engine](run, found, 2, address or None):
        pass
    run.report(found)


#: What documents of `skew` consist of.
WORDS = "the plan says that we review each part of this service before a release and write down what was found".split()


def skew(given: argparse.Namespace, folder: Path) -> None:
    """The ideal is a run in which no worker waits for another one at the end."""
    corpus = folder / "corpus"
    chance = random.Random(5)
    words = [" ".join(chance.choice(WORDS) for _ in range(60)) + ".\n" for _ in range(1_000)]
    texts = ["# Notes\n\n" + "\n".join(chance.sample(words, 12)) for _ in range(1_000)]
    line = "".join(json.dumps({"id": f"{number:08}", "text": text}) + "\n" for number, text in enumerate(texts)).encode()
    corpus.mkdir()
    small, large = int(given.megabytes * 500), given.megabytes * 1_000_000
    for number in range(1_000):
        (corpus / f"{number:04}.jsonl").write_bytes(line[: line.index(b"\n", small) + 1])
    with (corpus / "large.jsonl").open("wb") as file:
        for _ in range(-(-large // len(line))):
            file.write(line)
    print("| engine | large file | small files | wall | to the ideal |\n|---|---:|---:|---:|---:|")
    for engine in given.engines.split(","):
        out = folder / engine
        with cluster_of(engine, given.workers) as cluster:
            start = time.monotonic()
            subprocess.run(command(corpus, out, cluster, "markdown"), check=True, stdout=subprocess.DEVNULL)
            wall = time.monotonic() - start
        # A worker that has no more to do has written its last part: for so long it has waited.
        ended = sorted(path.stat().st_mtime for path in out.glob("results-*/part-*"))
        waited = sum(ended[-1] - time_ for time_ in ended[-given.workers :])
        ideal = wall - waited / given.workers
        print(f"| {engine} | {large / 1e6:,.0f} MB | 1,000 of {small / 1e6:.1f} MB | {wall:,.1f} s | {wall / ideal:.2f} |", flush=True)


def most_memory(process: subprocess.Popen[bytes]) -> int:
    """The most memory that a process, the cluster, and this one took together until it ended, in bytes."""
    most = 0
    while process.poll() is None:
        most = max(most, memory(descendants(os.getpid())))
        time.sleep(0.5)
    return most


def growth(given: argparse.Namespace, folder: Path) -> None:
    print("| engine | rows | memory | of the first |\n|---|---:|---:|---:|")
    for engine in given.engines.split(","):
        first = 0
        for count in map(int, given.rows.split(",")):
            corpus, out = folder / f"{engine}-{count}", folder / f"out-{engine}-{count}"
            corpus.mkdir()
            # Row groups of one size: a longer corpus has more of them.
            part = 50_000
            texts = pa.array([f"flowchart LR\n  A{row % 97} --> B\n" for row in range(part)])
            for start in range(0, count, part):
                ids = pa.array([f"{start + row:09}" for row in range(part)])
                pq.write_table(pa.table({"id": ids, "text": texts}), corpus / f"{start // part:04}.parquet", compression="zstd")
            with cluster_of(engine, given.workers) as cluster:
                most = most_memory(started(command(corpus, out, cluster)))
            first = first or most
            documents = json.loads((out / "report.json").read_text())["documents"]
            print(f"| {engine} | {documents:,} | {most / 1e6:,.0f} MB | {most / first:.0%} |", flush=True)
            shutil.rmtree(corpus)
            shutil.rmtree(out)


def main() -> None:
    if sys.argv[1:2] == ["drive"]:
        return drive(*sys.argv[2:])
    keep_orphans()
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["kills", "poison", "skew", "memory"])
    parser.add_argument("--engines", default="local,ray,spark")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--moments", type=int, default=5)
    parser.add_argument("--wait", type=float, nargs=2, default=[4.0, 10.0], metavar="SECONDS", help="between two kills: least and most")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--megabytes", type=int, default=2_000)
    parser.add_argument("--rows", default="1000000,20000000")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR"), ignore_cleanup_errors=True) as folder:
        {"kills": kills, "poison": poison, "skew": skew, "memory": growth}[given.what](given, Path(folder))


if __name__ == "__main__":
    main()
