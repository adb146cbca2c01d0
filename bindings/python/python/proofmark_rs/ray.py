"""Checking datasets of Ray Data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from .corpus import Isolated, Operator
from .corpus.slices import limited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ray.data import Dataset

__all__ = ["check"]


class _Actor:
    """The operator in an actor, which opens its validator once."""

    def __init__(self, operator: Operator, isolate: bool) -> None:
        self._text = operator.text
        self._operator = Isolated(operator) if isolate else operator

    def __call__(self, block: pa.Table) -> Iterator[pa.Table]:
        for batch in block.to_batches():
            for part in limited(batch, self._text):
                yield pa.Table.from_batches([self._operator(part)])


def check(
    dataset: Dataset,
    *,
    text: str = "text",
    kind: str | None = None,
    kind_column: str | None = None,
    name_column: str | None = None,
    keep: Sequence[str] = (),
    fix: Literal["safe", "unsafe"] | None = None,
    checkpoint: str | None = None,
    isolate: bool = False,
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float = 0.5,
    batch_size: int | None = None,
    **options: Any,
) -> Dataset:
    """The results of a dataset, one row for each document: see `Validator.check_arrow`.

    `keep` are columns that become part of the result, such as an id. `checkpoint` is a path for Ray Data's own
    checkpoints of the ids (the first column of `keep`): a job that failed passes over rows that it has written when it runs
    again. With `isolate`, a row that crashes its process is found and passed over. An actor has half a CPU by default, so
    that on a small machine some is left for those that read. It validates blocks of the dataset in parts of 4 MB;
    `batch_size` limits the rows of the blocks that are handed to it. `options` are the arguments of
    `Validator`.
    """
    operator = Operator(text, kind, kind_column, name_column, tuple(keep), fix, options=options)
    if checkpoint is not None:
        if not keep:
            raise ValueError("`checkpoint` needs a column with ids: name it first in `keep`")
        from ray.data.checkpoint import CheckpointConfig

        dataset.context.checkpoint_config = CheckpointConfig(keep[0], checkpoint)
    return dataset.map_batches(
        _Actor,
        fn_constructor_args=(operator, isolate),
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=concurrency or (1, max(1, _cpus())),
        num_cpus=num_cpus,
        zero_copy_batch=True,
    )


def _cpus() -> int:
    """CPUs of the cluster."""
    import ray

    return int(ray.cluster_resources().get("CPU", 1))
