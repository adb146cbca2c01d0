"""The operator: a batch of documents in, a batch of results out."""

from __future__ import annotations

import functools
import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import pyarrow as pa

from .._native import Validator

if TYPE_CHECKING:
    from collections.abc import Mapping

Batch = TypeVar("Batch", pa.RecordBatch, pa.Table)


@functools.lru_cache(maxsize=8)
def _validator(options: bytes) -> Validator:
    """The validator with these pickled arguments: opened once per process."""
    return Validator(**pickle.loads(options))


@dataclass(frozen=True)
class Operator:
    """Validates batches of documents. It can be pickled; every process opens its validator once.

    `text` is the column with the documents. `kind` is the kind of all of them, `kind_column` and `name_column` are columns
    with their kinds and file names. `id` is the column that identifies the documents, the first one of the result; the
    columns in `keep` become part of it, too. With `fix`, the result has the fixed text. `options` are the arguments of
    `Validator`.
    """

    text: str = "text"
    kind: str | None = None
    kind_column: str | None = None
    name_column: str | None = None
    id: str | None = None
    keep: tuple[str, ...] = ()
    fix: Literal["safe", "unsafe"] | None = None
    threads: int = 1
    timed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def validator(self) -> Validator:
        """The validator of this process."""
        return _validator(pickle.dumps(dict(self.options)))

    def __call__(self, batch: Batch) -> Batch:
        """The results of a batch, one row for each document; a table for a table."""
        results = self.validator.check_arrow(
            batch,
            text=self.text,
            kind=self.kind,
            kind_column=self.kind_column,
            name_column=self.name_column,
            id=self.id,
            keep=self.keep,
            fix=self.fix,
            threads=self.threads,
            timed=self.timed,
        )
        table = pa.table(results)
        if isinstance(batch, pa.Table):
            return table
        parts = table.combine_chunks().to_batches()
        return parts[0] if parts else pa.RecordBatch.from_pylist([], schema=table.schema)

    @property
    def columns(self) -> list[str]:
        """The columns that it reads, each once."""
        named = (self.text, self.kind_column, self.name_column, self.id, *self.keep)
        return list(dict.fromkeys(name for name in named if name is not None))

    def schema(self, columns: pa.Schema) -> pa.Schema:
        """The columns of results for documents with these columns."""
        return self(columns.empty_table()).schema

    def crashed(self, batch: pa.RecordBatch, error: str) -> pa.RecordBatch:
        """The results of documents that were not validated because of this error."""
        empty = pa.nulls(len(batch), pa.string())
        column = batch.schema.get_field_index(self.text)
        nulled = batch.set_column(column, batch.schema.field(column).with_type(pa.string()), empty)
        results = self(nulled)
        errors = pa.array([error] * len(batch), pa.string())
        at = results.schema.get_field_index("error")
        return results.set_column(at, results.schema.field(at), errors)
