"""Runs over files: what they read, what they write, and that they can be killed."""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
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


def folder(run: Run) -> Path:
    assert isinstance(run.folder, Path)
    return run.folder


def results(run: Run) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for part in sorted(folder(run).glob("*.parquet")):
        rows += pq.read_table(part).to_pylist()
    return sorted(rows, key=lambda row: row["id"])


def checked(run: Run) -> dict[str, Any]:
    found = run.units()
    for unit in run.left(found):
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
    before = {path: path.stat().st_mtime_ns for path in folder(run).glob("*.parquet")}
    assert len(before) == 3
    assert checked(run) == first
    assert before == {path: path.stat().st_mtime_ns for path in folder(run).glob("*.parquet")}
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


def test_a_folder_of_results_has_one_state_of_the_corpus(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    changed, removed, kept = (written(documents(10), corpus / f"{name}.jsonl") for name in ("changed", "removed", "kept"))
    run = a_run(corpus, tmp_path)
    assert checked(run)["documents"] == 30
    before = {path.name: path.stat().st_mtime_ns for path in folder(run).iterdir()}
    written(documents(12), changed)
    removed.unlink()
    assert checked(run)["documents"] == 22
    assert sorted({row["source"] for row in results(run)}) == ["changed.jsonl", "kept.jsonl"] and len(results(run)) == 22
    after = {path.name: path.stat().st_mtime_ns for path in folder(run).iterdir()}
    assert len(after) == 2 and len(set(before.items()) & set(after.items())) == 1, kept


def test_stale_parts_are_removed_before_others_are_written(tmp_path: Path) -> None:
    path = written(documents(10), tmp_path / "a.jsonl")
    run = a_run(path, tmp_path)
    checked(run)
    written(documents(12), path)
    assert len(run.left(run.units())) == 1
    assert results(run) == []


def test_another_corpus_has_another_folder(tmp_path: Path) -> None:
    runs = [a_run(written(documents(count), tmp_path / f"{count}.jsonl"), tmp_path) for count in (5, 6)]
    assert [checked(run)["documents"] for run in runs] == [5, 6]
    assert [len(results(run)) for run in runs] == [5, 6]


@pytest.mark.parametrize("damage", [b"", b"PAR1", b"x" * 500])
def test_a_damaged_part_is_written_again(damage: bytes, tmp_path: Path) -> None:
    run = a_run(written(documents(10), tmp_path / "a.jsonl"), tmp_path)
    first = checked(run)
    (part,) = folder(run).iterdir()
    part.write_bytes(damage)
    assert checked(run)["documents"] == first["documents"] and len(results(run)) == 10


def test_the_deadline_is_part_of_the_key(tmp_path: Path) -> None:
    path = written(documents(1), tmp_path / "a.jsonl")
    keys = {Run(path, tmp_path, operator=Operator(kind="mermaid", options=options)).key for options in ({}, {"deadline": 10.0}, {"deadline": 1.0})}
    assert len(keys) == 2


def test_a_repeated_run_keeps_the_time_of_the_first(tmp_path: Path) -> None:
    run = a_run(written(documents(10), tmp_path / "a.jsonl"), tmp_path)
    found = run.units()
    for unit in run.left(found):
        run.check(unit)
    assert run.report(found, 1.5)["seconds"] == 1.5
    assert run.report(found, None)["seconds"] == 1.5
    assert run.report(found, 0.25)["seconds"] == 1.75
    assert "documents/s" in (tmp_path / "out" / "report.html").read_text()


def test_the_report_names_rules(tmp_path: Path) -> None:
    run = a_run(written(documents(10), tmp_path / "a.jsonl"), tmp_path)
    report = checked(run)
    ((rule, name),) = report["rules"].items()
    assert name == pm.explain(rule)["name"]
    assert f"{rule} {name}" in (tmp_path / "out" / "report.html").read_text()


def unreadable(run: Run) -> list[tuple[str, str]]:
    return [(row["id"], row["error"]) for row in results(run) if row["error"]]


def test_a_damaged_file_is_a_row_of_the_results(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    written(documents(10), corpus / "good.parquet")
    (corpus / "bad.parquet").write_bytes(b"PAR1 and no more PAR1")
    run = a_run(corpus, tmp_path)
    report = checked(run)
    assert (report["documents"], report["not_validated"], report["complete"]) == (11, 1, True)
    ((id_, error),) = unreadable(run)
    assert id_ == "bad.parquet" and error.startswith("unreadable-file: ")
    # When it can be read again, it is.
    written(documents(5), corpus / "bad.parquet")
    assert checked(run)["documents"] == 15 and unreadable(run) == []


def test_a_damaged_row_group_is_a_row_of_the_results(tmp_path: Path) -> None:
    path = written(documents(210), tmp_path / "a.parquet")
    second = pq.read_metadata(path).row_group(1).column(1)
    content = bytearray(path.read_bytes())
    start = second.dictionary_page_offset or second.data_page_offset
    content[start : start + second.total_compressed_size] = b"\xff" * second.total_compressed_size
    path.write_bytes(content)
    run = a_run(path, tmp_path)
    report = checked(run)
    assert (report["documents"], report["not_validated"]) == (141, 1)
    ((id_, error),) = unreadable(run)
    assert id_ == "a.parquet:70" and error.startswith("unreadable-file: row group 1: ")


def test_a_truncated_file_is_read_as_far_as_it_is_there(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    records = [{"id": f"d{row}", "text": VALID + f"%% {random.Random(row).random()}\n" * 20} for row in range(3000)]
    written(records, path)
    path.write_bytes(path.read_bytes()[:-2000])
    run = a_run(path, tmp_path)
    report = checked(run)
    assert report["valid"] > 1000 and report["not_validated"] == 1
    ((id_, error),) = unreadable(run)
    assert id_.startswith("a.jsonl.gz@") and error.startswith("unreadable-file: after byte ")


def test_documents_and_folders_that_cannot_be_read_are_rows_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = tmp_path / "docs"
    (corpus / "locked").mkdir(parents=True)
    (corpus / "locked" / "c.mmd").write_text(VALID)
    for name in ("a.mmd", "b.mmd"):
        (corpus / name).write_text(VALID)

    def refusing(method: Any) -> Any:
        def refused(path: Path, *arguments: Any) -> Any:
            if path.name in ("locked", "b.mmd"):
                raise PermissionError(13, "Permission denied", str(path))
            return method(path, *arguments)

        return refused

    run = a_run(corpus, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", refusing(Path.iterdir))
        patch.setattr(Path, "open", refusing(Path.open))
        report = checked(run)
    assert (report["documents"], report["valid"], report["complete"]) == (3, 1, True)
    assert unreadable(run) == [(name, "unreadable-file: Permission denied") for name in ("b.mmd", "locked")]
    assert checked(run)["valid"] == 3 and unreadable(run) == []


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.jsonl.gz"])
def test_fields_that_no_file_has_are_mistakes_in_the_arguments(name: str, tmp_path: Path) -> None:
    path = written([{"id": "a", "text": VALID, "n": 1}], tmp_path / name)
    run = a_run(path, tmp_path)
    for layout, message in (
        (Layout(text="body"), f"{name}: there is no (column|field) `body`; (columns|fields) are id, text, n"),
        (Layout(id="nope"), f"{name}: there is no (column|field) `nope`"),
        (Layout(kind_column="nope"), f"{name}: there is no (column|field) `nope`"),
        (Layout(text="n"), f"{name}: (column|field) `n` has the type int(64)?, not strings"),
    ):
        with pytest.raises(ValueError, match=message):
            replace(run, layout=layout).units()
    assert checked(replace(run, layout=Layout(id="n")))["valid"] == 1


def test_a_file_without_the_fields_of_the_others_is_a_row(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    written(documents(10), corpus / "a.parquet")
    written([{"body": VALID}], corpus / "b.parquet")
    run = a_run(corpus, tmp_path)
    assert checked(run)["documents"] == 11
    assert unreadable(run) == [("b.parquet", "unreadable-file: there is no column `text`; columns are body")]


def test_ids_and_kinds_need_not_be_strings(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": [1], "text": VALID, "kind": 7}) + "\n" + json.dumps({"id": "\ud800", "text": VALID, "kind": None}) + "\n")
    run = a_run(path, tmp_path, layout=Layout(kind_column="kind"))
    assert checked(run)["documents"] == 2
    assert [row["id"] for row in results(run)] == ["[1]", "\\ud800"]
    assert results(run)[0]["error"].startswith("unknown-kind: ")


def test_a_file_is_shared_by_processes(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    line = json.dumps({"text": VALID * 200}) + "\n"
    path.write_text(line * (4 * 1024 * 1024 // len(line)))
    assert len(units.find(path)) == 4


def test_urls_are_read_and_written_with_fsspec(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    written(documents(200), tmp_path / "a.parquet")
    written(documents(30), tmp_path / "b.jsonl.gz")
    written(documents(40), tmp_path / "c.jsonl")
    for name in ("a.parquet", "b.jsonl.gz", "c.jsonl"):
        memory.pipe_file(f"/bucket/in/{name}", (tmp_path / name).read_bytes())
    memory.pipe_file("/bucket/in/.hidden.jsonl", b"{}\n")
    run = Run("memory://bucket/in", "memory://bucket/in/out", operator=Operator(kind="mermaid"), isolate=False)
    first = checked(run)
    assert (first["documents"], first["valid"], first["complete"]) == (270, 216, True)
    assert json.loads(memory.cat_file("/bucket/in/out/report.json")) == first
    assert run.left(run.units()) == []
    parts = memory.glob(f"/bucket/in/out/{first['results']}/*")
    assert sorted(path.rpartition("/")[2] for path in parts) == first["parts"]
    # What has changed or is not there any more is replaced.
    memory.pipe_file("/bucket/in/c.jsonl", (tmp_path / "c.jsonl").read_bytes() * 2)
    memory.rm_file("/bucket/in/b.jsonl.gz")
    assert checked(run)["documents"] == 280
    rows = [row for path in memory.glob(f"/bucket/in/out/{first['results']}/*") for row in pq.read_table(memory.open(path)).to_pylist()]
    assert len(rows) == 280
    # A single file, and folders of documents.
    assert checked(Run("memory://bucket/in/c.jsonl", "memory://bucket/one", operator=run.operator, isolate=False))["documents"] == 80
    memory.pipe_file("/bucket/docs/deep/a.mmd", VALID.encode())
    assert checked(Run("memory://bucket/docs", tmp_path / "x", isolate=False))["valid"] == 1


def test_urls_of_files_are_paths(tmp_path: Path) -> None:
    corpus = tmp_path / "with space"
    corpus.mkdir()
    written(documents(20), corpus / "a.jsonl")
    out = tmp_path / "out"
    done = subprocess.run(
        command("--in", corpus.as_uri(), "--out", out.as_uri(), "--kind", "mermaid", "--jobs", "1", "--quiet"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((out / "report.json").read_text())["documents"] == 20
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "with space"]


def test_urls_without_fsspec_are_refused(tmp_path: Path) -> None:
    code = "import sys; sys.modules['fsspec'] = None; from proofmark_rs.__main__ import main; sys.exit(main(sys.argv[1:]))"
    path = written(documents(1), tmp_path / "a.jsonl")
    for arguments in (["--in", "s3://bucket/in", "--out", "out"], ["--in", str(path), "--out", "s3://bucket/out"]):
        done = subprocess.run([sys.executable, "-c", code, "corpus", "run", *arguments], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("error: `s3://bucket/") and done.stderr.endswith("\nhint: pip install fsspec s3fs\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jsonl"]


def test_a_url_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(OSError, match="memory://nowhere/a.jsonl"):
        Run("memory://nowhere/a.jsonl", tmp_path, isolate=False).units()
    with pytest.raises(ValueError, match="hint: pip install fsspec"):
        Run("nothing://bucket/in", tmp_path, isolate=False).units()


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
    assert status("--in", str(path), "--out", out, "--text-column", "body") == (
        2,
        "error: a.parquet: there is no column `body`; columns are id, text\n",
    )
    assert status("--in", str(path), "--out", out, "--id-column", "nope")[0] == 2
    assert status("--in", str(tmp_path), "--out", str(tmp_path / ".")) == (
        2,
        f"error: `--out` is the corpus itself, {tmp_path}: name another folder for the results\n",
    )
    assert status("--in", str(tmp_path / "empty"), "--out", str(path))[0] == 2
    assert "pip install" in status("--in", str(path), "--out", out, "--engine", "ray")[1] or importlib.util.find_spec("ray")


def test_results_that_cannot_be_written_end_the_run(tmp_path: Path) -> None:
    """As on a full disk: files of this process cannot grow above a size."""
    path = written([{"id": str(row), "text": BROKEN.replace("A", f"A{row}")} for row in range(3000)], tmp_path / "a.jsonl")
    arguments = command("--in", str(path), "--out", str(tmp_path / "out"), "--kind", "mermaid", "--jobs", "1", "--quiet")
    limited = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, -1)); os.execv(sys.executable, {arguments!r})"
    done = subprocess.run([sys.executable, "-B", "-c", limited], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "File too large: " in done.stderr and "/part-" in done.stderr and "hint: give the same arguments" in done.stderr
    assert "Traceback" not in done.stderr and not list((tmp_path / "out").rglob("*part-*"))
    assert subprocess.run(arguments, capture_output=True, check=False).returncode == 0
    assert json.loads((tmp_path / "out" / "report.json").read_text())["documents"] == 3000


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


FAKE_SPARK = """
import os
class SparkSession:
    @staticmethod
    def getActiveSession():
        print(os.environ["PYSPARK_PYTHON"], flush=True)
        os._exit(0)
    builder = None
"""


def test_spark_runs_the_python_of_the_command(tmp_path: Path) -> None:
    """Also where another `python3` is the first one of PATH."""
    package = tmp_path / "pyspark" / "sql"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").write_text(FAKE_SPARK)
    path = written(documents(3), tmp_path / "a.jsonl")
    arguments = command("--in", str(path), "--out", str(tmp_path / "out"), "--kind", "mermaid", "--engine", "spark", "--quiet")
    environment = {name: value for name, value in os.environ.items() if name != "PYSPARK_PYTHON"} | {"PYTHONPATH": str(tmp_path)}
    for own, expected in ({}, sys.executable), ({"PYSPARK_PYTHON": "/other/python"}, "/other/python"):
        done = subprocess.run(arguments, env={**environment, **own}, capture_output=True, text=True, check=False)
        assert done.stdout == f"{expected}\n", done.stderr


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity")
def test_a_run_has_a_process_for_each_cpu_that_it_may_use() -> None:
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); from proofmark_rs.corpus import command; print(command._jobs())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "1\n"
