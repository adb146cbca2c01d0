"""Processes that end with the one that started them, and signals that end a run.

A process that is killed cannot end those that it has started, so they watch it: on Linux the kernel kills them with it,
and everywhere a pipe comes to its end that only it can write to.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator
    from multiprocessing.connection import Connection
    from types import FrameType

#: The option of `prctl` for the signal that a process gets when its parent ends.
_PR_SET_PDEATHSIG = 1

#: What the command exits with when a signal ends it before it is complete.
INTERRUPTED = 3


def parent_for_children() -> int:
    """What processes that this thread starts pass to `end_with`: the id of this process, or 0.

    Linux takes the end of the *thread* that has started a process for the end of its parent. Only the main thread lives as
    long as its process.
    """
    return os.getpid() if threading.current_thread() is threading.main_thread() else 0


def end_with(parent: int) -> None:
    """Have the kernel kill this process when its parent ends, where it can; `parent` comes from `parent_for_children`."""
    if not parent or sys.platform != "linux":
        return
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    # It may have ended before the kernel knew.
    if os.getppid() != parent:
        os._exit(1)


def end_with_pipe(descriptor: int) -> None:
    """End this process when the other end of the pipe is closed, whatever it is doing then."""

    def watch() -> None:
        poll = select.poll()
        # Without any event to wait for, only the end of the pipe is one. What is in it stays there.
        poll.register(descriptor, 0)
        while not poll.poll():
            pass
        os._exit(1)

    threading.Thread(target=watch, name="end with the parent", daemon=True).start()


def begin_worker(pipe: Connection, parent: int) -> None:
    """Begin a process of a pool: it ends with its parent, and leaves Ctrl-C to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    end_with(parent)
    end_with_pipe(pipe.fileno())


@contextlib.contextmanager
def sigint_blocked() -> Generator[None, None, None]:
    """Processes that are started here begin with Ctrl-C blocked. For this process it comes at the end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def ended_by_signals() -> Generator[None, None, None]:
    """SIGTERM and SIGHUP raise `KeyboardInterrupt`, as Ctrl-C does. A second signal ends the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupted = False

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            os._exit(INTERRUPTED)
        interrupted = True
        raise KeyboardInterrupt

    # `nohup` has the program ignore SIGHUP.
    wanted = [one for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) != signal.SIG_IGN]
    before = {one: signal.signal(one, stop) for one in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
