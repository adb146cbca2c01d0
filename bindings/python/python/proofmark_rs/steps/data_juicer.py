"""A filter of Data-Juicer: keeps documents with at most a number of errors."""

from __future__ import annotations

from typing import Any

from data_juicer.ops.base_op import OPERATORS, Filter
from data_juicer.utils.constant import Fields

from .._native import Validator

__all__ = ["ProofmarkFilter"]

#: The statistic of a sample.
_ERRORS = "proofmark_errors"


@OPERATORS.register_module("proofmark_filter")  # pyright: ignore[reportUntypedClassDecorator]
class ProofmarkFilter(Filter):  # type: ignore[misc]
    """Keeps samples whose documents were validated and have at most `max_errors` errors."""

    _batched_op = True

    def __init__(self, kind: str, max_errors: int = 0, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.kind: str = kind
        self.max_errors: int = max_errors
        self.validator: Validator = Validator()

    def compute_stats_batched(self, samples: dict[str, list[Any]], context: bool = False) -> dict[str, list[Any]]:
        """Count the errors of samples; a document that was not validated has more than any limit."""
        texts = [text or "" for text in samples[self.text_key]]
        reports = self.validator.validate_many(texts, kind=self.kind, threads=1)
        for stats, report in zip(samples[Fields.stats], reports, strict=True):
            stats[_ERRORS] = report.errors if report.error is None else 1 << 31
        return samples

    def process_batched(self, samples: dict[str, list[Any]]) -> list[bool]:
        """Whether samples are kept."""
        return [stats[_ERRORS] <= self.max_errors for stats in samples[Fields.stats]]
