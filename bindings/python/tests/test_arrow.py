"""Columns of data frames."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import proofmark_rs as pm
import pytest

pa = pytest.importorskip("pyarrow")

VALID = "flowchart LR\n  A --> B\n"
BROKEN = "flowchart LR\n  A[Start --> B\n"
LETTER = "---\ntitle: Part 1: the plan\n---\n"


def rows(results: pm.Results) -> list[dict[str, Any]]:
    return list(pa.table(results).to_pylist())


@pytest.mark.parametrize(
    "type_",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()],
    ids=str,
)
def test_every_layout_of_text_is_read(type_: Any) -> None:
    texts = pa.array([VALID, BROKEN, None, VALID + "  B --> C\n" * 9], pa.string()).cast(type_)
    found = rows(pm.check_arrow(texts, kind="mermaid"))
    assert [row["valid"] for row in found] == [True, False, False, True]
    assert found[1]["errors"] == len(found[1]["diagnostics"]) > 0
    assert found[2]["error"] == "null: the row has no document"
    assert [row["valid"] for row in rows(pm.check_arrow(texts[1:], kind="mermaid"))] == [False, False, True]


def test_a_dictionary_is_read() -> None:
    texts = pa.array([BROKEN, VALID, None, BROKEN]).dictionary_encode()
    assert [row["valid"] for row in rows(pm.check_arrow(texts, kind="mermaid"))] == [False, True, False, False]


def test_bytes_that_are_not_utf8_are_an_error_of_their_row() -> None:
    texts = pa.array([VALID.encode(), b"flowchart \xff", VALID.encode()])
    found = rows(pm.check_arrow(texts, kind="mermaid"))
    assert [row["valid"] for row in found] == [True, False, True]
    assert found[1]["error"].startswith("not-utf8: ")


def test_kinds_and_names_come_from_columns() -> None:
    table = pa.table(
        {
            "text": [LETTER, VALID, VALID, VALID],
            "kind": ["markdown", "mermaid", "mermiad", None],
            "path": ["a.md", None, None, "b.mmd"],
            "id": [7, 8, 9, 10],
        }
    )
    found = rows(pm.check_arrow(table, kind_column="kind", name_column="path", id="id"))
    assert [row["id"] for row in found] == [7, 8, 9, 10]
    assert [row["valid"] for row in found] == [False, True, False, True]
    assert found[0]["diagnostics"][0]["id"] == "YM101"
    assert found[2]["error"].startswith("unknown-kind: ") and "`mermaid`" in found[2]["error"]


def test_the_id_is_the_first_column_and_what_is_kept_follows() -> None:
    table = pa.table({"source": ["a", "b"], "text": [VALID, BROKEN], "key": ["x", "y"]})
    found = pa.table(pm.check_arrow(table, kind="mermaid", id="key", keep=["source", "key"]))
    assert found.column_names[:3] == ["key", "source", "kind"]
    assert found.select(["key", "valid"]).to_pylist() == [{"key": "x", "valid": True}, {"key": "y", "valid": False}]


def test_a_row_without_a_known_kind_is_an_error() -> None:
    (found,) = rows(pm.check_arrow(pa.array(["just text"])))
    assert found["error"].startswith("unknown-kind: ")


def test_fixed_texts_are_a_column() -> None:
    found = pa.table(pm.check_arrow(pa.array([LETTER, "# fine\n", None]), kind="markdown", fix="safe"))
    assert found["fixed"].to_pylist() == [pm.fix(LETTER, kind="markdown").text, "# fine\n", None]
    assert "fixed" not in pa.table(pm.check_arrow(pa.array([LETTER]), kind="markdown")).column_names
    with pytest.raises(pm.ConfigurationError, match="safe"):
        pm.check_arrow(pa.array([LETTER]), kind="markdown", fix="all")  # type: ignore[arg-type]


def test_rows_equal_single_reports() -> None:
    texts = [VALID, BROKEN] * 3_000
    found = rows(pm.check_arrow(pa.chunked_array([texts[:17], texts[17:]]), kind="mermaid", threads=3))
    assert len(found) == len(texts)
    report = pm.validate(BROKEN, kind="mermaid")
    expected = [
        {
            "id": one.id,
            "severity": one.severity,
            "message": one.message,
            "line": one.line,
            "column": one.column,
            "byte_start": one.span[0],
            "byte_end": one.span[1],
            "hint": one.hint,
            "fingerprint": one.fingerprint,
            "fixable": one.fixes[0].applicability if one.fixes else None,
        }
        for one in report
    ]
    assert all(row["diagnostics"] == (expected if number % 2 else []) for number, row in enumerate(found))


def test_small_batches_are_shared_by_threads_and_keep_their_order() -> None:
    table = pa.table({"id": list(range(700)), "text": [VALID, BROKEN] * 350})
    small = pa.Table.from_batches([part for start in range(0, 700, 3) for part in table.slice(start, 3).to_batches()])
    found = rows(pm.check_arrow(small, kind="mermaid", id="id", threads=4))
    assert [(row["id"], row["valid"]) for row in found] == [(number, number % 2 == 0) for number in range(700)]


def test_mistakes_in_columns_are_reported() -> None:
    table = pa.table({"body": ["x"], "n": [1]})
    with pytest.raises(ValueError, match="no column `text`; columns are `body`, `n`"):
        pm.check_arrow(table)
    with pytest.raises(ValueError, match="column `n` has the type Int64"):
        pm.check_arrow(table, text="n")
    with pytest.raises(ValueError, match="an array"):
        pm.check_arrow(pa.array(["x"]), id="id")
    with pytest.raises(ValueError, match="no column `id`"):
        pm.check_arrow(pa.table({"text": ["x"]}), id="id")
    with pytest.raises(ValueError, match="`kind` is also a column of the result"):
        pm.check_arrow(pa.table({"text": ["x"], "kind": ["y"]}), id="kind")
    with pytest.raises(TypeError, match="list"):
        pm.check_arrow(["x"])  # type: ignore[arg-type]


def test_a_table_without_rows_has_the_columns() -> None:
    table = pa.table({"id": pa.array([], pa.int64()), "text": pa.array([], pa.string())})
    empty = pa.table(pm.check_arrow(table, keep=["id"]))
    full = pa.table(pm.check_arrow(pa.table({"id": [1], "text": ["x"]}), keep=["id"]))
    assert empty.num_rows == 0
    assert empty.schema == full.schema


def test_the_columns_are_those_of_the_published_schema(repository: Path) -> None:
    """`schemas/results.schema.json` says what a row has when it is written as JSON."""
    schema = json.loads((repository / "schemas" / "results.schema.json").read_text())
    assert schema["x-version"] == pm.RESULT_VERSION
    results = pa.table(pm.check_arrow(pa.array([LETTER]), kind="markdown", fix="safe", timed=True))
    assert results.schema.metadata[b"proofmark.results"] == str(pm.RESULT_VERSION).encode()
    assert set(results.column_names) == set(schema["properties"])
    item = results.schema.field("diagnostics").type.value_type
    names = {item.field(number).name for number in range(item.num_fields)}
    assert names == set(schema["$defs"]["diagnostic"]["properties"])


class _Producer:
    """Data of another library: only the PyCapsule interface."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.data.__arrow_c_stream__(requested_schema)


def test_anything_with_the_capsule_interface_is_read() -> None:
    (found,) = rows(pm.check_arrow(_Producer(pa.table({"text": [BROKEN]})), kind="mermaid"))
    assert not found["valid"]
    (found,) = rows(pm.check_arrow(pa.record_batch({"text": [BROKEN]}), kind="mermaid"))
    assert not found["valid"]


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"id": ["a", "b"], "text": [VALID, BROKEN]})
    found = pl.DataFrame(pm.check_arrow(frame, kind="mermaid", id="id"))
    assert found["id"].to_list() == ["a", "b"]
    assert found["valid"].to_list() == [True, False]
    assert pl.DataFrame(pm.check_arrow(frame["text"], kind="mermaid"))["valid"].to_list() == [True, False]


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"id": ["a", "b"], "text": [VALID, BROKEN]})
    found = pa.table(pm.check_arrow(frame, kind="mermaid", id="id")).to_pandas()
    assert found["valid"].tolist() == [True, False]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    relation = duckdb.connect().sql("select 7 as id, 'flowchart LR' || chr(10) || '  A[Start --> B' as text")
    (found,) = rows(pm.check_arrow(relation, kind="mermaid", id="id"))
    assert found["id"] == 7 and not found["valid"]


def test_the_texts_are_not_copied() -> None:
    """Results of a column that is kept point to the memory of the input."""
    table = pa.table({"text": [VALID * 50, BROKEN * 50]})
    kept = pa.table(pm.check_arrow(table, kind="mermaid", keep=["text"]))["text"].chunk(0)
    assert kept.buffers()[2].address == table["text"].chunk(0).buffers()[2].address
