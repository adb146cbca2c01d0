"""The documentation is current, and its examples run."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["proofmark_rs", "proofmark_rs.aio", "proofmark_rs.agents.pydantic"])
def test_examples_in_modules(name: str) -> None:
    if name.endswith("pydantic"):
        pytest.importorskip("pydantic")
    done = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert done.attempted and not done.failed


def test_the_table_of_costs_is_the_one_of_the_script(repository: Path) -> None:
    script = repository / "bindings" / "python" / "benches" / "cost.py"
    done = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_licenses_of_the_package_are_those_of_the_project(repository: Path) -> None:
    """Packages are built from the folder of the package, so it has copies."""
    for name in ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT"):
        assert (repository / "bindings" / "python" / name).read_bytes() == (repository / name).read_bytes()
