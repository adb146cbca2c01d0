"""Checking datasets of Ray Data."""

from __future__ import annotations

import functools
import pickle
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from .corpus import Isolated, Operator
from .corpus.slices import limited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ray.data import Dataset

__all__ = ["check"]


@functools.lru_cache(maxsize=4)
def _isolated(operator: bytes) -> Isolated:
    """The isolated operator of this process: its child stays for further tasks."""
    return Isolated(pickle.loads(operator))


def _checked(block: pa.Table, operator: Operator, isolate: bool) -> Iterator[pa.Table]:
    """The results of a block, in parts of limited size."""
    own = _isolated(pickle.dumps(operator)) if isolate else operator
    for batch in block.to_batches():
        for part in limited(batch, operator.text):
            yield pa.Table.from_batches([own(part)])


class _Actor:
    """The same in an actor."""

    def __init__(self, operator: Operator, isolate: bool) -> None:
        self._operator = operator
        self._isolate = isolate

    def __call__(self, block: pa.Table) -> Iterator[pa.Table]:
        yield from _checked(block, self._operator, self._isolate)


def check(
    dataset: Dataset,
    *,
    text: str = "text",
    kind: str | None = None,
    kind_column: str | None = None,
    name_column: str | None = None,
    id: str | None = None,
    keep: Sequence[str] = (),
    fix: Literal["safe", "unsafe"] | None = None,
    checkpoint: str | None = None,
    isolate: bool = False,
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float | None = None,
    batch_size: int | None = None,
    **options: Any,
) -> Dataset:
    """The results of a dataset, one row for each document: see `Validator.check_arrow`.

    `id` is the column that identifies the documents, the first one of the result; the columns in `keep` become part of it,
    too. `checkpoint` is a path for Ray Data's own checkpoints of the ids (without `id`, of the first column of `keep`): a job
    that failed passes over rows that it has written when it runs again. With `isolate`, a row that crashes its process is
    found and passed over.

    Without `concurrency`, documents are validated by tasks, which Ray joins with those that read and write: no document is
    copied from one process to another, and each process opens its validator once. With `concurrency`, a number or a
    range, a pool of actors validates what other tasks read; an actor has half a CPU by default (`num_cpus`), so that on
    a small machine some is left for those that read. Blocks are validated in parts of 4 MB; `batch_size` limits the rows
    of the blocks that are handed over. `options` are the arguments of `Validator`.
    """
    operator = Operator(text, kind, kind_column, name_column, id, tuple(keep), fix, options=options)
    if checkpoint is not None:
        # Calls from before there was `id` have it as the first column of `keep`.
        identifying = id if id is not None else next(iter(keep), None)
        if identifying is None:
            raise ValueError("`checkpoint` needs the column with the ids: name it with `id`")
        from ray.data.checkpoint import CheckpointConfig

        dataset.context.checkpoint_config = CheckpointConfig(identifying, checkpoint)
    if concurrency is None:
        return dataset.map_batches(
            functools.partial(_checked, operator=operator, isolate=isolate),
            batch_format="pyarrow",
            batch_size=batch_size,
            num_cpus=num_cpus,
            zero_copy_batch=True,
        )
    return dataset.map_batches(
        _Actor,
        fn_constructor_args=(operator, isolate),
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=concurrency,
        num_cpus=0.5 if num_cpus is None else num_cpus,
        zero_copy_batch=True,
    )
