"""What tests share."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def command() -> str:
    """The command line to compare with: `PROOFMARK_BIN`, or that of the environment that the tests run in."""
    found = os.environ.get("PROOFMARK_BIN") or shutil.which("proofmark")
    if not found:
        pytest.skip("no proofmark command: set PROOFMARK_BIN")
    return found
