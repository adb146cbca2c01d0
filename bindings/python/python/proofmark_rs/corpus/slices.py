"""Batches of limited size: large documents are validated by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from .compute import compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Bytes of documents that are validated at once. A larger document is validated by itself.
BATCH_BYTES = 4 * 1024 * 1024

#: Most documents that are validated at once.
BATCH_ROWS = 4096


def limited(batch: pa.RecordBatch, text: str) -> Iterator[pa.RecordBatch]:
    """A batch in parts of limited size, without copying it; `text` is the column with the documents."""
    if batch.nbytes <= BATCH_BYTES and len(batch) <= BATCH_ROWS:
        yield batch
        return
    start = size = 0
    for row, length in enumerate(_lengths(batch.column(text))):
        if row > start and (size + length > BATCH_BYTES or row - start == BATCH_ROWS):
            yield batch.slice(start, row - start)
            start, size = row, 0
        size += length
    yield batch.slice(start)


def _lengths(texts: pa.Array) -> list[int]:
    """Bytes of each text; the mean where the layout has no lengths at hand."""
    try:
        return [length or 0 for length in pc.binary_length(texts).to_pylist()]
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return [texts.nbytes // max(len(texts), 1)] * len(texts)
