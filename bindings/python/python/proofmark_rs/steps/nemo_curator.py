"""A stage of NeMo Curator: results of Proofmark beside the documents of a batch."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa
from nemo_curator.stages.base import ProcessingStage
from nemo_curator.tasks import DocumentBatch

from ..corpus import Operator

__all__ = ["ProofmarkStage"]

#: The columns of results that are added.
_ADDED = ("valid", "errors", "warnings", "notes", "diagnostics", "error")


class ProofmarkStage(ProcessingStage[DocumentBatch, DocumentBatch]):  # type: ignore[misc]
    """Adds the columns `proofmark_valid`, `proofmark_errors`, ... to each batch; with `drop`, only valid documents stay.

    `options` are the arguments of `Validator`.
    """

    name = "proofmark"

    def __init__(self, kind: str, *, text: str = "text", drop: bool = False, **options: Any) -> None:
        super().__init__()
        self.drop: bool = drop
        self.operator: Operator = Operator(text=text, kind=kind, options=options)

    def inputs(self) -> tuple[list[str], list[str]]:
        """What a batch has to have."""
        return ["data"], [self.operator.text]

    def outputs(self) -> tuple[list[str], list[str]]:
        """What a batch has afterwards."""
        return ["data"], [self.operator.text, *(f"proofmark_{name}" for name in _ADDED)]

    def process(self, task: DocumentBatch) -> DocumentBatch:
        """Check a batch."""
        table = task.to_pyarrow()
        results = self.operator(table.select([self.operator.text]))
        for name in _ADDED:
            table = table.append_column(f"proofmark_{name}", results[name])
        if self.drop:
            table = table.filter(results["valid"])
        data: Any = table if isinstance(task.data, pa.Table) else table.to_pandas()
        return dataclasses.replace(task, data=data)
