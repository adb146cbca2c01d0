"""Checking corpora: one operator for every engine, and runs over files that can be resumed.

An `Operator` turns a batch of documents into a batch of results; it knows nothing of engines. `Isolated` runs one in a
process of its own and finds the rows that crash it. `Run` checks files and writes results and a report; engines only
decide where its units run.

This package needs `pyarrow`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .isolation import Isolated, TooManyCrashes
    from .operator import Operator
    from .run import Run

__all__ = ["Isolated", "Operator", "Run", "TooManyCrashes"]

_MODULES = {"Isolated": "isolation", "Operator": "operator", "Run": "run", "TooManyCrashes": "isolation"}


def __getattr__(name: str) -> object:
    # The help of the command needs no pyarrow.
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
