"""Results of documents in one form, to compare what checks them: `proofmark batch`, this package, and engines."""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

#: Of a diagnostic, what both the command line and the columns of results have: `fix_hint` is the column `hint`.
FIELDS = ("id", "severity", "message", "hint", "fingerprint")
PLACE = ("line", "column", "byte_start", "byte_end")

Row = tuple[str, bool, list[list[Any]]]


def of_table(table: pa.Table) -> Iterator[Row]:
    """The rows of results in columns."""
    for batch in table.select(["id", "valid", "diagnostics"]).to_batches(max_chunksize=20_000):
        for row in batch.to_pylist():
            found = [[one[name] for name in FIELDS + PLACE] for one in row["diagnostics"]]
            yield str(row["id"]), row["valid"], found


def of_batch(command: str, records: Iterable[tuple[str, str]], *, kind: str, jobs: int = 2) -> Iterator[Row]:
    """The rows that `proofmark batch` writes for documents, given as pairs of id and text."""
    lines = "".join(json.dumps({"id": id_, "kind": kind, "text": text}) + "\n" for id_, text in records)
    run = [command, "batch", "--isolated", "--jobs", str(jobs)]
    done = subprocess.run(run, input=lines.encode(), stdout=subprocess.PIPE, check=False)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        found = [
            [*(one.get("fix_hint" if name == "hint" else name) for name in FIELDS), *(one["location"][name] for name in PLACE)]
            for one in row["diagnostics"]
            if not one.get("suppressed")
        ]
        yield str(row["id"]), row["valid"], found


def digest(rows: Iterable[Row]) -> tuple[int, str]:
    """How many rows there are, and a hash of all of them in the order of their ids."""
    hashed = sorted((row[0], hashlib.sha256(json.dumps(row).encode()).digest()) for row in rows)
    whole = hashlib.sha256()
    for _, part in hashed:
        whole.update(part)
    return len(hashed), whole.hexdigest()


def digests(tables: Sequence[pa.Table]) -> tuple[int, str]:
    """The digest of results in several tables."""
    return digest(row for table in tables for row in of_table(table))
