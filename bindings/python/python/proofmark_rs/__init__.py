"""Validate structured documents: what is wrong, where, why, and how to fix it.

The functions of this module use the built-in rules. A `Validator` has a configuration, packs of rules, and
environment variables.

Examples:
    >>> import proofmark_rs as pm
    >>> report = pm.validate("flowchart LR\\n  A --> B\\n", kind="mermaid")
    >>> report.valid
    True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from . import aio as aio
from ._default import default_validator
from ._native import (
    RESULT_VERSION,
    Applied,
    ConfigurationError,
    Diagnostic,
    Edit,
    Fix,
    Fixed,
    InternalError,
    InvalidDocument,
    Location,
    ProofmarkError,
    Related,
    Report,
    Results,
    UnknownKind,
    Validator,
    __version__,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from .types import ArrowData

__all__ = [
    "RESULT_VERSION",
    "Applied",
    "ConfigurationError",
    "Diagnostic",
    "Edit",
    "Fix",
    "Fixed",
    "InternalError",
    "InvalidDocument",
    "Location",
    "ProofmarkError",
    "Related",
    "Report",
    "Results",
    "UnknownKind",
    "Validator",
    "__version__",
    "aio",
    "check_arrow",
    "explain",
    "fix",
    "kinds",
    "rules",
    "validate",
    "validate_many",
]

def validate(text: str, *, kind: str | None = None, name: str | os.PathLike[str] | None = None) -> Report:
    """Validate a document with the built-in rules.

    `kind` is the name of its kind (`markdown`, `mermaid`, `yaml`, `qtype`, ...). Without it, `name`, the path that the
    document has or is to have, shows the kind; without both, the text itself may show it.

    Examples:
        >>> report = validate("---\\ntitle: Part 1: the plan\\n---\\n", kind="markdown")
        >>> [(found.id, found.line) for found in report]
        [('YM101', 2)]
    """
    return default_validator().validate(text, kind=kind, name=name)


def fix(
    text: str,
    *,
    kind: str | None = None,
    name: str | os.PathLike[str] | None = None,
    unsafe: bool = False,
) -> Fixed:
    """Fix a document: apply the safe fixes, with `unsafe` also those that are likely right but may change what it means.

    Examples:
        >>> fix("---\\ntitle: Part 1: the plan\\n---\\n", kind="markdown").text
        '---\\ntitle: "Part 1: the plan"\\n---\\n'
    """
    return default_validator().fix(text, kind=kind, name=name, unsafe=unsafe)


def validate_many(texts: Sequence[str | None], *, kind: str | None = None, threads: int | None = None) -> list[Report]:
    """Validate many documents at once, on one thread per CPU by default.

    The reports are in the order of the documents. One that cannot be validated has its reason in `error`, also one that is
    `None` or is not Unicode text.
    """
    return default_validator().validate_many(texts, kind=kind, threads=threads)


def check_arrow(
    data: ArrowData,
    *,
    text: str = "text",
    kind: str | None = None,
    kind_column: str | None = None,
    name_column: str | None = None,
    id: str | None = None,
    keep: Sequence[str] = (),
    fix: Literal["safe", "unsafe"] | None = None,
    threads: int | None = None,
    timed: bool = False,
) -> Results:
    """Validate a column of a table of pyarrow, polars, pandas or DuckDB without copying it: see `Validator.check_arrow`."""
    return default_validator().check_arrow(
        data,
        text=text,
        kind=kind,
        kind_column=kind_column,
        name_column=name_column,
        id=id,
        keep=keep,
        fix=fix,
        threads=threads,
        timed=timed,
    )


def explain(rule: str) -> dict[str, Any]:
    """Everything about a built-in rule, by its id or name: what it checks, why, how to fix what it finds.

    Examples:
        >>> explain("YM101")["name"]
        'yaml-unquoted-colon'
    """
    return default_validator().explain(rule)


def rules(*, kind: str | None = None, tag: str | None = None) -> list[dict[str, Any]]:
    """The built-in rules: those for documents of a kind and with a tag, where these are named."""
    return default_validator().rules(kind=kind, tag=tag)


def kinds() -> list[dict[str, Any]]:
    """The kinds of document.

    Examples:
        >>> "mermaid" in [kind["name"] for kind in kinds()]
        True
    """
    return default_validator().kinds()
