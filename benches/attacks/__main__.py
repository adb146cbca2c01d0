"""Every attack that a security review has found to work, tried again on the real program.

  python3 benches/attacks PROGRAM [--worker PROGRAM] [--only TEXT] [--markdown]

Each has a bound of its own: what must be refused or masked, and within which time and memory. Prints what failed, and a table of
the groups; with `--markdown` a row for each attack. `--worker` is the program that renders, `proofmark-render`: without it the
attacks on it are left out, and counted. Time is that of the processor where a run of the program is measured, and the time until
the answer where a service is. Standard library only; Linux.
"""
import argparse
import multiprocessing
import pathlib
import sys
import tempfile
import traceback

from convert import CASES as CONVERT
from files import CASES as FILES
from harness import Outcome, Place
from input import CASES as INPUT
from moves import CASES as MOVES
from output import CASES as OUTPUT
from preview import CASES as PREVIEW
from render import CASES as RENDER
from second import CASES as SECOND
from service import CASES as SERVICE

FORK = multiprocessing.get_context("fork")
CASES = [*INPUT, *SERVICE, *FILES, *MOVES, *OUTPUT, *RENDER, *PREVIEW, *CONVERT, *SECOND]


def attempt(case, options, result):
    with tempfile.TemporaryDirectory() as folder:
        try:
            outcome = case.attempt(Place(options.program, options.worker, pathlib.Path(folder).resolve()))
        except Exception:  # An attack that cannot be tried has not passed.
            outcome = Outcome(False, traceback.format_exc(limit=-2))
        result.send(outcome)


def tried(case, options):
    """The outcome of an attack in a process of its own: the memory that a run is measured with begins with that of this process."""
    result, sent = FORK.Pipe(duplex=False)
    process = FORK.Process(target=attempt, args=(case, options, sent))
    process.start()
    sent.close()
    try:
        return result.recv()
    except EOFError:
        return Outcome(False, "the attempt ended without an outcome")
    finally:
        process.join()


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--worker", type=lambda path: str(pathlib.Path(path).resolve()), help="the program that renders")
    parser.add_argument("--only", default="", help="attacks with this text in their group or name")
    parser.add_argument("--markdown", action="store_true", help="print a row for each attack")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in f"{case.group} {case.name}"]
    left_out = [case for case in cases if case.needs_worker and not options.worker]
    results = []
    for case in cases:
        if case in left_out:
            continue
        outcome = tried(case, options)
        results.append((case, outcome))
        if not outcome.passed:
            print(f"failed: {case.group}: {case.name}: {outcome.measured}", flush=True)
        if options.markdown:
            state = "passed" if outcome.passed else "FAILED"
            print(f"| {case.group} | {cell(case.name)} | {cell(case.bound)} | {cell(outcome.measured)} | {state} |", flush=True)
    print("\n| group | tried | passed |\n|---|---:|---:|")
    for group in sorted({case.group for case, _ in results}):
        some = [outcome.passed for case, outcome in results if case.group == group]
        print(f"| {group} | {len(some)} | {sum(some)} |")
    passed = sum(outcome.passed for _, outcome in results)
    print(f"| all | {len(results)} | {passed} |")
    if left_out:
        print(f"\n{len(left_out)} attacks on the worker were left out: --worker names it")
    sys.exit(0 if passed == len(results) else 1)


if __name__ == "__main__":
    main()
