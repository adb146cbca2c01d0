"""Checking data frames of Spark, also over Spark Connect."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from .corpus import Isolated, Operator
from .corpus.slices import limited

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

__all__ = ["check"]


def _checked(operator: Operator, isolate: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    own = Isolated(operator) if isolate else operator
    try:
        for batch in batches:
            if len(batch):
                yield from map(own, limited(batch, operator.text))
    finally:
        if isinstance(own, Isolated):
            own.close()


def check(
    frame: DataFrame,
    *,
    text: str = "text",
    kind: str | None = None,
    kind_column: str | None = None,
    name_column: str | None = None,
    id: str | None = None,
    keep: Sequence[str] = (),
    fix: Literal["safe", "unsafe"] | None = None,
    isolate: bool = False,
    **options: Any,
) -> DataFrame:
    """The results of a data frame, one row for each document: see `Validator.check_arrow`.

    `id` is the column that identifies the documents, the first one of the result; the columns in `keep` become part of it,
    too. With `isolate`, a row that crashes its process is found and passed over. `options` are the arguments of
    `Validator`.
    """
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    operator = Operator(text, kind, kind_column, name_column, id, tuple(keep), fix, options=options)
    columns = frame.select(*operator.columns)
    schema = from_arrow_schema(operator.schema(to_arrow_schema(columns.schema)))
    return columns.mapInArrow(functools.partial(_checked, operator, isolate), schema)
