"""The command `proofmark corpus run`."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING, Any

from . import lifetime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Run
    from .units import Unit

EXAMPLES = """\
Examples:
  proofmark corpus run --in answers.jsonl.zst --out checked --kind mermaid
  proofmark corpus run --in diagrams/ --out checked --engine ray --text-column code
  proofmark corpus run --in docs/ --out checked
  proofmark corpus run --in s3://bucket/answers --out s3://bucket/checked --kind mermaid
  proofmark corpus run --in answers/ --out checked --kind mermaid --engine spark --address spark://head:7077

A run that was interrupted goes on where it ended: give the same arguments again.

Exit codes: 0 complete, 2 a mistake in the arguments or the corpus, 3 the run ended before it was complete."""

#: Units of a run that writes its report although it was interrupted. To read more of them takes too long then.
INTERRUPTED_UNITS = 500


def _jobs() -> int:
    """The CPUs that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="proofmark corpus", description="Check a corpus.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run",
        help="check Parquet files, JSON Lines, or folders of documents",
        description="Check Parquet files, JSON Lines (also .gz and .zst), or folders of documents. Writes a Parquet "
        "file with a row for each document, report.json and report.html.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument("--in", dest="corpus", required=True, metavar="PATH", help="file or folder to check, or its URL")
    run.add_argument("--out", required=True, metavar="FOLDER", help="folder of the results, or its URL")
    run.add_argument("--engine", choices=["local", "ray", "spark"], default="local", help="where it runs [default: local]")
    run.add_argument("--address", metavar="ADDRESS", help="cluster of the engine; without it one is started on this machine")
    run.add_argument("--jobs", type=int, default=_jobs(), metavar="N", help="processes [default: one per CPU]")
    run.add_argument("--kind", help="kind of all documents that no column says the kind of")
    run.add_argument("--text-column", default="text", metavar="NAME", help="field with the documents [default: text]")
    run.add_argument("--id-column", metavar="NAME", help="field with their ids [default: id, where there is one]")
    run.add_argument("--kind-column", metavar="NAME", help="field with their kinds")
    run.add_argument("--name-column", metavar="NAME", help="field with their file names")
    run.add_argument("--fix", choices=["safe", "unsafe"], help="also write the fixed text")
    run.add_argument("--config", metavar="FILE", help="configuration file; none is read when absent")
    run.add_argument("--select", default="", metavar="RULES", help="run only these rules, separated by commas")
    run.add_argument("--ignore", default="", metavar="RULES", help="do not run these rules")
    run.add_argument("--deadline", type=float, default=10.0, metavar="SECONDS", help="time for one document [default: 10]")
    run.add_argument("--max-crashes", type=int, default=100, metavar="N", help="documents that may crash a process [default: 100]")
    run.add_argument("--no-isolation", action="store_true", help="validate in the processes that read; faster, but a crash ends the run")
    run.add_argument("--quiet", action="store_true", help="show no progress")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Run `proofmark corpus` with these arguments; returns the number to exit with."""
    try:
        given = _parser().parse_args(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)
    try:
        with lifetime.ended_by_signals():
            return _run(given)
    except KeyboardInterrupt:
        _complain("interrupted: give the same arguments to go on")
        return lifetime.INTERRUPTED


def _complain(message: str) -> None:
    # The terminal may be closed.
    with contextlib.suppress(OSError):
        print(message, file=sys.stderr, flush=True)


def _run(given: argparse.Namespace) -> int:
    try:
        from . import places
        from . import run as runs
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyarrow":
            raise
        _complain(f"error: `proofmark corpus` needs pyarrow, which is not installed\nhint: {sys.executable} -m pip install pyarrow")
        return 2
    from .._native import ProofmarkError
    from .operator import Operator
    from .units import Layout

    options = {
        "config": given.config,
        "select": [name for name in given.select.split(",") if name],
        "ignore": [name for name in given.ignore.split(",") if name],
        "deadline": given.deadline,
    }
    try:
        run = runs.Run(
            places.location(given.corpus),
            places.location(given.out),
            Layout(given.text_column, given.id_column, given.kind_column, given.name_column),
            Operator(kind=given.kind, fix=given.fix, options=options),
            isolate=not given.no_isolation,
            max_crashes=given.max_crashes,
        )
        if places.same(run.corpus, run.out):
            raise ValueError(f"`--out` is the corpus itself, {run.out}: name another folder for the results")
        if not isinstance(run.out, str) and run.out.exists() and not run.out.is_dir():
            raise ValueError(f"`--out` is a file, {run.out}: name a folder for the results")
        units = run.units()
        if not units:
            raise ValueError(f"there are no documents in {given.corpus}")
    except (ProofmarkError, OSError, ValueError) as error:
        _complain(f"error: {error}")
        return 2
    try:
        return _checked(run, units, given)
    except (ProofmarkError, ValueError) as error:
        _complain(f"error: {error}")
        return 2
    except OSError as error:
        # What cannot be read is a row of the results, so it is they that cannot be written.
        _complain(f"error: {error}\nhint: give the same arguments to go on")
        return lifetime.INTERRUPTED
    except concurrent.futures.BrokenExecutor as error:
        _complain(f"error: processes of the run were killed again and again: {error}\nhint: use fewer `--jobs` if there is not enough memory")
        return lifetime.INTERRUPTED


def _checked(run: Run, units: list[Unit], given: argparse.Namespace) -> int:
    from . import places
    from .engines import ENGINES
    from .isolation import TooManyCrashes
    from .progress import Progress

    left = run.left(units)
    progress = Progress(units, left, quiet=given.quiet)
    start = time.monotonic()
    status = 0

    def report() -> dict[str, Any]:
        return run.report(units, round(time.monotonic() - start, 3) if left else None)

    try:
        # Closed at an error, also one in this loop: an engine stops what it has started.
        with contextlib.closing(ENGINES[given.engine](run, left, max(1, given.jobs), given.address)) as checking:
            for unit, summary in checking if left else ():
                progress.advance(unit, summary)
    except TooManyCrashes as error:
        _complain(f"error: {error}")
        for row in error.rows:
            _complain(f"  {row.get('id')}: {row['error']}")
        status = lifetime.INTERRUPTED
    except KeyboardInterrupt:
        if len(units) <= INTERRUPTED_UNITS:
            report()
        raise
    finally:
        progress.finish()
    written = report()
    with contextlib.suppress(OSError):
        print(
            f"{written['documents']} documents: {written['valid']} valid, {written['invalid']} invalid, "
            f"{written['not_validated']} not validated\n{places.inside(run.out, 'report.html')}",
            flush=True,
        )
    return status or (0 if written["complete"] else lifetime.INTERRUPTED)
