"""The validator of the functions of the package, which has the built-in rules."""

from __future__ import annotations

import functools
import os
import threading

from ._native import Validator

__all__ = ["default_validator"]

_opening = threading.Lock()


@functools.lru_cache(maxsize=1)
def _opened() -> Validator:
    return Validator()


def default_validator() -> Validator:
    """The validator without arguments, opened when it is first needed."""
    with _opening:
        return _opened()


# After a fork the lock may be held by a thread that is not there any more.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: globals().update(_opening=threading.Lock()))
