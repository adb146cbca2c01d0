"""Documents that crash their process, as a fault in native code does: for tests and measurements of isolation."""

from __future__ import annotations

import os
import signal
from typing import Any

from proofmark_rs.corpus import Operator

#: What makes a document crash.
POISON = "%% poison"


class Poisoned(Operator):
    """Kills its process at documents with `POISON`."""

    def __call__(self, batch: Any) -> Any:
        """The results of a batch without such documents."""
        if any(POISON in _string(text) for text in batch.column(self.text).to_pylist()):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(batch)


def _string(text: object) -> str:
    return text.decode(errors="replace") if isinstance(text, bytes) else str(text)
