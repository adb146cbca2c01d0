"""What a model reads about a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .._native import Report

#: Diagnostics that are reported at once: more do not help to write a better document.
MOST = 20


def feedback(report: Report) -> str:
    """The diagnostics of a report, one per line with its hint, errors first."""
    if report.error is not None and not len(report):
        return f"The document was not validated: {report.error}"
    if not len(report):
        return "The document is valid."
    order = {"error": 0, "warning": 1, "note": 2}
    found = sorted(report, key=lambda one: order[one.severity])
    lines = [
        f"{one.severity} {one.id} at line {one.line}, column {one.column}: {one.message}"
        + (f" ({one.hint})" if one.hint else "")
        for one in found[:MOST]
    ]
    if len(found) > MOST:
        lines.append(f"and {len(found) - MOST} more")
    state = "valid, with remarks" if report.valid else "not valid"
    return "\n".join([f"The document is {state}:", *lines])
