"""The functions of `pyarrow.compute`. They are made when it is imported, so type checkers cannot know them."""

from __future__ import annotations

from typing import Any

import pyarrow.compute

__all__ = ["compute"]

compute: Any = pyarrow.compute
