"""The functions that take time, for asyncio: they run on a thread and do not hold up the event loop.

Examples:
    >>> import asyncio
    >>> asyncio.run(validate("flowchart LR\\n  A --> B\\n", kind="mermaid")).valid
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._default import default_validator

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from typing import ParamSpec, TypeVar

    from ._native import Fixed, Report, Validator

    P = ParamSpec("P")
    T = TypeVar("T")

__all__ = ["fix", "validate", "validate_many"]


async def _on_a_thread(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    # Most of the time of an import of this package would be that of asyncio.
    import asyncio

    return await asyncio.to_thread(work, *arguments, **named)


async def validate(
    text: str,
    *,
    kind: str | None = None,
    name: str | os.PathLike[str] | None = None,
    validator: Validator | None = None,
) -> Report:
    """Validate a document: see `proofmark_rs.validate`."""
    return await _on_a_thread((validator or default_validator()).validate, text, kind=kind, name=name)


async def fix(
    text: str,
    *,
    kind: str | None = None,
    name: str | os.PathLike[str] | None = None,
    unsafe: bool = False,
    validator: Validator | None = None,
) -> Fixed:
    """Fix a document: see `proofmark_rs.fix`."""
    return await _on_a_thread((validator or default_validator()).fix, text, kind=kind, name=name, unsafe=unsafe)


async def validate_many(
    texts: Sequence[str | None],
    *,
    kind: str | None = None,
    threads: int | None = None,
    validator: Validator | None = None,
) -> list[Report]:
    """Validate many documents: see `proofmark_rs.validate_many`."""
    return await _on_a_thread((validator or default_validator()).validate_many, texts, kind=kind, threads=threads)
