"""A filter of datatrove: keeps valid documents, and notes in the metadata what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datatrove.pipeline.filters.base_filter import BaseFilter

from .._native import Validator

if TYPE_CHECKING:
    from datatrove.data import Document
    from datatrove.pipeline.writers.disk_base import DiskWriter

__all__ = ["ProofmarkFilter"]


class ProofmarkFilter(BaseFilter):  # type: ignore[misc]
    """Drops documents with errors, with the first rule as the reason; with `drop=False` it only notes them.

    The metadata of a document gets `proofmark`: `valid`, and the ids of its diagnostics. `options` are the arguments of
    `Validator`.
    """

    name = "Proofmark"

    def __init__(
        self,
        kind: str,
        *,
        drop: bool = True,
        exclusion_writer: DiskWriter | None = None,
        batch_size: int = 256,
        **options: Any,
    ) -> None:
        super().__init__(exclusion_writer, batch_size)  # pyright: ignore[reportArgumentType]
        self.kind: str = kind
        self.drop: bool = drop
        self.validator: Validator = Validator(**options)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        """Whether a document is kept."""
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        """Whether documents are kept."""
        reports = self.validator.validate_many([document.text for document in batch], kind=self.kind, threads=1)
        kept: list[bool | tuple[bool, str]] = []
        for document, report in zip(batch, reports, strict=True):
            errors = [found.id for found in report if found.severity == "error"]
            document.metadata["proofmark"] = {"valid": report.valid, "diagnostics": [found.id for found in report]}
            reason = errors[0] if errors else (report.error or "").split(":", 1)[0]
            kept.append(True if report.valid or not self.drop else (False, reason))
        return kept
