"""Types of arguments and results, for annotations."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias, Union

__all__ = ["Applicability", "ArrowArray", "ArrowData", "ArrowStream", "Format", "Severity"]

Severity: TypeAlias = Literal["error", "warning", "note"]
Applicability: TypeAlias = Literal["safe", "unsafe", "manual"]
Format: TypeAlias = Literal[
    "pretty",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "markdown",
    "checkstyle",
    "rdjson",
    "azure",
]


class ArrowStream(Protocol):
    """Data with Arrow's PyCapsule interface for streams: tables and series."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The data as a stream of the C interface."""
        ...


class ArrowArray(Protocol):
    """Data with Arrow's PyCapsule interface for arrays: arrays and record batches."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """The schema and the data as an array of the C interface."""
        ...


ArrowData: TypeAlias = Union[ArrowStream, ArrowArray]
