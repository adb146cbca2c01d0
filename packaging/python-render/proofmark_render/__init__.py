"""The render worker of Proofmark. `proofmark render` and `proofmark draw` start it where this package is installed."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["worker"]


def worker() -> Path:
    """The path of the program."""
    suffix = ".exe" if sys.platform == "win32" else ""
    return Path(__file__).parent / "bin" / f"proofmark-render{suffix}"
