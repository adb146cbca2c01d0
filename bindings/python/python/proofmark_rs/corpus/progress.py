"""The progress of a run: how much is done, how fast, how long the rest takes."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .summary import Summary
    from .units import Unit


class Progress:
    """Shows progress on standard error: a line that changes on a terminal, else a line every ten seconds."""

    def __init__(self, units: list[Unit], left: list[Unit], *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._units, self._done = len(units), len(units) - len(left)
        self._bytes, self._left = 0, sum(unit.bytes for unit in left)
        self._documents = 0
        self._start = self._shown = time.monotonic()
        self._live = sys.stderr.isatty()

    def advance(self, unit: Unit, summary: Summary) -> None:
        """A unit is done."""
        self._done += 1
        self._bytes += unit.bytes
        self._documents += summary.documents
        now = time.monotonic()
        if not self._quiet and now - self._shown >= (0.2 if self._live else 10):
            self._shown = now
            print(f"\r{self}\x1b[K" if self._live else str(self), end="" if self._live else "\n", file=sys.stderr, flush=True)

    def finish(self) -> None:
        """The run has ended."""
        if not self._quiet:
            # The terminal may be closed.
            with contextlib.suppress(OSError):
                print(f"\r{self}\x1b[K" if self._live else str(self), file=sys.stderr, flush=True)

    def __str__(self) -> str:
        passed = max(time.monotonic() - self._start, 1e-9)
        line = f"{self._done}/{self._units} units"
        if not self._left:
            return f"{line}, nothing left to check" if self._done == self._units else line
        line += f", {self._documents / passed:,.0f} documents/s"
        if 0 < self._bytes < self._left:
            seconds = round(passed * (self._left - self._bytes) / self._bytes)
            line += f", {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"
        return line
