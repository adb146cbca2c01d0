"""Where the units of a run are checked: on this machine, on Ray, or on Spark. Engines only schedule.

Units are few and their results are files, so engines get nothing but descriptions of units, and give summaries.
"""

from __future__ import annotations

import concurrent.futures
import functools
import multiprocessing
import os
import pickle
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from .._native import ProofmarkError
from .isolation import TooManyCrashes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .isolation import BatchOperator
    from .run import Run
    from .summary import Summary
    from .units import Unit

#: How often a unit is tried whose process was killed.
ATTEMPTS = 3


@functools.lru_cache(maxsize=2)
def _operator(run: bytes) -> BatchOperator:
    """The operator of this process: made once for all units of a run."""
    made: BatchOperator = pickle.loads(run).isolated()
    return made


def check(run: bytes, unit: Unit) -> Summary:
    """Check a unit of a pickled run."""
    summary: Summary = pickle.loads(run).check(unit, _operator(run))
    return summary


def local(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Iterator[tuple[Unit, Summary]]:
    """On processes of this machine, which has no address."""
    if address is not None:
        raise ValueError("`--address` names a cluster, and `--engine local` has none")
    packed, left = pickle.dumps(run), list(units)
    for attempt in range(ATTEMPTS):
        done = set()
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(jobs, mp_context=context) as pool:
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
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        left = [unit for unit in left if unit.key not in done]
        if not left:
            return


def ray(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Iterator[tuple[Unit, Summary]]:
    """On the Ray cluster at the address, on that of this process, or on one with `jobs` CPUs that is started on this machine."""
    import ray as engine

    if not engine.is_initialized():
        address = address or os.environ.get("RAY_ADDRESS")
        own: dict[str, Any] = {} if address else {"num_cpus": jobs, "include_dashboard": False}
        engine.init(address=address, log_to_driver=False, **own)
    packed = engine.put(pickle.dumps(run))
    task = engine.remote(num_cpus=1, max_retries=ATTEMPTS)(check)
    waiting = {task.remote(packed, unit): unit for unit in units}
    while waiting:
        ready, _ = engine.wait(list(waiting), num_returns=1)
        for reference in ready:
            yield waiting.pop(reference), engine.get(reference)


def spark(run: Run, units: list[Unit], jobs: int, address: str | None = None) -> Iterator[tuple[Unit, Summary]]:
    """On the Spark cluster at the address, on that of this process, or on `local[jobs]`."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder
    active = SparkSession.getActiveSession()
    session = active or builder.master(address or f"local[{jobs}]").appName("proofmark").getOrCreate()
    packed = pickle.dumps(run)
    failed: list[BaseException] = []

    def job() -> None:
        try:
            rows = session.sparkContext.parallelize(units, len(units))
            failed.extend(error for error in rows.map(functools.partial(_mistake, packed)).collect() if error is not None)
        except BaseException as error:  # noqa: BLE001 - raised again where results are waited for
            failed.append(error)

    thread = threading.Thread(target=job, daemon=True)
    thread.start()
    left = list(units)
    # Results are files, so their progress is seen there.
    while left:
        ended = not thread.is_alive()
        done = [(unit, summary) for unit in left if (summary := run.done(unit)) is not None]
        yield from done
        seen = {unit.key for unit, _ in done}
        left = [unit for unit in left if unit.key not in seen]
        if ended and left:
            raise failed[0] if failed else RuntimeError(f"{len(left)} units were not checked")
        if left:
            time.sleep(0.5)
    thread.join()


def _mistake(packed: bytes, unit: Unit) -> Exception | None:
    """Check a unit; what another attempt would fail with as well is returned, since Spark tries again what is raised."""
    try:
        check(packed, unit)
    except (ProofmarkError, TooManyCrashes, ValueError) as error:
        return error
    return None


ENGINES: dict[str, Callable[[Run, list[Unit], int, str | None], Iterator[tuple[Unit, Summary]]]] = {
    "local": local,
    "ray": ray,
    "spark": spark,
}
