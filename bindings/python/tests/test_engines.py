"""Ray and Spark: the same results as without them. Small clusters of processes on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import proofmark_rs as pm
import pytest

pa = pytest.importorskip("pyarrow")
pytestmark = pytest.mark.cluster

VALID = "flowchart LR\n  A --> B\n"
BROKEN = "flowchart LR\n  A[Start --> B\n"


def documents(count: int = 2_000) -> Any:
    return pa.table(
        {
            "id": [f"{number:05}" for number in range(count)],
            "text": [BROKEN if number % 7 == 0 else VALID for number in range(count)],
        }
    )


def expected(table: Any) -> list[dict[str, Any]]:
    return list(pa.table(pm.check_arrow(table, kind="mermaid", keep=["id"])).to_pylist())


def by_id(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: str(row["id"]))


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    engine = pytest.importorskip("ray")
    engine.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, log_to_driver=False)
    yield engine
    engine.shutdown()


def test_ray_data(ray: Any) -> None:
    import ray.data

    import proofmark_rs.ray

    table = documents()
    dataset = ray.data.from_arrow(table).repartition(4)
    found = proofmark_rs.ray.check(dataset, kind="mermaid", keep=["id"], batch_size=300, concurrency=2).take_all()
    plain = json.loads(json.dumps(by_id(found), default=lambda value: value.tolist()))
    assert plain == expected(table)


def test_ray_checkpoint(ray: Any, tmp_path: Path) -> None:
    import ray.data

    import proofmark_rs.ray

    with pytest.raises(ValueError, match="ids"):
        proofmark_rs.ray.check(ray.data.from_arrow(documents(2)), kind="mermaid", checkpoint=str(tmp_path))


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pytest.importorskip("pyspark")
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "512m")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "300")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_spark(spark: Any) -> None:
    import proofmark_rs.spark

    table = documents()
    frame = spark.createDataFrame(table).repartition(3)
    checked = proofmark_rs.spark.check(frame, kind="mermaid", keep=["id"])
    found = [row.asDict(recursive=True) for row in checked.collect()]
    assert by_id(found) == expected(table)


@pytest.mark.parametrize("engine", ["ray", "spark"])
def test_runs_on_engines_equal_local_runs(engine: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    if engine == "ray":
        pytest.importorskip("ray")
    else:
        pytest.importorskip("pyspark")
    table = documents()
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=300)
    rows = {}
    for name in ("local", engine):
        out = tmp_path / name
        done = subprocess.run(
            [
                *(sys.executable, "-m", "proofmark_rs", "corpus", "run", "--in", str(tmp_path / "a.parquet")),
                *("--out", str(out), "--kind", "mermaid", "--engine", name, "--jobs", "2", "--quiet"),
            ],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "PYSPARK_PYTHON": sys.executable},
        )
        assert done.returncode == 0, done.stderr
        rows[name] = by_id(
            [row for part in out.glob("results-*/*.parquet") for row in pq.read_table(part).to_pylist()]
        )
    assert len(rows["local"]) == table.num_rows
    assert rows[engine] == rows["local"]
