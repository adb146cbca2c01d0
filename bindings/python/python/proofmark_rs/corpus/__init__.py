"""Checking corpora: one operator for every engine, and runs over files that can be resumed.

An `Operator` turns a batch of documents into a batch of results; it knows nothing of engines. `Isolated` runs one in a
process of its own and finds the rows that crash it. `Run` checks files and writes results and a report; engines only
decide where its units run.

This package needs `pyarrow`.
"""

from __future__ import annotations

from .isolation import Isolated, TooManyCrashes
from .operator import Operator
from .run import Run

__all__ = ["Isolated", "Operator", "Run", "TooManyCrashes"]
