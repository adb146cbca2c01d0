"""The command `proofmark`, also as `python -m proofmark_rs`.

It is the command line of Proofmark with one command more: `corpus`, which is written in Python. The commands that render use the
package `proofmark-render` where it is installed.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]


def name_worker() -> None:
    """Set the variable that names the render worker, or the one with the command that installs it."""
    if "PROOFMARK_RENDER_WORKER" in os.environ:
        return
    try:
        from proofmark_render import worker
    except ImportError:
        os.environ.setdefault("PROOFMARK_INSTALL_RENDER", "pip install 'proofmark-rs[render]'")
    else:
        os.environ["PROOFMARK_RENDER_WORKER"] = str(worker())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the number to exit with."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["corpus"]:
        from .corpus.command import main as corpus

        return corpus(words[1:])
    from ._native import main as native

    # Python looks at Ctrl-C only between its own instructions, and the command line is one of them.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    name_worker()
    status = native(["proofmark", *words])
    if words in (["--help"], ["-h"], ["help"]):
        print("\nIn this package also:\n  corpus       Check a corpus on this machine, on Ray or on Spark: proofmark corpus --help")
    return status


if __name__ == "__main__":
    sys.exit(main())
