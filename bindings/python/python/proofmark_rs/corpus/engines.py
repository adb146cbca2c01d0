"""Where the units of a run are checked: on this machine, on Ray, or on Spark. Engines only schedule.

Units are few and their results are files, so engines get nothing but descriptions of units, and give summaries. An engine that
is closed before its end stops what it has started.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import errno
import functools
import multiprocessing
import os
import pickle
import sys
import threading
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from .._native import ProofmarkError
from . import lifetime
from .isolation import TooManyCrashes

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import TypeAlias

    from .isolation import BatchOperator
    from .run import Run
    from .summary import Summary
    from .units import Unit

    #: The units that are done, as they are done.
    Checking: TypeAlias = Generator[tuple[Unit, Summary], None, None]

#: How often a unit is tried whose process was killed.
ATTEMPTS = 3


class EngineMissing(ValueError):
    """The library of an engine is not installed."""

    def __init__(self, engine: str, package: str) -> None:
        super().__init__(f"`--engine {engine}` needs a library that is not installed\nhint: pip install '{package}'")


@functools.lru_cache(maxsize=2)
def _operator(run: bytes) -> BatchOperator:
    """The operator of this process: made once for all units of a run."""
    made: BatchOperator = pickle.loads(run).isolated()
    return made


def check(run: bytes, unit: Unit) -> Summary:
    """Check a unit of a pickled run."""
    summary: Summary = pickle.loads(run).check(unit, _operator(run))
    return summary


def local(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Checking:
    """On processes of this machine, which has no address."""
    if address is not None:
        raise ValueError("`--address` names a cluster, and `--engine local` has none")
    packed, left = pickle.dumps(run), list(units)
    for attempt in range(ATTEMPTS):
        done = set()
        with _pool(jobs) as pool:
            with lifetime.sigint_blocked():
                futures = {pool.submit(check, packed, unit): unit for unit in left}
            try:
                for future in concurrent.futures.as_completed(futures):
                    unit = futures[future]
                    summary = future.result()
                    done.add(unit.key)
                    yield unit, summary
            except BrokenProcessPool:
                if attempt == ATTEMPTS - 1:
                    raise
        left = [unit for unit in left if unit.key not in done]
        if not left:
            return


@contextlib.contextmanager
def _pool(jobs: int) -> Generator[concurrent.futures.ProcessPoolExecutor, None, None]:
    """Processes that end with this one. After an error or a signal they end at once, in the middle of their units."""
    context = multiprocessing.get_context("spawn")
    theirs, ours = context.Pipe(duplex=False)
    begin = (theirs, lifetime.parent_for_children())
    pool = concurrent.futures.ProcessPoolExecutor(jobs, context, lifetime.begin_worker, begin)
    try:
        yield pool
    except BaseException:
        # They are at its other end.
        ours.close()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        ours.close()
        theirs.close()


def ray(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Checking:
    """On the Ray cluster at the address, on that of this process, or on one with `jobs` CPUs that is started on this machine."""
    try:
        import ray as engine
    except ModuleNotFoundError as error:
        raise EngineMissing("ray", "ray[data]") from error

    connected = not engine.is_initialized()
    if connected:
        address = address or os.environ.get("RAY_ADDRESS")
        own: dict[str, Any] = {} if address else {"num_cpus": jobs, "include_dashboard": False}
        engine.init(address=address, log_to_driver=False, **own)
    packed = engine.put(pickle.dumps(run))
    task = engine.remote(num_cpus=1, max_retries=ATTEMPTS)(check)
    waiting = {task.remote(packed, unit): unit for unit in units}
    try:
        while waiting:
            ready, _ = engine.wait(list(waiting), num_returns=1)
            for reference in ready:
                yield waiting.pop(reference), engine.get(reference)
    except BaseException:
        for reference in waiting:
            with contextlib.suppress(Exception):
                engine.cancel(reference, force=True)
        if connected:
            engine.shutdown()
        raise


def spark(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Checking:
    """On the Spark cluster at the address, on that of this process, or on `local[jobs]`."""
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise EngineMissing("spark", "pyspark") from error

    # Without it Spark takes the `python3` of PATH, which need not have this package.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    active = SparkSession.getActiveSession()
    session = active or builder.master(address or f"local[{jobs}]").appName("proofmark").getOrCreate()
    packed, group = pickle.dumps(run), f"proofmark-{run.key}"
    failed: list[BaseException] = []

    def job() -> None:
        try:
            session.sparkContext.setJobGroup(group, "proofmark corpus run", interruptOnCancel=True)
            rows = session.sparkContext.parallelize(units, len(units))
            failed.extend(error for error in rows.map(functools.partial(_mistake, packed)).collect() if error is not None)
        except BaseException as error:  # noqa: BLE001 - raised again where results are waited for
            failed.append(error)

    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    left = list(units)
    try:
        yield from _appearing(run, left, thread, failed)
    except BaseException:
        with contextlib.suppress(Exception):
            session.sparkContext.cancelJobGroup(group)
            if active is None:
                session.stop()
        raise
    thread.join()


def _appearing(
    run: Run, left: list[Unit], thread: threading.Thread, failed: list[BaseException]
) -> Iterator[tuple[Unit, Summary]]:
    """The units that the job of this thread has done: results are files, so their progress is seen there."""
    while left:
        ended = not thread.is_alive()
        done = [(unit, summary) for unit in left if (summary := run.done(unit)) is not None]
        yield from done
        seen = {unit.key for unit, _ in done}
        left = [unit for unit in left if unit.key not in seen]
        if ended and left:
            raise failed[0] if failed else RuntimeError(f"{len(left)} units were not checked")
        if left:
            thread.join(0.5)


def _mistake(packed: bytes, unit: Unit) -> Exception | None:
    """Check a unit; what another attempt would fail with as well is returned, since Spark tries again what is raised."""
    try:
        check(packed, unit)
    except (ProofmarkError, TooManyCrashes, ValueError) as error:
        return error
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES):
            raise
        return error
    return None


ENGINES: dict[str, Callable[[Run, list[Unit], int, str | None], Checking]] = {
    "local": local,
    "ray": ray,
    "spark": spark,
}
