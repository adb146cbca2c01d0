"""Batches of limited size."""

from __future__ import annotations

from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")

from proofmark_rs.corpus.slices import BATCH_BYTES, BATCH_ROWS, limited  # noqa: E402


@pytest.mark.parametrize("type_", [pa.string(), pa.large_binary(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_batches_are_limited_by_rows_and_bytes(type_: Any) -> None:
    texts = pa.array(["x" * 100] * 10_000 + [None] + ["z" * 1_000_000] * 9, pa.string()).cast(type_)
    parts = list(limited(pa.record_batch({"text": texts}), "text"))
    assert pa.chunked_array([part.column("text") for part in parts], type_).to_pylist() == texts.to_pylist()
    assert all(len(part) <= BATCH_ROWS for part in parts)
    assert len(parts) < 20


def test_a_large_document_is_a_batch_of_its_own() -> None:
    texts = ["x"] * 3 + ["y" * (BATCH_BYTES + 1)] + ["z"] * 3
    assert [len(part) for part in limited(pa.record_batch({"text": texts}), "text")] == [3, 1, 3]
