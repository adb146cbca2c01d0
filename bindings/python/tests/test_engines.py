"""Ray and Spark as clusters of processes on this machine: the same results as without them, whatever is killed.

`benches/faults.py` and `benches/engines.py` do the same with a million documents.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import proofmark_rs as pm
import pytest

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.cluster

import clusters  # noqa: E402
import faults  # noqa: E402
from measure import diagrams  # noqa: E402
from poisoned import POISON  # noqa: E402
from rows import digest, of_batch, of_table  # noqa: E402


def documents(count: int = 2_000) -> Any:
    return pa.table({"id": [f"{number:08}" for number in range(count)], "text": diagrams(count)})


def expected(table: Any) -> list[dict[str, Any]]:
    return list(pa.table(pm.check_arrow(table, kind="mermaid", id="id")).to_pylist())


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row["id"]))


@pytest.fixture(scope="module")
def ray_nodes() -> Iterator[clusters.Cluster]:
    pytest.importorskip("ray")
    with clusters.ray_cluster(2, store=150_000_000) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def spark_nodes() -> Iterator[clusters.Cluster]:
    pytest.importorskip("pyspark")
    with clusters.spark_cluster(2) as cluster:
        yield cluster


@pytest.fixture(params=["ray", "spark"])
def cluster(request: pytest.FixtureRequest) -> clusters.Cluster:
    nodes: clusters.Cluster = request.getfixturevalue(f"{request.param}_nodes")
    return nodes


@pytest.fixture
def ray(ray_nodes: clusters.Cluster) -> Iterator[Any]:
    import ray as engine

    engine.init(address=ray_nodes.address, log_to_driver=False)
    engine.data.DataContext.get_current().enable_progress_bars = False
    yield engine
    engine.shutdown()


@pytest.fixture
def spark(spark_nodes: clusters.Cluster) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master(spark_nodes.address)
        .config("spark.ui.enabled", "false")
        .config("spark.executor.memory", "768m")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "300")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.parametrize("isolate", [False, True])
@pytest.mark.parametrize("actors", [None, 2])
def test_ray_data(ray: Any, isolate: bool, actors: int | None) -> None:
    import proofmark_rs.ray

    table = documents()
    dataset = ray.data.from_arrow(table).repartition(4)
    checked = proofmark_rs.ray.check(dataset, kind="mermaid", id="id", batch_size=300, isolate=isolate, concurrency=actors)
    plain = json.loads(json.dumps(by_id(checked.take_all()), default=lambda value: value.tolist()))
    assert plain == expected(table)


@pytest.mark.parametrize("isolate", [False, True])
def test_spark(spark: Any, isolate: bool) -> None:
    import proofmark_rs.spark

    table = documents()
    frame = spark.createDataFrame(table).repartition(3)
    checked = proofmark_rs.spark.check(frame, kind="mermaid", id="id", isolate=isolate)
    found = [row.asDict(recursive=True) for row in checked.collect()]
    assert by_id(found) == expected(table)


def test_a_checkpoint_needs_ids(ray: Any, tmp_path: Path) -> None:
    import proofmark_rs.ray

    with pytest.raises(ValueError, match="ids"):
        proofmark_rs.ray.check(ray.data.from_arrow(documents(2)), kind="mermaid", checkpoint=str(tmp_path))
    for columns in ({"id": "id"}, {"keep": ["id"]}, {"id": "id", "keep": ["text"]}):
        dataset = ray.data.from_arrow(documents(2))
        proofmark_rs.ray.check(dataset, kind="mermaid", checkpoint=str(tmp_path), **columns)
        assert dataset.context.checkpoint_config.id_column == "id"


DRIVER = """
import sys, ray, proofmark_rs.ray
corpus, out, checkpoint, address = sys.argv[1:]
ray.init(address=address, log_to_driver=False)
dataset = ray.data.read_json(corpus)
proofmark_rs.ray.check(dataset, kind="mermaid", id="id", checkpoint=checkpoint).write_parquet(out)
"""


def test_a_job_of_ray_data_goes_on_at_its_checkpoint(ray_nodes: clusters.Cluster, tmp_path: Path) -> None:
    import pyarrow.dataset as ds

    texts, out = diagrams(60_000), tmp_path / "out"
    faults.written(tmp_path / "corpus", texts, rows=1_500)
    arguments = [sys.executable, "-c", DRIVER, *map(str, (tmp_path / "corpus", out, tmp_path / "checkpoint")), ray_nodes.address]
    driver = faults.started(arguments)
    until = time.monotonic() + 120
    while driver.poll() is None and not list(out.glob("*.parquet")) and time.monotonic() < until:
        time.sleep(0.05)
    assert driver.poll() is None
    os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    written = len(list(out.glob("*.parquet")))
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(list(out.glob("*.parquet"))) > written > 0
    ids = sorted(ds.dataset(out, format="parquet").to_table(columns=["id"])["id"].to_pylist())
    assert ids == [f"{number:08}" for number in range(len(texts))]


def test_runs_on_clusters_equal_batch(cluster: clusters.Cluster, command: str, tmp_path: Path) -> None:
    texts = diagrams(5_000)
    faults.written(tmp_path / "corpus", texts, rows=700)
    done = subprocess.run(
        faults.command(tmp_path / "corpus", tmp_path / "out", cluster), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    records = ((f"{number:08}", text) for number, text in enumerate(texts))
    assert digest(faults.results(tmp_path / "out")) == digest(of_batch(command, records, kind="mermaid"))


def test_kills_of_workers_and_drivers_lose_and_double_nothing(cluster: clusters.Cluster, tmp_path: Path) -> None:
    texts = diagrams(60_000)
    faults.written(tmp_path / "corpus", texts, rows=1_000)
    out = tmp_path / "out"
    workers, drivers = faults.kill_and_resume(cluster, tmp_path / "corpus", out, 3, (2.0, 6.0))
    assert workers + drivers > 0
    table = pa.table({"id": [f"{number:08}" for number in range(len(texts))], "text": texts})
    checked = pa.table(pm.check_arrow(table, kind="mermaid", id="id"))
    assert digest(faults.results(out)) == digest(of_table(checked))


def test_documents_that_crash_are_found(cluster: clusters.Cluster, tmp_path: Path) -> None:
    texts = diagrams(4_000)
    bad = set(random.Random(3).sample(range(len(texts)), 5))
    faults.written(
        tmp_path / "corpus", [f"{POISON}\n{text}" if number in bad else text for number, text in enumerate(texts)], rows=500
    )
    arguments = ["drive", str(tmp_path / "corpus"), str(tmp_path / "out"), cluster.engine, cluster.address]
    subprocess.run([sys.executable, str(Path(faults.__file__)), *arguments], check=True)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert {row["id"] for row in report["poisoned"]} == {f"{number:08}" for number in bad}
    assert report["by_error"] == {"crashed": len(bad)} and report["documents"] == len(texts)


def test_too_many_crashes_end_a_run_with_their_list(cluster: clusters.Cluster, tmp_path: Path) -> None:
    faults.written(tmp_path / "corpus", [POISON] * 4)
    script = (
        "import sys; from pathlib import Path; from poisoned import Poisoned\n"
        "from proofmark_rs.corpus import Run, TooManyCrashes\n"
        "from proofmark_rs.corpus.engines import ENGINES\n"
        "corpus, out, engine, address = sys.argv[1:]\n"
        "run = Run(Path(corpus), Path(out), operator=Poisoned(kind='mermaid'), max_crashes=2)\n"
        "try: list(ENGINES[engine](run, run.units(), 2, address))\n"
        "except TooManyCrashes as error: print(sorted(row['id'] for row in error.rows))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "corpus"), str(tmp_path / "out"), cluster.engine, cluster.address],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(clusters.BENCHES)},
    )
    assert done.stdout.strip() == "['00000000', '00000001', '00000002']", done.stderr


SAIL = """
import json, sys
import pyarrow as pa
import proofmark_rs.spark
from measure import diagrams
from pysail.spark import SparkConnectServer
from pyspark.sql import SparkSession

server = SparkConnectServer(ip="127.0.0.1", port=0)
server.start(background=True)
session = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
texts = diagrams(2_000)
frame = session.createDataFrame(pa.table({"id": [f"{number:08}" for number in range(len(texts))], "text": texts}))
checked = proofmark_rs.spark.check(frame, kind="mermaid", id="id").toArrow()
print(json.dumps(checked.to_pylist()))
"""


def test_sail_runs_the_function_for_spark() -> None:
    pytest.importorskip("pysail")
    done = subprocess.run(
        [sys.executable, "-c", SAIL],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(clusters.BENCHES)},
    )
    assert done.returncode == 0, done.stderr
    assert by_id(json.loads(done.stdout)) == expected(documents())
