"""The command `proofmark`, also as `python -m proofmark_rs`.

It is the command line of Proofmark without the commands that render and draw, and with `corpus`, which is written in Python.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the number to exit with."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["corpus"]:
        from .corpus.command import main as corpus

        return corpus(words[1:])
    from ._native import main as native

    # Python looks at Ctrl-C only between its own instructions, and the command line is one of them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    status = native(["proofmark", *words])
    if words in (["--help"], ["-h"], ["help"]):
        print("\nIn this package also:\n  corpus       Check a corpus on this machine, on Ray or on Spark: proofmark corpus --help")
    return status


if __name__ == "__main__":
    sys.exit(main())
