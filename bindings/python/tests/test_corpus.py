"""Runs over files: what they read, what they write, and that they can be killed."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import proofmark_rs as pm
import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from proofmark_rs.corpus import Isolated, Operator, Run, TooManyCrashes  # noqa: E402
from proofmark_rs.corpus import units  # noqa: E402
from proofmark_rs.corpus.units import Layout  # noqa: E402

VALID = "flowchart LR\n  A --> B\n"
BROKEN = "flowchart LR\n  A[Start --> B\n"


def documents(count: int) -> list[dict[str, Any]]:
    return [{"id": f"d{number}", "text": BROKEN if number % 5 == 0 else VALID} for number in range(count)]


def results(run: Run) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for part in sorted(run.folder.glob("*.parquet")):
        rows += pq.read_table(part).to_pylist()
    return sorted(rows, key=lambda row: row["id"])


def checked(run: Run) -> dict[str, Any]:
    found = run.units()
    for unit in found:
        run.check(unit)
    return run.report(found)


def a_run(corpus: Path, tmp_path: Path, **more: Any) -> Run:
    return Run(corpus, tmp_path / "out", operator=Operator(kind="mermaid"), isolate=False, **more)


def written(records: list[dict[str, Any]], path: Path) -> Path:
    lines = "".join(json.dumps(record) + "\n" for record in records).encode()
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(lines))
    elif path.suffix == ".zst":
        with pa.output_stream(str(path), compression="zstd") as stream:
            stream.write(lines)
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records), path, row_group_size=70)
    else:
        path.write_bytes(lines)
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet"])
def test_files_are_read(name: str, tmp_path: Path) -> None:
    records = documents(200)
    run = a_run(written(records, tmp_path / name), tmp_path)
    report = checked(run)
    assert (report["documents"], report["valid"], report["invalid"]) == (200, 160, 40)
    rows = results(run)
    assert [row["id"] for row in rows] == sorted(record["id"] for record in records)
    single = {text: pm.validate(text, kind="mermaid") for text in (VALID, BROKEN)}
    texts = {record["id"]: record["text"] for record in records}
    for row in rows:
        report_of_text = single[texts[row["id"]]]
        assert row["valid"] == report_of_text.valid
        assert [one["fingerprint"] for one in row["diagnostics"]] == [one.fingerprint for one in report_of_text]
    assert report["by_rule"] == {one.id: 40 for one in single[BROKEN]}


def test_folders_of_documents_are_read(tmp_path: Path) -> None:
    corpus = tmp_path / "docs"
    (corpus / "deep").mkdir(parents=True)
    (corpus / "a.mmd").write_text(BROKEN)
    (corpus / "deep" / "b.md").write_text("---\ntitle: Part 1: the plan\n---\n")
    (corpus / "image.png").write_bytes(b"\x89PNG")
    run = Run(corpus, tmp_path / "out", isolate=False)
    checked(run)
    assert [(row["id"], row["kind"], row["valid"]) for row in results(run)] == [
        ("a.mmd", "mermaid", False),
        ("deep/b.md", "markdown", False),
    ]


def test_results_and_hidden_files_are_not_part_of_the_corpus(tmp_path: Path) -> None:
    written(documents(5), tmp_path / "a.jsonl")
    written(documents(5), tmp_path / ".b.jsonl")
    run = a_run(tmp_path, tmp_path)
    assert checked(run)["documents"] == 5
    assert [unit.source for unit in run.units()] == ["a.jsonl"]


def test_a_large_file_is_split_between_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = [{"id": f"{number:04}", "text": "x" * random.Random(number).randrange(200)} for number in range(300)]
    path = written(records, tmp_path / "a.jsonl")
    for size in (1, 97, 1000, 10_000):
        monkeypatch.setattr(units, "UNIT_BYTES", size)
        found = [
            row["id"]
            for unit in units.find(path)
            for batch in units.batches(unit, path, Layout())
            for row in batch.to_pylist()
        ]
        assert sorted(found) == [record["id"] for record in records]


def test_rows_that_cannot_be_read_are_errors_of_their_rows(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    good = json.dumps({"id": 1, "text": VALID})
    path.write_text(f'{good}\nnot json\n{{"id": 2}}\n{{"id": 3, "text": 7}}\n[1]\n"\\ud800"\n')
    run = a_run(path, tmp_path)
    report = checked(run)
    assert report["documents"] == 6 and report["valid"] == 1 and report["not_validated"] == 5
    assert report["by_error"] == {"not-json": 3, "null": 1, "not-text": 1}


def test_a_done_unit_is_passed_over(tmp_path: Path) -> None:
    run = a_run(written(documents(150), tmp_path / "a.parquet"), tmp_path)
    first = checked(run)
    before = {path: path.stat().st_mtime_ns for path in run.folder.glob("*.parquet")}
    assert len(before) == 3
    assert checked(run) == first
    assert before == {path: path.stat().st_mtime_ns for path in run.folder.glob("*.parquet")}
    other = Run(run.corpus, run.out, operator=Operator(kind="mermaid", options={"ignore": ["MM"]}), isolate=False)
    assert other.folder != run.folder
    checked(other)
    assert all(row["valid"] for row in results(other))


def test_a_changed_file_is_checked_again(tmp_path: Path) -> None:
    path = written(documents(10), tmp_path / "a.jsonl")
    run = a_run(path, tmp_path)
    assert checked(run)["documents"] == 10
    written(documents(20), path)
    report = checked(run)
    assert report["documents"] == 20
    assert len(report["parts"]) == 1


class Poisoned(Operator):
    """Ends its process at some documents, as a crash of native code does."""

    def __call__(self, batch: Any) -> Any:
        texts = batch.column("text").to_pylist()
        if any(text is not None and "poison" in str(text) for text in texts):
            os.kill(os.getpid(), signal.SIGKILL)
        if any(text is not None and "sleep" in str(text) for text in texts):
            time.sleep(60)
        return super().__call__(batch)


def test_rows_that_crash_the_process_are_found() -> None:
    poison = {17, 18, 400, 999}
    texts = [f"%% poison {row}" if row in poison else VALID for row in range(1000)]
    batch = pa.record_batch({"id": list(range(1000)), "text": texts})
    with Isolated(Poisoned(kind="mermaid", keep=("id",))) as isolated:
        rows = isolated(batch).to_pylist()
    assert [row["id"] for row in rows] == list(range(1000))
    assert {row["id"] for row in rows if row["error"]} == poison
    assert all(row["valid"] == (row["id"] not in poison) for row in rows)
    assert {row["error"] for row in rows if row["error"]} == {"crashed: the process ended with signal 9"}
    assert {crash["id"] for crash in isolated.crashes} == poison


def test_a_row_that_does_not_end_is_a_crash() -> None:
    batch = pa.record_batch({"text": [VALID, "sleep", VALID]})
    with Isolated(Poisoned(kind="mermaid"), timeout=8.0) as isolated:
        rows = isolated(batch).to_pylist()
    assert [row["error"] for row in rows] == [None, "crashed: no result within 8 s", None]


class Unloadable(Operator):
    """Cannot be loaded in another process."""

    def __reduce__(self) -> Any:
        return int, ("not a number",)


def test_a_process_that_does_not_start_is_not_a_crash_of_a_document() -> None:
    with Isolated(Unloadable(kind="mermaid")) as isolated:
        with pytest.raises(RuntimeError, match="did not start: the process ended with status 1"):
            isolated(pa.record_batch({"text": [VALID]}))


def test_too_many_crashes_end_the_run() -> None:
    batch = pa.record_batch({"id": [1, 2, 3], "text": ["poison"] * 3})
    with Isolated(Poisoned(kind="mermaid", keep=("id",)), max_crashes=2) as isolated:
        with pytest.raises(TooManyCrashes) as raised:
            isolated(batch)
    assert [row["id"] for row in raised.value.rows] == [1, 2, 3]


def test_mistakes_of_an_operator_are_not_crashes() -> None:
    with Isolated(Operator(kind="mermaid", text="body")) as isolated:
        with pytest.raises(ValueError, match="no column `body`"):
            isolated(pa.record_batch({"text": [VALID]}))


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proofmark_rs", "corpus", "run", *arguments]


def test_the_command_writes_results_and_a_report(tmp_path: Path) -> None:
    path = written([*documents(500), {"id": "<b>", "text": None}], tmp_path / "a.jsonl.zst")
    out = tmp_path / "out"
    done = subprocess.run(
        command("--in", str(path), "--out", str(out), "--kind", "mermaid", "--jobs", "2"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "501 documents: 400 valid, 100 invalid, 1 not validated" in done.stdout
    assert "units" in done.stderr
    report = json.loads((out / "report.json").read_text())
    assert report["complete"] and report["by_kind"]["mermaid"] == 500
    assert report["slowest"] and report["samples"]
    page = (out / "report.html").read_text()
    assert "<svg" in page and "&lt;b&gt;" in page and "<script" not in page and "src=" not in page


def test_mistakes_in_arguments_are_reported(tmp_path: Path) -> None:
    def status(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    assert status()[0] == 2
    (tmp_path / "empty").mkdir()
    out = str(tmp_path / "out")
    assert status("--in", str(tmp_path / "empty"), "--out", out) == (
        2,
        f"error: there are no documents in {tmp_path / 'empty'}\n",
    )
    path = written(documents(3), tmp_path / "a.parquet")
    assert "no column `body`" in status("--in", str(path), "--out", out, "--text-column", "body")[1]


def test_a_killed_run_loses_and_doubles_nothing(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    expected = []
    for file in range(12):
        records = [{"id": f"{file}-{row}", "text": VALID * (1 + row % 40)} for row in range(400)]
        expected += [record["id"] for record in records]
        written(records, corpus / f"{file}.jsonl")
    out = tmp_path / "out"
    arguments = command("--in", str(corpus), "--out", str(out), "--kind", "mermaid", "--jobs", "2", "--quiet")
    moments = random.Random(7)
    for _ in range(4):
        process = subprocess.Popen(arguments, start_new_session=True, stdout=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.8, 2.5))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert subprocess.run(arguments, check=False, capture_output=True).returncode == 0
    (folder,) = out.glob("results-*")
    found = [row for part in folder.glob("*.parquet") for row in pq.read_table(part)["id"].to_pylist()]
    assert sorted(found) == sorted(expected)
    assert json.loads((out / "report.json").read_text())["documents"] == len(expected)
