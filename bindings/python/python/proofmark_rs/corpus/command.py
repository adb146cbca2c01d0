"""The command `proofmark corpus run`."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Run

EXAMPLES = """\
Examples:
  proofmark corpus run --in answers.jsonl.zst --out checked --kind mermaid
  proofmark corpus run --in diagrams/ --out checked --engine ray --text-column code
  proofmark corpus run --in docs/ --out checked
  proofmark corpus run --in answers/ --out checked --kind mermaid --engine spark --address spark://head:7077

A run that was interrupted goes on where it ended: give the same arguments again.

Exit codes: 0 complete, 2 a mistake in the arguments or the corpus, 3 the run ended before it was complete."""


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
    run.add_argument("--in", dest="corpus", type=Path, required=True, metavar="PATH", help="file or folder to check")
    run.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="folder of the results")
    run.add_argument("--engine", choices=["local", "ray", "spark"], default="local", help="where it runs [default: local]")
    run.add_argument("--address", metavar="ADDRESS", help="cluster of the engine; without it one is started on this machine")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes [default: one per CPU]")
    run.add_argument("--kind", help="kind of all documents that no column says the kind of")
    run.add_argument("--text-column", default="text", metavar="NAME", help="field with the documents [default: text]")
    run.add_argument("--id-column", default="id", metavar="NAME", help="field with their ids [default: id]")
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
        from . import run as runs
    except ImportError as error:
        print(f"error: {error}\nhint: pip install 'proofmark-rs[corpus]'", file=sys.stderr)
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
    run = runs.Run(
        given.corpus.absolute(),
        given.out.absolute(),
        Layout(given.text_column, given.id_column, given.kind_column, given.name_column),
        Operator(kind=given.kind, fix=given.fix, options=options),
        isolate=not given.no_isolation,
        max_crashes=given.max_crashes,
    )
    try:
        return _checked(run, given)
    except (ProofmarkError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: give the same arguments to go on", file=sys.stderr)
        return 3


def _checked(run: Run, given: argparse.Namespace) -> int:
    from .engines import ENGINES
    from .isolation import TooManyCrashes
    from .progress import Progress

    units = run.units()
    if not units:
        print(f"error: there are no documents in {given.corpus}", file=sys.stderr)
        return 2
    left = [unit for unit in units if run.done(unit) is None]
    progress = Progress(units, left, quiet=given.quiet)
    start = time.monotonic()
    status = 0
    try:
        for unit, summary in ENGINES[given.engine](run, left, max(1, given.jobs), given.address) if left else ():
            progress.advance(unit, summary)
    except TooManyCrashes as error:
        print(f"error: {error}", file=sys.stderr)
        for row in error.rows:
            print(f"  {row.get('id')}: {row['error']}", file=sys.stderr)
        status = 3
    finally:
        progress.finish()
        report = run.report(units, round(time.monotonic() - start, 3) if left else None)
    print(
        f"{report['documents']} documents: {report['valid']} valid, {report['invalid']} invalid, "
        f"{report['not_validated']} not validated\n{run.out / 'report.html'}"
    )
    return status or (0 if report["complete"] else 3)
